-- The tokens of a fleet's callers, each as its SHA-256 only. Place 0 is the current token of a name; higher ones are previous tokens
-- that may still be valid, the newest first. The name 'operator' is the operator's own, whose token is in a file of host_id; of others
-- it is the host where they were created. Times are milliseconds since 1970. Changes are serialized by the one row of token_changes;
-- its version is the number of the last one.
{{fleet}} CREATE TABLE tokens (digest TEXT PRIMARY KEY, name TEXT NOT NULL, place INT NOT NULL, role TEXT NOT NULL,
  intents TEXT NOT NULL, locks TEXT NOT NULL, created_at BIGINT, expires_at BIGINT, host_id TEXT NOT NULL, UNIQUE (name, place));
{{fleet}} CREATE TABLE token_changes (is_only BOOLEAN PRIMARY KEY CHECK (is_only), version BIGINT NOT NULL);
{{fleet}} INSERT INTO token_changes (is_only, version) VALUES (TRUE, 0);
