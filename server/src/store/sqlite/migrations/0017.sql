-- The version that was current when a workspace of a job was looked at, and when that was.
ALTER TABLE job_item ADD COLUMN tried TEXT;
ALTER TABLE job_item ADD COLUMN finished_at INTEGER;
CREATE INDEX job_item_tried ON job_item (tried) WHERE tried IS NOT NULL;
