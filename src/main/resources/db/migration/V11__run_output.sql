-- What steps have printed, as in the log of the host that executes them: parts by the position of their first byte. Parts
-- may overlap. They are removed with their run, by whichever version removes it.
{{fleet}} CREATE TABLE run_output (
  request_id VARCHAR(128) NOT NULL REFERENCES runs (request_id) ON DELETE CASCADE,
  step_log TEXT NOT NULL,
  start_at BIGINT NOT NULL,
  bytes BYTEA NOT NULL,
  PRIMARY KEY (request_id, step_log, start_at)
);
