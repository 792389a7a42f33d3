-- The number of the last line of the audit log that a receiver has, and the process that delivers to it until then.
CREATE TABLE delivery (
  target TEXT PRIMARY KEY,
  seq INTEGER NOT NULL,
  holder TEXT,
  until INTEGER
) STRICT;
