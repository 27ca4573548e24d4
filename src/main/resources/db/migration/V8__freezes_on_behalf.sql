-- For whom the actor of a freeze says to have done it.
{{fleet}} ALTER TABLE locks ADD COLUMN freeze_on_behalf_of TEXT;
