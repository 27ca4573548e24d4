-- Messages, their leases, and the dead letters. Times are milliseconds of the database's own clock. A lease or a delay ends at
-- "due" on a clock that is named in "clock": the clock since one boot, or, where that is empty, the database's; whoever
-- cannot read that clock goes by visible_at.
CREATE TABLE mailbox_messages (
  sequence {{counter}},
  id VARCHAR(128) NOT NULL UNIQUE,
  mailbox VARCHAR(128) NOT NULL,
  state VARCHAR(16) NOT NULL CHECK (state IN ('ready', 'leased', 'delayed', 'dead')),
  body TEXT NOT NULL,
  reply_to VARCHAR(128),
  in_reply_to VARCHAR(128),
  enqueued_at BIGINT NOT NULL,
  visible_at BIGINT NOT NULL,
  clock VARCHAR(64) NOT NULL DEFAULT '',
  due BIGINT NOT NULL DEFAULT 0,
  due_at_most BIGINT NOT NULL DEFAULT 0,
  receipt VARCHAR(128),
  delivery_count BIGINT NOT NULL DEFAULT 0,
  first_received_at BIGINT,
  leased_at BIGINT,
  last_error TEXT,
  cause VARCHAR(32),
  dead_at BIGINT
);
-- What is to be had, in the order in which it was sent: a million messages are as near as one.
CREATE INDEX mailbox_ready ON mailbox_messages (mailbox, sequence) WHERE state = 'ready';
-- What will be to be had by itself, the next one first.
CREATE INDEX mailbox_hidden ON mailbox_messages (mailbox, clock, due) WHERE state IN ('leased', 'delayed');
CREATE INDEX mailbox_dead ON mailbox_messages (mailbox, dead_at, sequence) WHERE state = 'dead';
