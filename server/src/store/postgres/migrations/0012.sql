-- Jobs that only plan, and keep the plan of each workspace; and jobs that take what such a plan showed.
ALTER TABLE job ADD COLUMN kind TEXT;
ALTER TABLE job ADD COLUMN applies TEXT;
ALTER TABLE job_item ADD COLUMN planned TEXT;
ALTER TABLE job_item ADD COLUMN expected TEXT;
