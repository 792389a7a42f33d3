-- Which workspaces may read the state of another one, and tokens that speak for a workspace.
ALTER TABLE workspace ADD COLUMN sharing TEXT CHECK (sharing IN ('all'));
CREATE TABLE consumer (
  workspace TEXT NOT NULL REFERENCES workspace (id) ON DELETE CASCADE,
  consumer TEXT NOT NULL REFERENCES workspace (id) ON DELETE CASCADE,
  PRIMARY KEY (workspace, consumer)
) STRICT, WITHOUT ROWID;
CREATE INDEX consumer_consumer ON consumer (consumer);
ALTER TABLE token ADD COLUMN workspace TEXT REFERENCES workspace (id) ON DELETE CASCADE;
CREATE INDEX token_workspace ON token (workspace) WHERE workspace IS NOT NULL;
