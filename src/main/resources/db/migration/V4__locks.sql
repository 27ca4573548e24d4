-- Locks and freezes of a fleet, and who waits for them. Without a fleet they are files.
-- Times are seconds of the server's clock, as in a lock file.
-- One row for each name that was ever locked or frozen. It is never deleted, so its token grows for ever.
{{fleet}} CREATE TABLE locks (
  name VARCHAR(128) PRIMARY KEY,
  token BIGINT NOT NULL,
  -- Which call wrote this tenure, so that it can take back what it wrote, and nothing else.
  written_by VARCHAR(64),
  lock_version VARCHAR(32) NOT NULL,
  -- Nobody holds it where this is null. What stands in the rest is the last tenure then.
  request_id VARCHAR(128),
  actor TEXT,
  intent TEXT,
  intent_version TEXT,
  host_id TEXT,
  pid BIGINT,
  created_at BIGINT,
  last_heartbeat_at BIGINT,
  ttl_seconds BIGINT,
  -- Without the token, which stands first in what readers see.
  metadata TEXT,
  freeze_request_id VARCHAR(128),
  freeze_actor TEXT,
  freeze_reason TEXT,
  freeze_created_at BIGINT,
  freeze_ttl_seconds BIGINT,
  CHECK (request_id IS NULL OR (actor IS NOT NULL AND intent IS NOT NULL AND intent_version IS NOT NULL
    AND host_id IS NOT NULL AND pid IS NOT NULL AND created_at IS NOT NULL AND last_heartbeat_at IS NOT NULL
    AND ttl_seconds IS NOT NULL AND metadata IS NOT NULL)),
  CHECK (freeze_request_id IS NULL OR (freeze_actor IS NOT NULL AND freeze_reason IS NOT NULL
    AND freeze_created_at IS NOT NULL AND freeze_ttl_seconds IS NOT NULL))
);
-- One row for each who waits for a name, in their order. It counts as long as the connection lives that holds the advisory
-- lock of its session.
{{fleet}} CREATE TABLE lock_waiters (
  sequence {{counter}},
  name VARCHAR(128) NOT NULL,
  session BIGINT NOT NULL,
  request_id VARCHAR(128) NOT NULL
);
{{fleet}} CREATE INDEX lock_waiters_of_name ON lock_waiters (name, sequence);
