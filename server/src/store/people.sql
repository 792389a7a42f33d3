-- Every organization has its first project, and every workspace is in one.
INSERT INTO project (id, organization, name, description, created_at)
  SELECT 'prj-' || substr(id, 5), id, 'Default Project', '', created_at FROM organization WHERE true ON CONFLICT DO NOTHING;
UPDATE workspace SET project = 'prj-' || substr(organization, 5) WHERE project IS NULL;
-- Tokens of users that had permissions of their own: the user gets a team with these, and the token keeps as much of it.
-- Nobody can name a team so, because parentheses are not allowed.
INSERT INTO team (id, organization, name, permissions)
  SELECT 'team-' || substr(u.id, 6) || substr(o.id, 5), o.id, u.name || ' (own)',
    (SELECT string_agg(t.permissions, ',') FROM token t
      WHERE t."user" = u.id AND t.organization = o.id AND t.permissions NOT LIKE 'teams:%')
  FROM "user" u, organization o
  WHERE EXISTS (SELECT 1 FROM token t WHERE t."user" = u.id AND t.organization = o.id AND t.permissions NOT LIKE 'teams:%')
  ON CONFLICT DO NOTHING;
INSERT INTO team_member (team, "user")
  SELECT 'team-' || substr(u.id, 6) || substr(o.id, 5), u.id
  FROM "user" u, organization o
  WHERE EXISTS (SELECT 1 FROM token t WHERE t."user" = u.id AND t.organization = o.id AND t.permissions NOT LIKE 'teams:%')
  ON CONFLICT DO NOTHING;
UPDATE token SET permissions = 'teams:' || permissions WHERE "user" IS NOT NULL AND permissions NOT LIKE 'teams:%';
