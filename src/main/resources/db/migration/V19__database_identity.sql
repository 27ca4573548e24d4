-- The identity of this database, by which a home knows the store of its locks. It has one row, which never changes.
{{fleet}} CREATE TABLE database_identity (
  id VARCHAR(64) PRIMARY KEY
);

{{fleet}} INSERT INTO database_identity (id) VALUES (gen_random_uuid()::text);
