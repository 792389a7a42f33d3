-- Which jobs of which CI systems get tokens, for which part of an organization; and whose tokens these are.
CREATE TABLE trust (
  id TEXT PRIMARY KEY,
  organization TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  issuer TEXT NOT NULL,
  audience TEXT NOT NULL,
  claims TEXT NOT NULL,
  project TEXT REFERENCES project (id) ON DELETE CASCADE,
  workspace TEXT REFERENCES workspace (id) ON DELETE CASCADE,
  permissions TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (organization, name),
  CHECK ((project IS NULL) <> (workspace IS NULL))
) STRICT;
ALTER TABLE token ADD COLUMN trust TEXT REFERENCES trust (id) ON DELETE CASCADE;
CREATE INDEX token_trust ON token (trust) WHERE trust IS NOT NULL;
