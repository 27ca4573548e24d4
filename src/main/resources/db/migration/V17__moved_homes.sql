-- The moves of homes into this database. A move counts exactly if its row has the state 'moved', which is written in the transaction
-- that copies the home. A move that was given up before that has the state 'undone', and can never be completed.
{{fleet}} CREATE TABLE moved_homes (
  move_id VARCHAR(64) PRIMARY KEY,
  state VARCHAR(16) NOT NULL CHECK (state IN ('moved', 'undone')),
  host_id TEXT NOT NULL,
  home TEXT NOT NULL,
  at BIGINT NOT NULL,
  -- The numbers and digests of what was copied, as JSON.
  document TEXT NOT NULL
);
