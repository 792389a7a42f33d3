-- The names that workspaces had before. A client that still has one would take it for a workspace without a state.
CREATE TABLE former_name (
  organization TEXT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  workspace TEXT NOT NULL REFERENCES workspace (id) ON DELETE CASCADE,
  PRIMARY KEY (organization, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX former_name_workspace ON former_name (workspace);
CREATE INDEX workspace_deleted ON workspace (organization, name) WHERE deleted_at IS NOT NULL;
