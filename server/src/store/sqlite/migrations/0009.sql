-- The job that a job undoes.
ALTER TABLE job ADD COLUMN undoes TEXT;
