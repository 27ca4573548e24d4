-- A check is read from its text and made ready anew by each statement that writes a row: of all that the server did for an
-- acquire and a release that was a fifth. That no value is missing costs nothing to look at. A row that was only locked has a
-- freeze of nothing now, one that was only frozen a tenure of nothing; both requests are null as before, and they decide.
-- Taken first, so that no heartbeat of a program that knows no such table waits for a row and keeps this one waiting.
{{fleet}} LOCK TABLE locks IN ACCESS EXCLUSIVE MODE;
{{fleet}} UPDATE locks SET
  actor = COALESCE(actor, ''),
  intent = COALESCE(intent, ''),
  intent_version = COALESCE(intent_version, ''),
  host_id = COALESCE(host_id, ''),
  pid = COALESCE(pid, 0),
  created_at = COALESCE(created_at, 0),
  last_heartbeat_at = COALESCE(last_heartbeat_at, 0),
  ttl_seconds = COALESCE(ttl_seconds, 0),
  metadata = COALESCE(metadata, '{}'),
  freeze_actor = COALESCE(freeze_actor, ''),
  freeze_reason = COALESCE(freeze_reason, ''),
  freeze_created_at = COALESCE(freeze_created_at, 0),
  freeze_ttl_seconds = COALESCE(freeze_ttl_seconds, 0);
{{fleet}} ALTER TABLE locks
  DROP CONSTRAINT IF EXISTS locks_check,
  DROP CONSTRAINT IF EXISTS locks_check1,
  ALTER COLUMN actor SET DEFAULT '', ALTER COLUMN actor SET NOT NULL,
  ALTER COLUMN intent SET DEFAULT '', ALTER COLUMN intent SET NOT NULL,
  ALTER COLUMN intent_version SET DEFAULT '', ALTER COLUMN intent_version SET NOT NULL,
  ALTER COLUMN host_id SET DEFAULT '', ALTER COLUMN host_id SET NOT NULL,
  ALTER COLUMN pid SET DEFAULT 0, ALTER COLUMN pid SET NOT NULL,
  ALTER COLUMN created_at SET DEFAULT 0, ALTER COLUMN created_at SET NOT NULL,
  ALTER COLUMN last_heartbeat_at SET DEFAULT 0, ALTER COLUMN last_heartbeat_at SET NOT NULL,
  ALTER COLUMN ttl_seconds SET DEFAULT 0, ALTER COLUMN ttl_seconds SET NOT NULL,
  ALTER COLUMN metadata SET DEFAULT '{}', ALTER COLUMN metadata SET NOT NULL,
  ALTER COLUMN freeze_actor SET DEFAULT '', ALTER COLUMN freeze_actor SET NOT NULL,
  ALTER COLUMN freeze_reason SET DEFAULT '', ALTER COLUMN freeze_reason SET NOT NULL,
  ALTER COLUMN freeze_created_at SET DEFAULT 0, ALTER COLUMN freeze_created_at SET NOT NULL,
  ALTER COLUMN freeze_ttl_seconds SET DEFAULT 0, ALTER COLUMN freeze_ttl_seconds SET NOT NULL;
-- Each row is written again and again; with room for its next version on its page no index has to hear of that.
{{fleet}} ALTER TABLE locks SET (fillfactor = 50);
