-- The tables of an upstate server. Times are milliseconds since 1970.
--
-- Texts compare byte by byte, as in every store. A text that a client chooses at any length (the key of a tag, the name of an output, a run)
-- is in no index but a hash: PostgreSQL refuses longer entries than 2.7 KB.

CREATE TABLE setting (name TEXT COLLATE "C" PRIMARY KEY, value BYTEA NOT NULL);

CREATE TABLE organization (
  id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL UNIQUE,
  created_at BIGINT NOT NULL
);

CREATE TABLE "user" (
  id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL UNIQUE,
  created_at BIGINT NOT NULL
);

CREATE TABLE team (
  id TEXT COLLATE "C" PRIMARY KEY,
  organization TEXT COLLATE "C" NOT NULL REFERENCES organization (id),
  name TEXT COLLATE "C" NOT NULL,
  permissions TEXT COLLATE "C" NOT NULL,
  UNIQUE (organization, name)
);

CREATE TABLE team_member (
  team TEXT COLLATE "C" NOT NULL REFERENCES team (id) ON DELETE CASCADE,
  "user" TEXT COLLATE "C" NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
  PRIMARY KEY (team, "user")
);

-- A token speaks for a user (within one organization, if there is one, with its own permissions), a team, or an organization.
CREATE TABLE token (
  id TEXT COLLATE "C" PRIMARY KEY,
  hash BYTEA NOT NULL UNIQUE CHECK (length(hash) = 32),
  "user" TEXT COLLATE "C" REFERENCES "user" (id) ON DELETE CASCADE,
  team TEXT COLLATE "C" REFERENCES team (id) ON DELETE CASCADE,
  organization TEXT COLLATE "C" REFERENCES organization (id) ON DELETE CASCADE,
  permissions TEXT COLLATE "C",
  description TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  CHECK (num_nonnulls("user", team) = 1 OR (num_nonnulls("user", team) = 0 AND organization IS NOT NULL)),
  CHECK (("user" IS NOT NULL AND organization IS NOT NULL) = (permissions IS NOT NULL))
);

CREATE TABLE workspace (
  id TEXT COLLATE "C" PRIMARY KEY,
  organization TEXT COLLATE "C" NOT NULL REFERENCES organization (id),
  name TEXT COLLATE "C" NOT NULL,
  revision BIGINT NOT NULL DEFAULT 0,
  last_seq BIGINT NOT NULL DEFAULT 0,
  head TEXT COLLATE "C",
  pending TEXT COLLATE "C",
  max_serial BIGINT,
  lock TEXT COLLATE "C",
  unlocked TEXT COLLATE "C",
  description TEXT COLLATE "C" NOT NULL,
  terraform_version TEXT COLLATE "C" NOT NULL,
  retention_days BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  deleted_at BIGINT
);
CREATE UNIQUE INDEX workspace_name ON workspace (organization, name) WHERE deleted_at IS NULL;

CREATE TABLE tag (
  workspace TEXT COLLATE "C" NOT NULL REFERENCES workspace (id) ON DELETE CASCADE,
  key TEXT COLLATE "C" NOT NULL,
  value TEXT COLLATE "C"
);
CREATE INDEX tag_workspace ON tag (workspace);

-- Bytes by what they are, compressed: here, or in the object of that key. A row goes when nothing refers to it any more.
CREATE TABLE blob (
  sha256 BYTEA PRIMARY KEY CHECK (length(sha256) = 32),
  size BIGINT NOT NULL,
  codec TEXT COLLATE "C" NOT NULL CHECK (codec IN ('zstd')),
  bytes BYTEA,
  object TEXT COLLATE "C" UNIQUE,
  CHECK (num_nonnulls(bytes, object) = 1)
);
-- They are compressed already.
ALTER TABLE blob ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE state_version (
  id TEXT COLLATE "C" PRIMARY KEY,
  workspace TEXT COLLATE "C" NOT NULL REFERENCES workspace (id),
  seq BIGINT NOT NULL,
  serial BIGINT NOT NULL CHECK (serial >= 0),
  lineage TEXT COLLATE "C" NOT NULL,
  md5 TEXT COLLATE "C" NOT NULL CHECK (length(md5) = 32),
  status TEXT COLLATE "C" NOT NULL CHECK (status IN ('pending', 'finalized', 'discarded')),
  backing TEXT COLLATE "C" NOT NULL CHECK (backing IN ('available', 'soft-deleted', 'permanently-deleted')),
  state BYTEA REFERENCES blob (sha256),
  json_state BYTEA REFERENCES blob (sha256),
  size BIGINT,
  sha256 BYTEA,
  format_version BIGINT,
  terraform_version TEXT COLLATE "C",
  modules TEXT COLLATE "C",
  providers TEXT COLLATE "C",
  resources TEXT COLLATE "C",
  unreadable TEXT COLLATE "C",
  finalized_at BIGINT,
  forced BOOLEAN NOT NULL,
  creator TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  run TEXT COLLATE "C",
  rollback_of TEXT COLLATE "C",
  upgraded_from TEXT COLLATE "C",
  UNIQUE (workspace, seq),
  CHECK ((status = 'finalized') = (sha256 IS NOT NULL)),
  -- A finalized version has its bytes unless somebody destroyed them.
  CHECK (status <> 'finalized' OR backing = 'permanently-deleted' OR state IS NOT NULL)
);
ALTER TABLE workspace
  ADD FOREIGN KEY (head) REFERENCES state_version (id) DEFERRABLE,
  ADD FOREIGN KEY (pending) REFERENCES state_version (id) DEFERRABLE;
CREATE UNIQUE INDEX state_version_pending ON state_version (workspace) WHERE status = 'pending';
CREATE INDEX state_version_created ON state_version (created_at);
CREATE INDEX state_version_run ON state_version USING hash (run) WHERE run IS NOT NULL;
CREATE INDEX state_version_state ON state_version (state) WHERE state IS NOT NULL;
CREATE INDEX state_version_json ON state_version (json_state) WHERE json_state IS NOT NULL;

CREATE TABLE output (
  id TEXT COLLATE "C" PRIMARY KEY,
  version TEXT COLLATE "C" NOT NULL REFERENCES state_version (id) ON DELETE CASCADE,
  name TEXT COLLATE "C" NOT NULL,
  sensitive BOOLEAN NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  detailed_type TEXT COLLATE "C" NOT NULL,
  value TEXT COLLATE "C" NOT NULL
);
CREATE INDEX output_version ON output (version);

-- Bytes that came too late to become a version.
CREATE TABLE quarantine (
  id TEXT COLLATE "C" PRIMARY KEY,
  workspace TEXT COLLATE "C" NOT NULL REFERENCES workspace (id) ON DELETE CASCADE,
  version TEXT COLLATE "C" NOT NULL,
  at BIGINT NOT NULL,
  reason TEXT COLLATE "C" NOT NULL,
  size BIGINT NOT NULL,
  state BYTEA NOT NULL REFERENCES blob (sha256),
  UNIQUE (version, state)
);
CREATE INDEX quarantine_workspace ON quarantine (workspace, at);
CREATE INDEX quarantine_state ON quarantine (state);

CREATE TABLE audit (
  seq BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  at BIGINT NOT NULL,
  who TEXT COLLATE "C" NOT NULL,
  action TEXT COLLATE "C" NOT NULL,
  organization TEXT COLLATE "C",
  workspace TEXT COLLATE "C",
  subject TEXT COLLATE "C" NOT NULL,
  detail TEXT COLLATE "C" NOT NULL
);
CREATE INDEX audit_workspace ON audit (workspace, seq) WHERE workspace IS NOT NULL;
CREATE INDEX audit_organization ON audit (organization, seq) WHERE organization IS NOT NULL;
