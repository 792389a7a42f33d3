-- Whom a provider of sign-ins knows as which subject: a name that it gives to somebody else later opens nothing of theirs.
CREATE TABLE subject (
  "user" TEXT PRIMARY KEY REFERENCES "user" (id) ON DELETE CASCADE,
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  UNIQUE (issuer, subject)
) STRICT;
-- Sessions of browsers are kept with the tokens, and open the page alone.
ALTER TABLE token ADD COLUMN session TEXT;
