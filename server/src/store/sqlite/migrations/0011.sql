-- What is encrypted, by envelope: the data keys, wrapped by a key that is not here; and of each row the data key that encrypts it, null where it is
-- plain. A seal says that bytes belong to the version or the late upload.
CREATE TABLE data_key (
  id TEXT PRIMARY KEY,
  wrapped_by TEXT NOT NULL,
  wrapped BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
ALTER TABLE blob ADD COLUMN data_key TEXT REFERENCES data_key (id);
ALTER TABLE output ADD COLUMN data_key TEXT REFERENCES data_key (id);
ALTER TABLE setting ADD COLUMN data_key TEXT REFERENCES data_key (id);
ALTER TABLE state_version ADD COLUMN state_seal TEXT;
ALTER TABLE state_version ADD COLUMN json_state_seal TEXT;
ALTER TABLE quarantine ADD COLUMN seal TEXT;
