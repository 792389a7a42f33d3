-- The number of the last line of the audit log that a receiver has, and the process that delivers to it until then.
CREATE TABLE delivery (
  target TEXT COLLATE "C" PRIMARY KEY,
  seq BIGINT NOT NULL,
  holder TEXT COLLATE "C",
  until BIGINT
);
