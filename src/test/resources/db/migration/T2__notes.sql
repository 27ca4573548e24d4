-- A later version, for tests; a semicolon ends a statement.
CREATE TABLE notes (id {{counter}}, text TEXT NOT NULL);
INSERT INTO notes (text) VALUES ('from the script');
