-- An additive script, for tests: a column that the statements before it omit.
ALTER TABLE runs ADD COLUMN note TEXT;
