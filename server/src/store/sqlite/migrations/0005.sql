-- Upkeep looks for locks that ended by themselves.
CREATE INDEX workspace_locked ON workspace (id) WHERE lock IS NOT NULL;
