-- Whom a provider of sign-ins knows as which subject: a name that it gives to somebody else later opens nothing of theirs.
CREATE TABLE subject (
  "user" TEXT COLLATE "C" PRIMARY KEY REFERENCES "user" (id) ON DELETE CASCADE,
  issuer TEXT COLLATE "C" NOT NULL,
  subject TEXT COLLATE "C" NOT NULL,
  UNIQUE (issuer, subject)
);
-- Sessions of browsers are kept with the tokens, and open the page alone.
ALTER TABLE token ADD COLUMN session TEXT COLLATE "C";
