-- The number of failures above which a job stops that stops at failures; null: none is let pass.
ALTER TABLE job ADD COLUMN max_failures INTEGER;
