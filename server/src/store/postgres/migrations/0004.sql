-- The release that a version was taken back to from `upgraded_from`; null: it was upgraded, if that says from what.
ALTER TABLE state_version ADD COLUMN downgraded_to TEXT COLLATE "C";
-- Of a job that takes workspaces back: to which release, as JSON.
ALTER TABLE job ADD COLUMN back TEXT COLLATE "C";
