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
  PRIMARY KEY (agent, request_id)
);
-- What each agent is at or was at last.
CREATE TABLE task_agents (
  agent VARCHAR(128) PRIMARY KEY,
  focus VARCHAR(128) NOT NULL
);
