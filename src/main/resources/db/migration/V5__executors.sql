-- The processes of a fleet that execute runs. Times are milliseconds of the server's clock.
{{fleet}} CREATE TABLE executors (
  id VARCHAR(64) PRIMARY KEY,
  host_id TEXT NOT NULL,
  machine TEXT NOT NULL,
  home TEXT NOT NULL,
  pid BIGINT NOT NULL,
  kind VARCHAR(16) NOT NULL,
  version TEXT NOT NULL,
  entered_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  alive_until BIGINT NOT NULL
);
{{fleet}} CREATE INDEX executors_of_host ON executors (host_id);
