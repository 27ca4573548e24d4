-- The process whose waiter a row is, as in "executors"; null for the waiters of an earlier version.
{{fleet}} ALTER TABLE lock_waiters ADD COLUMN executor VARCHAR(64);
