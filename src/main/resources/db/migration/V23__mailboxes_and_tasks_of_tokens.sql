-- The mailboxes that a token may use, and the projects whose tasks it may work on, as JSON lists of patterns; an empty list is no limit.
{{fleet}} ALTER TABLE tokens ADD COLUMN mailboxes TEXT NOT NULL DEFAULT '[]';
{{fleet}} ALTER TABLE tokens ADD COLUMN tasks TEXT NOT NULL DEFAULT '[]';
