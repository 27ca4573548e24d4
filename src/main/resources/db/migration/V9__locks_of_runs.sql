-- The lock that a run takes, to search by; null for a run without one, and for a run of an earlier version.
ALTER TABLE runs ADD COLUMN lock_name TEXT;
CREATE INDEX runs_of_lock ON runs (lock_name, created_at, sequence);
CREATE INDEX runs_of_actor ON runs (actor, created_at, sequence);
