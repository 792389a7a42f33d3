-- Projects, and what teams may do in a part of an organization.
CREATE TABLE project (
  id TEXT PRIMARY KEY,
  organization TEXT NOT NULL REFERENCES organization (id),
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (organization, name)
) STRICT;
ALTER TABLE workspace ADD COLUMN project TEXT REFERENCES project (id);
CREATE INDEX workspace_project ON workspace (project);
CREATE TABLE team_access (
  id TEXT PRIMARY KEY,
  team TEXT NOT NULL REFERENCES team (id) ON DELETE CASCADE,
  project TEXT REFERENCES project (id) ON DELETE CASCADE,
  workspace TEXT REFERENCES workspace (id) ON DELETE CASCADE,
  permissions TEXT NOT NULL,
  CHECK ((project IS NULL) <> (workspace IS NULL))
) STRICT;
CREATE UNIQUE INDEX team_access_project ON team_access (project, team) WHERE project IS NOT NULL;
CREATE UNIQUE INDEX team_access_workspace ON team_access (workspace, team) WHERE workspace IS NOT NULL;
CREATE INDEX team_access_team ON team_access (team);
