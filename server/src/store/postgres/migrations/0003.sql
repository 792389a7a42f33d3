-- The status filter of the list of versions.
CREATE INDEX state_version_status ON state_version (workspace, status, seq);
-- Which types a state holds at which schema versions, as JSON; null: nobody has looked yet.
ALTER TABLE state_version ADD COLUMN types TEXT COLLATE "C";
-- What came of the upgrade that made a version, as JSON.
ALTER TABLE state_version ADD COLUMN report TEXT COLLATE "C";

-- The upgrade of many workspaces.
CREATE TABLE job (
  id TEXT COLLATE "C" PRIMARY KEY,
  organization TEXT COLLATE "C" NOT NULL REFERENCES organization (id),
  requested_by TEXT COLLATE "C" NOT NULL,
  who TEXT COLLATE "C" NOT NULL,
  concurrency BIGINT NOT NULL CHECK (concurrency > 0),
  stop_at_failure BOOLEAN NOT NULL,
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('running', 'stopped', 'done')),
  created_at BIGINT NOT NULL,
  finished_at BIGINT
);
CREATE INDEX job_organization ON job (organization, created_at);
CREATE INDEX job_running ON job (created_at) WHERE status = 'running';

-- A workspace of a job. Until `claimed_until` it is the work of the process that is called `claimed_by`.
CREATE TABLE job_item (
  job TEXT COLLATE "C" NOT NULL REFERENCES job (id) ON DELETE CASCADE,
  workspace TEXT COLLATE "C" NOT NULL REFERENCES workspace (id) ON DELETE CASCADE,
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('waiting', 'upgraded', 'current', 'failed')),
  version TEXT COLLATE "C",
  detail TEXT COLLATE "C" NOT NULL,
  claimed_by TEXT COLLATE "C" NOT NULL,
  claimed_until BIGINT NOT NULL,
  PRIMARY KEY (job, workspace)
);
CREATE INDEX job_item_status ON job_item (job, status, claimed_until);
CREATE INDEX job_item_workspace ON job_item (workspace);
