-- The name of the token that made a claim or a request; null if none did, as on the files of a home.
ALTER TABLE tasks ADD COLUMN claimed_with TEXT;
ALTER TABLE task_requests ADD COLUMN token TEXT;
