-- The status filter of the list of versions.
CREATE INDEX state_version_status ON state_version (workspace, status, seq);
-- Which types a state holds at which schema versions, as JSON; null: nobody has looked yet.
ALTER TABLE state_version ADD COLUMN types TEXT;
-- What came of the upgrade that made a version, as JSON.
ALTER TABLE state_version ADD COLUMN report TEXT;

-- The upgrade of many workspaces.
CREATE TABLE job (
  id TEXT PRIMARY KEY,
  organization TEXT NOT NULL REFERENCES organization (id),
  requested_by TEXT NOT NULL,
  who TEXT NOT NULL,
  concurrency INTEGER NOT NULL CHECK (concurrency > 0),
  stop_at_failure INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('running', 'stopped', 'done')),
  created_at INTEGER NOT NULL,
  finished_at INTEGER
) STRICT;
CREATE INDEX job_organization ON job (organization, created_at);
CREATE INDEX job_running ON job (created_at) WHERE status = 'running';

-- A workspace of a job. Until `claimed_until` it is the work of the process that is called `claimed_by`.
CREATE TABLE job_item (
  job TEXT NOT NULL REFERENCES job (id) ON DELETE CASCADE,
  workspace TEXT NOT NULL REFERENCES workspace (id) ON DELETE CASCADE,
  status TEXT NOT NULL CHECK (status IN ('waiting', 'upgraded', 'current', 'failed')),
  version TEXT,
  detail TEXT NOT NULL,
  claimed_by TEXT NOT NULL,
  claimed_until INTEGER NOT NULL,
  PRIMARY KEY (job, workspace)
) STRICT, WITHOUT ROWID;
CREATE INDEX job_item_status ON job_item (job, status, claimed_until);
CREATE INDEX job_item_workspace ON job_item (workspace);
