-- The sums of a plan that has ended, so that no view of it reads each of its items.
ALTER TABLE job ADD COLUMN sums TEXT;
