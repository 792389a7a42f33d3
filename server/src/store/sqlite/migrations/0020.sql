-- The end of a claim that its process holds by going on, so that one which ran out differs from one that was let go; and when
-- another process took the workspace over after that. An earlier release writes neither.
ALTER TABLE job_item ADD COLUMN held_until INTEGER;
ALTER TABLE job_item ADD COLUMN taken_over_at INTEGER;
