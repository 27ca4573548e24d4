package fleet.tower.performance;

import static fleet.tower.performance.Group.COMMAND;
import static fleet.tower.performance.Group.ELSEWHERE;
import static fleet.tower.performance.Group.FLEET;
import static fleet.tower.performance.Group.HANDOVER;
import static fleet.tower.performance.Group.HELD;
import static fleet.tower.performance.Group.HTTP;
import static fleet.tower.performance.Group.LOCK;
import static fleet.tower.performance.Group.MAILBOX;
import static fleet.tower.performance.Group.NOTICES;
import static fleet.tower.performance.Group.RUNS;
import static fleet.tower.performance.Group.SERVE;
import static fleet.tower.performance.Group.SERVICES;
import static fleet.tower.performance.Group.STEPS;
import static fleet.tower.performance.Group.TASKS;
import static fleet.tower.performance.Guard.ABOVE;
import static fleet.tower.performance.Guard.AROUND;
import static fleet.tower.performance.Guard.NONE;
import static fleet.tower.performance.Unit.CORE;
import static fleet.tower.performance.Unit.MEBIBYTES;
import static fleet.tower.performance.Unit.MICROS;
import static fleet.tower.performance.Unit.MILLIS;
import static fleet.tower.performance.Unit.RATE;
import static fleet.tower.performance.Unit.SECONDS;
import static fleet.tower.performance.Unit.STATEMENTS;
import static java.lang.Double.NaN;

/**
 * Everything that {@code bin/bench} measures, with the words of {@code docs/performance.md}. The figure of a measure
 * with a baseline is the ratio to it, otherwise the value itself. Its limit is what the product must keep to on any
 * machine; NaN if there is none.
 */
public enum Measure {
  ACQUIRE(LOCK, "acquire and release, durable, 1 thread", MICROS, "the same writes, each file synced", 1.5, AROUND),

  ACQUIRE_8(LOCK, "8 acquires and releases by 8 threads, durable", MICROS, "the same writes, each file synced", 1.5,
      AROUND),

  REFUSED(LOCK, "a refused acquire: no sync, no guard", MICROS, "a granted one and its release", 0.2, ABOVE),

  HEARTBEAT(LOCK, "a heartbeat", MICROS, "temporary file and rename", 1.5, AROUND),

  AUDITED(LOCK, "acquire and release with two durable audit events", MICROS, "without the events", 1.5, AROUND),

  HANDOVER_THREADS(HANDOVER, "release until the next of 4 threads has the lock, p50", MILLIS, 5, NONE),

  HANDOVER_THREADS_P95(HANDOVER, "release until the next of 4 threads has the lock, p95", MILLIS),

  HANDOVER_2(HANDOVER, "release until the next of 2 processes has the lock, p50", MILLIS, 5, NONE),

  HANDOVER_2_P95(HANDOVER, "release until the next of 2 processes has the lock, p95", MILLIS),

  HANDOVER_4(HANDOVER, "release until the next of 4 processes has the lock, p50", MILLIS, 5, NONE),

  HANDOVER_4_P95(HANDOVER, "release until the next of 4 processes has the lock, p95", MILLIS),

  CHECK(COMMAND, "`tower check NAME`, whole process", MILLIS, "`java Hello`", 3, AROUND),

  LOCKS(COMMAND, "`tower locks`, whole process", MILLIS, "`java Hello`", 4, NONE),

  GUARD(COMMAND, "`tower guard x -- true`, whole process", MILLIS, "`java Hello`", 3.5, AROUND),

  MCP(COMMAND, "`tower mcp`, whole process with a handshake", MILLIS, "`java Hello`", 6, AROUND),

  HELD_CORE(HELD, "10,000 held locks, renewed every 30 s", CORE, 10, NONE),

  RECORD(RUNS, "the record of a run, begun and finished durably", MICROS, "insert and update", 2, AROUND),

  RECORD_8(RUNS, "the record of a run, by 8 threads", MICROS, "insert and update", 0.75, NONE),

  LOOK(RUNS, "a look for a prior request, p50", MICROS),

  LOOK_P99(RUNS, "a look for a prior request, p99", MICROS),

  STEP(STEPS, "a step `true`, start to exit, supervised", MILLIS, "`ProcessBuilder`", 1, AROUND),

  STEP_8(STEPS, "8 steps `true` by 8 threads", MILLIS, "`ProcessBuilder`", 1, NONE),

  START(SERVE, "`tower serve`, start to first answer", SECONDS, "a bare Spring Boot application", 1.5, ABOVE),

  START_LIBRARIES(SERVE, "`tower serve`, start to first answer, libraries aside", SECONDS,
      "the same with all our libraries", 1.5, ABOVE),

  IDLE(HTTP, "memory of an idle service, right after its start", MEBIBYTES, 250, ABOVE),

  RUN(HTTP, "a run of `true` over HTTP: locked, audited, recorded, p50", MILLIS, "`ProcessBuilder`", NaN, AROUND),

  RUN_ADDS(HTTP, "what such a run adds to its process, p50", MILLIS, 4, NONE),

  REQUEST(HTTP, "HTTP and token alone: a lock that is not, p50", MILLIS),

  PLAN(HTTP, "a plan: with intent and values, p50", MILLIS),

  LOCK_CALLS(HTTP, "a lock and its release, audited, two calls, p50", MILLIS),

  REPLAY(HTTP, "the same run again, replayed, p50", MILLIS),

  BLOCKED(HTTP, "a refused run over HTTP, no sync, p50", MILLIS, 2, NONE),

  RUN_LATER(HTTP, "a run after some thousand others, one client, p50", MILLIS, "`webhook`", NaN, AROUND),

  RUNS_8(HTTP, "runs with 8 clients", RATE, "`webhook`", 0.5, AROUND),

  MEMORY_LATER(HTTP, "memory of the service after all these runs", MEBIBYTES),

  CLAIM_SQLITE(TASKS, "a claim, 8 processes, SQLite", MILLIS, "the same SQL", 1.5, AROUND),

  CLAIM_POSTGRES(TASKS, "a claim, 8 processes, PostgreSQL", MILLIS, "the same SQL", 1.5, AROUND),

  CLAIM_MANY_SQLITE(TASKS, "a claim among 100,000 tasks, SQLite, p50", MILLIS, "among 1,000", 2, AROUND),

  CLAIM_MANY_POSTGRES(TASKS, "a claim among 100,000 tasks, PostgreSQL, p50", MILLIS, "among 1,000", 2, AROUND),

  MESSAGE_SQLITE(MAILBOX, "a message sent, received, acknowledged, 8 clients, SQLite", MICROS, "the same SQL", 1.5,
      NONE),

  MESSAGE_POSTGRES(MAILBOX, "a message sent, received, acknowledged, 8 clients, PostgreSQL", MICROS, "the same SQL",
      1.5, NONE),

  ARRIVAL_SQLITE(MAILBOX, "sent elsewhere until received, SQLite, p50", MILLIS, 50, NONE),

  ARRIVAL_POSTGRES(MAILBOX, "sent elsewhere until received, PostgreSQL, p50", MILLIS, 50, NONE),

  RECEIVE_MANY_SQLITE(MAILBOX, "a receive among a million, SQLite, p50", MICROS, "among 1,000", 2, NONE),

  RECEIVE_MANY_POSTGRES(MAILBOX, "a receive among a million, PostgreSQL, p50", MICROS, "among 1,000", 2, NONE),

  SEND(NOTICES, "a message sent, durable, 1 client", MILLIS, "without `pg_notify`", 4, NONE),

  SEND_8(NOTICES, "a message sent, durable, 8 clients", MILLIS, "without `pg_notify`", 4, NONE),

  NEW_TASK(NOTICES, "a new task, 1 client", MILLIS, "without `pg_notify`", 4, NONE),

  NEW_TASK_8(NOTICES, "a new task, 8 clients", MILLIS, "without `pg_notify`", 4, NONE),

  FLEET_LOCK(FLEET, "acquire and release, 1 client", MICROS, "two bare statements", 1.5, AROUND),

  FLEET_LOCK_8(FLEET, "acquire and release, 8 clients", MICROS, "two bare statements", 1.5, AROUND),

  FLEET_LOCK_64(FLEET, "acquire and release, 64 clients", MICROS, "two bare statements", 1.5, AROUND),

  FLEET_HELD_CORE(FLEET, "10,000 held locks, processor time", CORE),

  FLEET_HELD_STATEMENTS(FLEET, "10,000 held locks, statements", STATEMENTS, 20, ABOVE),

  FLEET_HELD_LATE(FLEET, "10,000 held locks, delay of the latest renewal", MILLIS),

  SERVICES_RUNS_2(SERVICES, "runs, 8 clients, 2 services", RATE, "one service", NaN, NONE),

  SERVICES_RUNS_3(SERVICES, "runs, 8 clients, 3 services", RATE, "one service", NaN, NONE),

  SERVICES_LOCKS_2(SERVICES, "locks, acquired and released, 2 services", RATE, "one service", NaN, NONE),

  SERVICES_LOCKS_3(SERVICES, "locks, acquired and released, 3 services", RATE, "one service", NaN, NONE),

  CANCEL(ELSEWHERE, "a cancellation at another host, until the step has ended, p50", MILLIS),

  CANCEL_P99(ELSEWHERE, "a cancellation at another host, until the step has ended, p99", MILLIS),

  LINE(ELSEWHERE, "a line of output, until another host streams it, p50", MILLIS),

  LINE_P99(ELSEWHERE, "a line of output, until another host streams it, p99", MILLIS);

  private final Group group;
  private final String operation;
  private final Unit unit;
  private final String baseline;
  private final double limit;
  private final Guard guard;

  Measure(Group group, String operation, Unit unit) {
    this(group, operation, unit, NaN, NONE);
  }

  Measure(Group group, String operation, Unit unit, double limit, Guard guard) {
    this(group, operation, unit, "", limit, guard);
  }

  Measure(Group group, String operation, Unit unit, String baseline, double limit, Guard guard) {
    this.group = group;
    this.operation = operation;
    this.unit = unit;
    this.baseline = baseline;
    this.limit = limit;
    this.guard = guard;
  }

  Group group() {
    return group;
  }

  String operation() {
    return operation;
  }

  Unit unit() {
    return unit;
  }

  /** What it is compared with; empty if with nothing. */
  String baseline() {
    return baseline;
  }

  boolean isRatio() {
    return !baseline.isEmpty();
  }

  double limit() {
    return limit;
  }

  Guard guard() {
    return guard;
  }

  boolean isLimited() {
    return !Double.isNaN(limit);
  }

  boolean isWithinLimit(double figure) {
    return !isLimited() || (unit.isBetterHigh() ? figure >= limit : figure <= limit);
  }

  /** For messages. */
  @Override
  public String toString() {
    return group + ": " + operation;
  }
}
