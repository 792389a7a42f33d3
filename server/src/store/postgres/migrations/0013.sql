-- Which jobs of which CI systems get tokens, for which part of an organization; and whose tokens these are.
CREATE TABLE trust (
  id TEXT COLLATE "C" PRIMARY KEY,
  organization TEXT COLLATE "C" NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  name TEXT COLLATE "C" NOT NULL,
  issuer TEXT COLLATE "C" NOT NULL,
  audience TEXT COLLATE "C" NOT NULL,
  claims TEXT COLLATE "C" NOT NULL,
  project TEXT COLLATE "C" REFERENCES project (id) ON DELETE CASCADE,
  workspace TEXT COLLATE "C" REFERENCES workspace (id) ON DELETE CASCADE,
  permissions TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  UNIQUE (organization, name),
  CHECK ((project IS NULL) <> (workspace IS NULL))
);
ALTER TABLE token ADD COLUMN trust TEXT COLLATE "C" REFERENCES trust (id) ON DELETE CASCADE;
CREATE INDEX token_trust ON token (trust) WHERE trust IS NOT NULL;
