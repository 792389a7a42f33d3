-- Retention asks which upgrades and downgrades a version is the source of.
CREATE INDEX state_version_upgraded ON state_version (upgraded_from) WHERE upgraded_from IS NOT NULL;
