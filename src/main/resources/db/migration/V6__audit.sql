-- The audit log of all hosts of a fleet: what stands in each host's own files is copied here. Without a fleet the files are all.
-- A line is known by the log that it stands in, its page, its place there, and its bytes; so it is here once, whoever brings it.
{{fleet}} CREATE TABLE audit_events (
  -- In the order in which events became visible here.
  sequence {{counter}},
  log_id VARCHAR(64) NOT NULL,
  page VARCHAR(64) NOT NULL,
  at_byte BIGINT NOT NULL,
  digest BYTEA NOT NULL,
  host_id TEXT NOT NULL,
  -- Milliseconds of the clock of the host where it happened.
  at BIGINT NOT NULL,
  event TEXT NOT NULL,
  lock_name TEXT,
  request_id TEXT,
  line TEXT NOT NULL,
  UNIQUE (log_id, page, at_byte, digest)
);
{{fleet}} CREATE INDEX audit_events_by_time ON audit_events (at, sequence);
{{fleet}} CREATE INDEX audit_events_of_lock ON audit_events (lock_name, at, sequence) WHERE lock_name IS NOT NULL;
{{fleet}} CREATE INDEX audit_events_of_request ON audit_events (request_id, at, sequence) WHERE request_id IS NOT NULL;
{{fleet}} CREATE INDEX audit_events_of_kind ON audit_events (event, at, sequence);
-- Up to where each page of each log has been copied, and what stood before that place.
{{fleet}} CREATE TABLE audit_shipped (
  log_id VARCHAR(64) NOT NULL,
  page VARCHAR(64) NOT NULL,
  at_byte BIGINT NOT NULL,
  mark VARCHAR(32) NOT NULL,
  PRIMARY KEY (log_id, page)
);
