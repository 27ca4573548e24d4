-- All tables of a database. Statements with {{fleet}} apply only to a database that many hosts share, which is PostgreSQL.

-- Runs: one row for each. What is searched for stands in columns, everything else in the document, as JSON. Texts in columns
-- are escaped as in JSON, so that every string is text for every database.
CREATE TABLE runs (
  sequence {{counter}},
  request_id VARCHAR(128) NOT NULL UNIQUE,
  actor TEXT NOT NULL,
  idempotency_key TEXT,
  digest TEXT NOT NULL,
  executor TEXT NOT NULL,
  intent TEXT NOT NULL,
  status VARCHAR(20) NOT NULL,
  refused SMALLINT NOT NULL,
  created_at BIGINT NOT NULL,
  finished_at BIGINT,
  document TEXT NOT NULL,
  -- Null for a run without a lock.
  lock_name TEXT,
  -- The state of its approval; null for a run that needs none.
  approval VARCHAR(16),
  -- Until when it may be approved; null for a run that does not wait for that.
  open_until BIGINT,
  UNIQUE (actor, idempotency_key)
);
CREATE INDEX runs_approved ON runs (approval, created_at, sequence) WHERE approval IS NOT NULL;
CREATE INDEX runs_awaiting ON runs (open_until) WHERE open_until IS NOT NULL;
CREATE INDEX runs_newest ON runs (created_at, sequence);
CREATE INDEX runs_of_intent ON runs (intent, created_at, sequence);
CREATE INDEX runs_unfinished ON runs (created_at, sequence) WHERE finished_at IS NULL;
CREATE INDEX runs_of_lock ON runs (lock_name, created_at, sequence);
CREATE INDEX runs_of_actor ON runs (actor, created_at, sequence);

-- Approvals of plans for later runs.
CREATE TABLE standing_approvals (
  request_id VARCHAR(128) NOT NULL,
  principal TEXT NOT NULL,
  token TEXT NOT NULL,
  plan_hash VARCHAR(80) NOT NULL,
  until BIGINT NOT NULL,
  remaining INT NOT NULL,
  seal VARCHAR(80) NOT NULL,
  PRIMARY KEY (request_id, principal)
);
CREATE INDEX standing_approvals_of_plan ON standing_approvals (plan_hash);

-- Refused requests of actors, until they no longer count for the rule of the policy that halts who is refused too often.
CREATE TABLE refusals (
  rule VARCHAR(64) NOT NULL,
  actor TEXT NOT NULL,
  until BIGINT NOT NULL
);
CREATE INDEX refusals_of_actor ON refusals (rule, actor);
CREATE INDEX refusals_over ON refusals (until);

-- What steps have printed, as in the log of the host that executes them: parts by the position of their first byte. Parts
-- may overlap. They are removed with their run.
{{fleet}} CREATE TABLE run_output (
  request_id VARCHAR(128) NOT NULL REFERENCES runs (request_id) ON DELETE CASCADE,
  step_log TEXT NOT NULL,
  start_at BIGINT NOT NULL,
  bytes BYTEA NOT NULL,
  PRIMARY KEY (request_id, step_log, start_at)
);

-- Requests of other processes to the executors of unfinished runs: to cancel a run, or to count progress of it. At most one of
-- each kind for a run; deleted at the end of the run. The executor is the one at the time of the request, the actor is JSON.
CREATE TABLE run_requests (
  request_id VARCHAR(128) NOT NULL,
  kind VARCHAR(16) NOT NULL,
  executor TEXT NOT NULL,
  actor TEXT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (request_id, kind)
);

-- Tasks, who has claimed them, and all that ever happened to them. Times are milliseconds of the database's own clock.
CREATE TABLE tasks (
  sequence {{counter}},
  id VARCHAR(128) NOT NULL UNIQUE,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  priority INTEGER NOT NULL,
  depends_on TEXT NOT NULL,
  project VARCHAR(128),
  assignee VARCHAR(128),
  intent TEXT,
  params TEXT,
  open_dependencies INTEGER NOT NULL,
  status VARCHAR(16) NOT NULL CHECK (status IN ('pending', 'in_progress', 'completed', 'blocked')),
  blocked_reason TEXT,
  claimed_by VARCHAR(128),
  claimed_at BIGINT,
  claim_expires_at BIGINT,
  last_heartbeat_at BIGINT,
  boot_id VARCHAR(64),
  boot_beat BIGINT,
  boot_until BIGINT,
  is_repeated SMALLINT NOT NULL DEFAULT 0,
  attempt INTEGER NOT NULL DEFAULT 0,
  version BIGINT NOT NULL DEFAULT 1,
  created_by VARCHAR(128) NOT NULL,
  created_at BIGINT NOT NULL,
  -- The name of the token that made the claim; null if none did, as on the files of a home.
  claimed_with TEXT,
  CHECK ((status = 'in_progress') = (claimed_by IS NOT NULL))
);
-- What may be claimed, in the order in which it is offered. Claims and heartbeats change none of these indexes, and there is
-- none over all tasks in this order, which a planner might take for it.
CREATE INDEX tasks_queue ON tasks (priority DESC, sequence)
  WHERE status IN ('pending', 'in_progress') AND open_dependencies = 0;
CREATE INDEX tasks_queue_of_project ON tasks (project, priority DESC, sequence)
  WHERE project IS NOT NULL AND status IN ('pending', 'in_progress') AND open_dependencies = 0;
CREATE INDEX tasks_queue_of_assignee ON tasks (assignee, priority DESC, sequence)
  WHERE assignee IS NOT NULL AND status IN ('pending', 'in_progress') AND open_dependencies = 0;
CREATE INDEX tasks_queue_of_intents ON tasks (priority DESC, sequence)
  WHERE intent IS NOT NULL AND status IN ('pending', 'in_progress') AND open_dependencies = 0;
CREATE INDEX tasks_claimed ON tasks (claimed_by) WHERE claimed_by IS NOT NULL;

CREATE TABLE task_dependencies (
  depends_on VARCHAR(128) NOT NULL,
  task_id VARCHAR(128) NOT NULL,
  PRIMARY KEY (depends_on, task_id)
);

-- Only ever appended to.
CREATE TABLE task_events (
  id {{counter}},
  task_id VARCHAR(128) NOT NULL,
  kind VARCHAR(32) NOT NULL,
  agent VARCHAR(128) NOT NULL,
  request_id VARCHAR(128) NOT NULL,
  owner VARCHAR(128),
  attempt BIGINT NOT NULL,
  at BIGINT NOT NULL,
  detail TEXT NOT NULL
);
CREATE INDEX task_events_of_task ON task_events (task_id, id);

-- What an agent has asked for and got; the events of it are within first_event and last_event.
CREATE TABLE task_requests (
  agent VARCHAR(128) NOT NULL,
  request_id VARCHAR(128) NOT NULL,
  command VARCHAR(16) NOT NULL,
  arguments TEXT NOT NULL,
  task_id VARCHAR(128),
  attempt BIGINT NOT NULL,
  first_event BIGINT,
  last_event BIGINT,
  -- The name of the token that made the request; null if none did.
  token TEXT,
  PRIMARY KEY (agent, request_id)
);

-- What each agent is at or was at last.
CREATE TABLE task_agents (
  agent VARCHAR(128) PRIMARY KEY,
  focus VARCHAR(128) NOT NULL
);

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
  -- The actor of the last delivery; null if that was to a process of the home itself.
  receiver TEXT,
  delivery_count BIGINT NOT NULL DEFAULT 0,
  first_received_at BIGINT,
  leased_at BIGINT,
  last_error TEXT,
  cause VARCHAR(32),
  dead_at BIGINT,
  -- The receivers that a message is addressed to; null for all receivers of its mailbox.
  audience VARCHAR(64)
);
-- What is to be had, in the order in which it was sent: a million messages are as near as one.
CREATE INDEX mailbox_ready ON mailbox_messages (mailbox, sequence) WHERE state = 'ready';
-- What will be to be had by itself, the next one first.
CREATE INDEX mailbox_hidden ON mailbox_messages (mailbox, clock, due) WHERE state IN ('leased', 'delayed');
CREATE INDEX mailbox_dead ON mailbox_messages (mailbox, dead_at, sequence) WHERE state = 'dead';
-- All messages of a mailbox, whatever their state, in the order in which they were sent: its contents are bounded.
CREATE INDEX mailbox_contents ON mailbox_messages (mailbox, sequence);

-- Locks and freezes of a fleet, and who waits for them. Without a fleet they are files.
-- Times are seconds of the server's clock, as in a lock file.
-- One row for each name that was ever locked or frozen. It is never deleted, so its token grows for ever. Nobody holds a lock
-- whose request_id is null; the other columns are those of its last tenure then, or their defaults. Likewise
-- freeze_request_id. There are no checks, because each statement that writes a row would read them from their text again: they
-- took a fifth of what the server does for an acquire and a release. Each row is written again and again; with room for its
-- next version on its page no index has to hear of that.
{{fleet}} CREATE TABLE locks (
  name VARCHAR(128) PRIMARY KEY,
  token BIGINT NOT NULL,
  -- Which call wrote this tenure, so that it can take back what it wrote, and nothing else.
  written_by VARCHAR(64),
  lock_version VARCHAR(32) NOT NULL,
  request_id VARCHAR(128),
  actor TEXT NOT NULL DEFAULT '',
  intent TEXT NOT NULL DEFAULT '',
  intent_version TEXT NOT NULL DEFAULT '',
  host_id TEXT NOT NULL DEFAULT '',
  pid BIGINT NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL DEFAULT 0,
  last_heartbeat_at BIGINT NOT NULL DEFAULT 0,
  ttl_seconds BIGINT NOT NULL DEFAULT 0,
  -- Without the token, which stands first in what readers see.
  metadata TEXT NOT NULL DEFAULT '{}',
  freeze_request_id VARCHAR(128),
  freeze_actor TEXT NOT NULL DEFAULT '',
  freeze_reason TEXT NOT NULL DEFAULT '',
  freeze_created_at BIGINT NOT NULL DEFAULT 0,
  freeze_ttl_seconds BIGINT NOT NULL DEFAULT 0,
  -- For whom the actor of a freeze says to have done it.
  freeze_on_behalf_of TEXT
) WITH (fillfactor = 50);

-- Halts of a fleet, each as a JSON document. Without a fleet they are files.
{{fleet}} CREATE TABLE halts (
  name VARCHAR(128) PRIMARY KEY,
  document TEXT NOT NULL
);
-- Changes are serialized by this one row; its version is the number of the last one.
{{fleet}} CREATE TABLE halt_changes (is_only BOOLEAN PRIMARY KEY CHECK (is_only), version BIGINT NOT NULL);
{{fleet}} INSERT INTO halt_changes (is_only, version) VALUES (TRUE, 0);
-- The number of the last change as committed now, whatever the snapshot of the statement that calls it: each statement of the
-- function has a new one. The lock lasts until the caller's transaction ends; a change waits for it. The key is "halt" in ASCII.
{{fleet}} CREATE FUNCTION halts_version() RETURNS BIGINT LANGUAGE plpgsql VOLATILE AS
  'BEGIN PERFORM pg_advisory_xact_lock_shared(1751215220); RETURN (SELECT version FROM halt_changes); END';

-- One row for each who waits for a name, in their order. It counts as long as the connection lives that holds the advisory
-- lock of its session.
{{fleet}} CREATE TABLE lock_waiters (
  sequence {{counter}},
  name VARCHAR(128) NOT NULL,
  session BIGINT NOT NULL,
  request_id VARCHAR(128) NOT NULL,
  actor TEXT,
  intent TEXT,
  -- When it joined the queue, in seconds of the server's clock.
  since BIGINT DEFAULT CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp())) AS BIGINT),
  -- The process whose waiter it is, as in "executors".
  executor VARCHAR(64)
);
{{fleet}} CREATE INDEX lock_waiters_of_name ON lock_waiters (name, sequence);

-- The processes of a fleet that execute runs. Times are milliseconds of the server's clock.
{{fleet}} CREATE TABLE executors (
  id VARCHAR(64) PRIMARY KEY,
  host_id TEXT NOT NULL,
  machine TEXT NOT NULL,
  home TEXT NOT NULL,
  pid BIGINT NOT NULL,
  kind VARCHAR(16) NOT NULL,
  version TEXT NOT NULL,
  entered_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  alive_until BIGINT NOT NULL,
  -- The labels of the host, as a JSON array, and its intents by name, as a JSON object; null if it publishes none.
  labels TEXT,
  intents TEXT,
  -- The digest of its policy; null if it has none.
  policy TEXT
);
{{fleet}} CREATE INDEX executors_of_host ON executors (host_id);

-- The audit log of all hosts of a fleet: what stands in each host's own files is copied here. Without a fleet the files are
-- all. A line is known by the log that it stands in, its page, its place there, and its bytes; so it is here once, whoever
-- brings it.
{{fleet}} CREATE TABLE audit_events (
  -- In the order in which events became visible here.
  sequence {{counter}},
  log_id VARCHAR(64) NOT NULL,
  page VARCHAR(64) NOT NULL,
  at_byte BIGINT NOT NULL,
  digest BYTEA NOT NULL,
  host_id TEXT NOT NULL,
  -- Milliseconds of the clock of the host where it happened.
  at BIGINT NOT NULL,
  event TEXT NOT NULL,
  lock_name TEXT,
  request_id TEXT,
  line TEXT NOT NULL,
  UNIQUE (log_id, page, at_byte, digest)
);
{{fleet}} CREATE INDEX audit_events_by_time ON audit_events (at, sequence);
{{fleet}} CREATE INDEX audit_events_of_lock ON audit_events (lock_name, at, sequence) WHERE lock_name IS NOT NULL;
{{fleet}} CREATE INDEX audit_events_of_request ON audit_events (request_id, at, sequence) WHERE request_id IS NOT NULL;
{{fleet}} CREATE INDEX audit_events_of_kind ON audit_events (event, at, sequence);

-- Up to where each page of each log has been copied, and what stood before that place.
{{fleet}} CREATE TABLE audit_shipped (
  log_id VARCHAR(64) NOT NULL,
  page VARCHAR(64) NOT NULL,
  at_byte BIGINT NOT NULL,
  mark VARCHAR(32) NOT NULL,
  PRIMARY KEY (log_id, page)
);

-- The tokens of a fleet's callers, each as its SHA-256 only. Place 0 is the current token of a name; higher ones are previous
-- tokens that may still be valid, the newest first. The name 'operator' is the operator's own, whose token is in a file of
-- host_id; of others it is the host where they were created. Times are milliseconds since 1970.
{{fleet}} CREATE TABLE tokens (
  digest TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  place INT NOT NULL,
  role TEXT NOT NULL,
  intents TEXT NOT NULL,
  locks TEXT NOT NULL,
  created_at BIGINT,
  expires_at BIGINT,
  host_id TEXT NOT NULL,
  -- The mailboxes that a token may use, and the projects whose tasks it may work on, as JSON lists of patterns; an empty list
  -- is no limit.
  mailboxes TEXT NOT NULL DEFAULT '[]',
  tasks TEXT NOT NULL DEFAULT '[]',
  -- The intents whose runs a token may approve, as a JSON list of patterns; an empty list is none.
  approve TEXT NOT NULL DEFAULT '[]',
  -- The person who answers for a token; null for its name.
  owner TEXT,
  UNIQUE (name, place)
);
-- Changes are serialized by this one row; its version is the number of the last one.
{{fleet}} CREATE TABLE token_changes (is_only BOOLEAN PRIMARY KEY CHECK (is_only), version BIGINT NOT NULL);
{{fleet}} INSERT INTO token_changes (is_only, version) VALUES (TRUE, 0);

-- The moves of homes into this database. A move counts exactly if its row has the state 'moved', which is written in the
-- transaction that copies the home. A move that was given up before that has the state 'undone', and can never be completed.
{{fleet}} CREATE TABLE moved_homes (
  move_id VARCHAR(64) PRIMARY KEY,
  state VARCHAR(16) NOT NULL CHECK (state IN ('moved', 'undone')),
  host_id TEXT NOT NULL,
  home TEXT NOT NULL,
  at BIGINT NOT NULL,
  -- The numbers and digests of what was copied, as JSON.
  document TEXT NOT NULL
);

-- The identity of this database, by which a home knows the store of its locks. It has one row, which never changes.
{{fleet}} CREATE TABLE database_identity (
  id VARCHAR(64) PRIMARY KEY
);
{{fleet}} INSERT INTO database_identity (id) VALUES (gen_random_uuid()::text);

-- The key of the fleet, under which plans show secrets as digests. There is one row.
{{fleet}} CREATE TABLE plan_keys (is_only BOOLEAN PRIMARY KEY CHECK (is_only), key_text TEXT NOT NULL);
