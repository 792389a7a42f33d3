-- The token by which a job was begun, or resumed last, so that the job ends with it. An earlier release writes none.
ALTER TABLE job ADD COLUMN token TEXT;
