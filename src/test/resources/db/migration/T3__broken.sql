INSERT INTO notes (text) VALUES ('before the fault');
CREATE TABLE notes (id BIGINT);
