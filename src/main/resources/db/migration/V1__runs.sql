-- One row a run. What is asked for stands in columns, everything else in the document, as JSON.
-- Texts in columns are escaped as in JSON, so that every string is text for every database.
CREATE TABLE runs (
  sequence {{counter}},
  request_id VARCHAR(128) NOT NULL UNIQUE,
  actor TEXT NOT NULL,
  idempotency_key TEXT,
  digest TEXT NOT NULL,
  executor TEXT NOT NULL,
  intent TEXT NOT NULL,
  status VARCHAR(16) NOT NULL,
  refused SMALLINT NOT NULL,
  created_at BIGINT NOT NULL,
  finished_at BIGINT,
  document TEXT NOT NULL,
  UNIQUE (actor, idempotency_key)
);
CREATE INDEX runs_newest ON runs (created_at, sequence);
CREATE INDEX runs_of_intent ON runs (intent, created_at, sequence);
CREATE INDEX runs_unfinished ON runs (created_at, sequence) WHERE finished_at IS NULL;
