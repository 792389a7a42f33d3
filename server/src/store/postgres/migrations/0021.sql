-- The names that workspaces had before. A client that still has one would take it for a workspace without a state.
CREATE TABLE former_name (
  organization TEXT COLLATE "C" NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  name TEXT COLLATE "C" NOT NULL,
  workspace TEXT COLLATE "C" NOT NULL REFERENCES workspace (id) ON DELETE CASCADE,
  PRIMARY KEY (organization, name)
);
CREATE INDEX former_name_workspace ON former_name (workspace);
CREATE INDEX workspace_deleted ON workspace (organization, name) WHERE deleted_at IS NOT NULL;
