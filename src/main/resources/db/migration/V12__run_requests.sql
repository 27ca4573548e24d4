-- Requests of other processes to the executors of unfinished runs: to cancel a run, or to count progress of it. At most one of each
-- kind for a run; deleted at the end of the run. The executor is the one at the time of the request, the actor is JSON.
CREATE TABLE run_requests (
  request_id VARCHAR(128) NOT NULL,
  kind VARCHAR(16) NOT NULL,
  executor TEXT NOT NULL,
  actor TEXT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (request_id, kind)
);
