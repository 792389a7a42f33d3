-- The job that made a version.
ALTER TABLE state_version ADD COLUMN job TEXT COLLATE "C";
-- When a server last worked on a job.
ALTER TABLE job ADD COLUMN worked_on_at BIGINT;
