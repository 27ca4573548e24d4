-- All messages of a mailbox, whatever their state, in the order in which they were sent: its contents are bounded.
CREATE INDEX mailbox_contents ON mailbox_messages (mailbox, sequence);
