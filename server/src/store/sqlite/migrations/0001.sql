-- The tables of an upstate server, version 1. Times are milliseconds since 1970.

CREATE TABLE setting (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT;

CREATE TABLE organization (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE user (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE team (
  id TEXT PRIMARY KEY,
  organization TEXT NOT NULL REFERENCES organization (id),
  name TEXT NOT NULL,
  permissions TEXT NOT NULL,
  UNIQUE (organization, name)
) STRICT;

CREATE TABLE team_member (
  team TEXT NOT NULL REFERENCES team (id) ON DELETE CASCADE,
  user TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  PRIMARY KEY (team, user)
) STRICT, WITHOUT ROWID;

-- A token speaks for a user (within one organization, if there is one, with its own permissions), a team, or an organization.
CREATE TABLE token (
  id TEXT PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  user TEXT REFERENCES user (id) ON DELETE CASCADE,
  team TEXT REFERENCES team (id) ON DELETE CASCADE,
  organization TEXT REFERENCES organization (id) ON DELETE CASCADE,
  permissions TEXT,
  description TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  CHECK ((user IS NULL) + (team IS NULL) = 1 OR (user IS NULL AND team IS NULL AND organization IS NOT NULL)),
  CHECK ((user IS NOT NULL AND organization IS NOT NULL) = (permissions IS NOT NULL))
) STRICT;

CREATE TABLE workspace (
  id TEXT PRIMARY KEY,
  organization TEXT NOT NULL REFERENCES organization (id),
  name TEXT NOT NULL,
  revision INTEGER NOT NULL DEFAULT 0,
  last_seq INTEGER NOT NULL DEFAULT 0,
  head TEXT REFERENCES state_version (id),
  pending TEXT REFERENCES state_version (id),
  max_serial INTEGER,
  lock TEXT,
  unlocked TEXT,
  description TEXT NOT NULL,
  terraform_version TEXT NOT NULL,
  retention_days INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;
CREATE UNIQUE INDEX workspace_name ON workspace (organization, name) WHERE deleted_at IS NULL;

CREATE TABLE tag (
  workspace TEXT NOT NULL REFERENCES workspace (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  value TEXT,
  PRIMARY KEY (workspace, key)
) STRICT, WITHOUT ROWID;

-- Bytes by what they are, compressed. A row goes when nothing refers to it any more.
CREATE TABLE blob (
  sha256 BLOB PRIMARY KEY CHECK (length(sha256) = 32),
  size INTEGER NOT NULL,
  codec TEXT NOT NULL CHECK (codec IN ('zstd')),
  bytes BLOB NOT NULL
) STRICT;

CREATE TABLE state_version (
  id TEXT PRIMARY KEY,
  workspace TEXT NOT NULL REFERENCES workspace (id),
  seq INTEGER NOT NULL,
  serial INTEGER NOT NULL CHECK (serial >= 0),
  lineage TEXT NOT NULL,
  md5 TEXT NOT NULL CHECK (length(md5) = 32),
  status TEXT NOT NULL CHECK (status IN ('pending', 'finalized', 'discarded')),
  backing TEXT NOT NULL CHECK (backing IN ('available', 'soft-deleted', 'permanently-deleted')),
  state BLOB REFERENCES blob (sha256),
  json_state BLOB REFERENCES blob (sha256),
  size INTEGER,
  sha256 BLOB,
  format_version INTEGER,
  terraform_version TEXT,
  modules TEXT,
  providers TEXT,
  resources TEXT,
  unreadable TEXT,
  finalized_at INTEGER,
  forced INTEGER NOT NULL,
  creator TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  run TEXT,
  rollback_of TEXT,
  upgraded_from TEXT,
  UNIQUE (workspace, seq),
  CHECK ((status = 'finalized') = (sha256 IS NOT NULL)),
  -- A finalized version has its bytes unless somebody destroyed them.
  CHECK (status <> 'finalized' OR backing = 'permanently-deleted' OR state IS NOT NULL)
) STRICT;
CREATE UNIQUE INDEX state_version_pending ON state_version (workspace) WHERE status = 'pending';
CREATE INDEX state_version_created ON state_version (created_at);
CREATE INDEX state_version_run ON state_version (run) WHERE run IS NOT NULL;
CREATE INDEX state_version_state ON state_version (state) WHERE state IS NOT NULL;
CREATE INDEX state_version_json ON state_version (json_state) WHERE json_state IS NOT NULL;

CREATE TABLE output (
  id TEXT PRIMARY KEY,
  version TEXT NOT NULL REFERENCES state_version (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  sensitive INTEGER NOT NULL,
  kind TEXT NOT NULL,
  detailed_type TEXT NOT NULL,
  value TEXT NOT NULL,
  UNIQUE (version, name)
) STRICT;

-- Bytes that came too late to become a version.
CREATE TABLE quarantine (
  id TEXT PRIMARY KEY,
  workspace TEXT NOT NULL REFERENCES workspace (id) ON DELETE CASCADE,
  version TEXT NOT NULL,
  at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  size INTEGER NOT NULL,
  state BLOB NOT NULL REFERENCES blob (sha256),
  UNIQUE (version, state)
) STRICT;
CREATE INDEX quarantine_workspace ON quarantine (workspace, at);
CREATE INDEX quarantine_state ON quarantine (state);

CREATE TABLE audit (
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  who TEXT NOT NULL,
  action TEXT NOT NULL,
  organization TEXT,
  workspace TEXT,
  subject TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;
CREATE INDEX audit_workspace ON audit (workspace, seq) WHERE workspace IS NOT NULL;
CREATE INDEX audit_organization ON audit (organization, seq) WHERE organization IS NOT NULL;
