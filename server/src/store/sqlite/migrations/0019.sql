-- The workspaces that a plan was asked for, so that the same part can be planned again.
ALTER TABLE job ADD COLUMN selection TEXT;
