-- The actor and the intent of a waiting request, and when it joined the queue, in seconds of the server's clock. All are null for
-- the waiters of an earlier version.
{{fleet}} ALTER TABLE lock_waiters ADD COLUMN actor TEXT, ADD COLUMN intent TEXT, ADD COLUMN since BIGINT;
{{fleet}} ALTER TABLE lock_waiters ALTER COLUMN since SET DEFAULT CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp())) AS BIGINT);
