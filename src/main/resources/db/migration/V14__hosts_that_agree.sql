-- The receivers that a message is addressed to; null for all receivers of its mailbox.
ALTER TABLE mailbox_messages ADD COLUMN audience VARCHAR(64);
-- The labels of a host, as a JSON array, and its intents by name, as a JSON object; null if it publishes none.
{{fleet}} ALTER TABLE executors ADD COLUMN labels TEXT;
{{fleet}} ALTER TABLE executors ADD COLUMN intents TEXT;
