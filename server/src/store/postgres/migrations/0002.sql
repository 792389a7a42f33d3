-- Retention asks which rollbacks a version is the source of.
CREATE INDEX state_version_rollback ON state_version (rollback_of) WHERE rollback_of IS NOT NULL;
