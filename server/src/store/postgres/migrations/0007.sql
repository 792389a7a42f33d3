-- Projects, and what teams may do in a part of an organization.
CREATE TABLE project (
  id TEXT COLLATE "C" PRIMARY KEY,
  organization TEXT COLLATE "C" NOT NULL REFERENCES organization (id),
  name TEXT COLLATE "C" NOT NULL,
  description TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  UNIQUE (organization, name)
);
ALTER TABLE workspace ADD COLUMN project TEXT COLLATE "C" REFERENCES project (id);
CREATE INDEX workspace_project ON workspace (project);
CREATE TABLE team_access (
  id TEXT COLLATE "C" PRIMARY KEY,
  team TEXT COLLATE "C" NOT NULL REFERENCES team (id) ON DELETE CASCADE,
  project TEXT COLLATE "C" REFERENCES project (id) ON DELETE CASCADE,
  workspace TEXT COLLATE "C" REFERENCES workspace (id) ON DELETE CASCADE,
  permissions TEXT COLLATE "C" NOT NULL,
  CHECK ((project IS NULL) <> (workspace IS NULL))
);
CREATE UNIQUE INDEX team_access_project ON team_access (project, team) WHERE project IS NOT NULL;
CREATE UNIQUE INDEX team_access_workspace ON team_access (workspace, team) WHERE workspace IS NOT NULL;
CREATE INDEX team_access_team ON team_access (team);
