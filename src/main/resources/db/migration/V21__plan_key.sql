-- The key of the fleet, under which plans show secrets as digests. There is one row.
{{fleet}} CREATE TABLE plan_keys (is_only BOOLEAN PRIMARY KEY CHECK (is_only), key_text TEXT NOT NULL);
