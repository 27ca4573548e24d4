package fleet.tower.operation;

import static fleet.tower.access.Role.AGENT;
import static fleet.tower.access.Role.OPERATOR;
import static fleet.tower.access.Role.VIEWER;
import static fleet.tower.operation.Arg.Via.COMMAND;
import static fleet.tower.operation.Arg.Via.HEADER;
import static fleet.tower.operation.Arg.Via.HTTP;
import static fleet.tower.operation.CommonArgs.CURSOR;
import static fleet.tower.operation.CommonArgs.REASON;
import static fleet.tower.operation.CommonArgs.REQUEST_ID;
import static fleet.tower.operation.Operation.Method.GET;
import static fleet.tower.operation.Operation.Method.POST;

import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import fleet.tower.lease.RequestId;
import fleet.tower.lock.queue.Wait;
import fleet.tower.operation.Arg.Via;
import fleet.tower.operation.Operation.Effect;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.run.RunStatus;

/** The operations on intents and their runs. */
public final class RunOperations {
  /** The range of positions in output, in bytes. */
  private static final long MOST_BYTES = 999_999_999_999_999_999L;

  public static final Arg<String> INTENT = Arg.text("intent", "INTENT", "the name of the intent").operand();
  public static final Arg<JsonObject> PARAMS = Arg.members("params", "K=V", "the parameters of the run")
      .option("-p");
  public static final Arg<Boolean> FORCE = Arg.flag("force_lock", "take the lock from its holder if it is stale")
      .needs(OPERATOR).only(HTTP, COMMAND);
  public static final Arg<Long> WAIT = Arg.seconds("wait_seconds", 0, Wait.MAX_SECONDS, "wait while the lock is held")
      .or(0L).bare(600L);
  public static final Arg<JsonObject> METADATA = Arg.members("metadata", "K=V", "what readers of the run see");
  public static final Arg<Boolean> QUEUE = Arg.flag("queue",
      "queue the run for any executor of the home, and print its request id without waiting").only(HTTP, COMMAND);
  public static final Arg<String> PLAN_HASH = Arg.text("plan_hash", "H",
      "run it only if it would do what the plan with this hash shows (at least 12 digits)");
  public static final Arg<String> AGAIN = Arg.text("again", "RUN",
      "the id of a run that has ended, whose recorded parameters apply where none are given").only(HTTP);
  public static final Arg<String> KEY = Arg
      .formed("Idempotency-Key", Pattern.compile("\"[!-~]{1,255}\"|(?!\".*\"$)[!-~]{1,255}"),
          "1 to 255 visible ASCII characters, sent once", "KEY", "a key by which the request can be repeated")
      .only(HEADER);
  public static final Arg<String> TRACE = Arg.text("traceparent", "T", "the trace that the request belongs to")
      .only(HEADER);
  public static final Arg<Preference> PREFER = Arg.preference("Prefer", "how long the answer may be delayed");

  public static final Arg<String> RUN = Arg.text("request_id", "RUN", "the id of the run").operand();
  public static final Arg<String> OWN_RUN = Arg.text("request_id", "R",
      "the id of the run (default: TOWER_REQUEST_ID)");
  public static final Arg<String> OF_INTENT = Arg.text("intent", "I", "only runs of this intent");
  public static final Arg<String> STATUS = Arg.word("status", "S",
      Stream.of(RunStatus.values()).map(RunStatus::toString).toList(), "only runs with this status");
  public static final Arg<String> OF_ACTOR = Arg.text("actor", "A", "only runs of this actor");
  public static final Arg<String> OF_LOCK = Arg.text("lock_name", "N", "only runs that take this lock").option("lock");
  public static final Arg<Instant> SINCE = Arg.moment("since", "only runs requested since then");
  public static final Arg<String> ID_PREFIX = Arg.text("id_prefix", "TEXT", "only runs whose id begins with this text");
  public static final Arg<Long> LIMIT = Arg.whole("limit", 1, 1000, "N", "the maximum number of runs").or(50L);
  public static final Arg<Long> END_WAIT = Arg.seconds("wait_seconds", 0, Wait.MAX_SECONDS,
      "how long to wait for the end of the run");

  public static final Arg<String> STEP = Arg.text("step", "S", "the step (default: the last one that has begun)");
  public static final Arg<Long> OFFSET = Arg.whole("offset", -MOST_BYTES, MOST_BYTES, "N",
      "where the lines begin, in bytes; from the end if negative");
  public static final Arg<Long> BEFORE = Arg.whole("before", 0, MOST_BYTES, "N", "where the lines end, in bytes");
  public static final Arg<Long> LINES = Arg.whole("lines", 1, 2000, "N", "the maximum number of lines").or(500L);
  public static final Arg<String> TEXT = Arg.formed("q", Pattern.compile("[\\t\\P{Cc}]{1,1000}"),
      "text of at most 1000 characters on one line", "TEXT", "the text to find").must();
  public static final Arg<Boolean> CASE = Arg.flag("case", "whether the search is case-sensitive");
  public static final Arg<Long> FROM = Arg.whole("offset", 0, MOST_BYTES, "N", "where to begin, in bytes").or(0L);
  public static final Arg<Long> MATCHES = Arg.whole("limit", 1, 1000, "N", "the maximum number of lines").or(100L);

  public static final Operation LIST_INTENTS = Operation.of("listIntents", VIEWER, GET, "/intents",
      "list the intents, or show one with its parameters and an example call").command("intents");
  public static final Operation VIEW_INTENT = Operation.of("getIntent", VIEWER, GET, "/intents/{name}",
      "show an intent", INTENT).command("intents");
  public static final Operation SUBMIT = Operation.of("runIntent", AGENT, POST, "/intents/{name}",
      "run an intent here, under its lock, and show the output of its steps", INTENT, PARAMS, REQUEST_ID, FORCE, WAIT,
      METADATA, QUEUE, REASON, PLAN_HASH, AGAIN, KEY, TRACE, PREFER).command("run");
  /** The same for the intent of an earlier run, as a tool of its own. */
  public static final Operation RUN_AGAIN = Operation.of("runIntent", AGENT, POST, "/intents/{name}",
      "run the intent of an earlier run again", INTENT.only(HTTP), AGAIN.only(Via.TOOL).must(), PARAMS, REQUEST_ID,
      WAIT,
      PLAN_HASH).tool("run_again", Effect.DELETION, "Runs again what an ended run ran.");
  public static final Operation PLAN = Operation.of("planIntent", VIEWER, POST, "/intents/{name}/plan",
      "show what running an intent would do now, and the state of its lock; changes nothing", INTENT, PARAMS, FORCE,
      REQUEST_ID.only(HTTP), WAIT.only(HTTP), METADATA.only(HTTP), QUEUE.only(HTTP), REASON.only(HTTP),
      PLAN_HASH.only(HTTP), AGAIN, KEY, TRACE, PREFER)
      .command("plan").tool("plan_intent", Effect.NOTHING, "Shows what a run would do.");

  public static final Operation PROBE = Operation.of("probeIntent", VIEWER, POST, "/intents/{name}/probe",
      "show the state that the probe of an intent sees now, and what of it is not as desired; changes nothing", INTENT,
      PARAMS).command("probe").tool("probe_intent", Effect.NOTHING, "Shows the state that a run would change.");

  public static final Operation LIST = Operation.of("listRuns", VIEWER, GET, "/runs",
      "list the newest runs, or show one with the end of its output; the beginning of an id is enough", OF_INTENT,
      STATUS, OF_ACTOR, OF_LOCK, SINCE, ID_PREFIX, LIMIT, CURSOR)
      .command("runs").tool("list_runs", Effect.NOTHING, "Lists runs, newest first.");
  public static final Operation VIEW = Operation.of("getRun", VIEWER, GET, "/runs/{id}", "show a run", RUN,
      END_WAIT.only(HTTP), PREFER).command("runs")
      .tool("get_run", Effect.NOTHING, "Shows a run and its output.");
  /** The same with a wait, as a tool of its own. */
  public static final Operation AWAIT = Operation.of("getRun", VIEWER, GET, "/runs/{id}",
      "wait for the end of a run, and exit with the exit code of tower run", RUN, END_WAIT.only(HTTP, Via.TOOL))
      .command("wait")
      .tool("wait_run", Effect.NOTHING, "Waits for a run to end. Repeat if not.");
  public static final Operation CANCEL = Operation.of("cancelRun", AGENT, POST, "/runs/{id}/cancel",
      "cancel a run: stop its step, roll it back, release its lock", RUN)
      .command("cancel").tool("cancel_run", Effect.DELETION, "Stops and rolls back your run.");
  public static final Operation SETTLE = Operation.of("settleRun", AGENT, POST, "/runs/{id}/settle",
      "tell by its probe whether an interrupted run was applied; a certain answer releases its lock", RUN)
      .command("settle").tool("settle_run", Effect.OWN, "Tells what an interrupted run did.");
  public static final Operation BEAT = Operation.of("beatRun", AGENT, POST, "/runs/{id}/beat",
      "report progress of a run whose intent has heartbeat: progress; inside a step, of its own run", OWN_RUN)
      .command("beat");
  public static final Operation OUTPUT = Operation.of("getRunOutput", VIEWER, GET, "/runs/{id}/output",
      "show lines of the output of a step", RUN, STEP, OFFSET, BEFORE, LINES);
  public static final Operation SEARCH = Operation.of("searchRunOutput", VIEWER, GET, "/runs/{id}/output/search",
      "search the output of a step", RUN, STEP, TEXT, CASE, FROM, MATCHES);

  /** All that are calls over HTTP. */
  public static final List<Operation> ALL = List.of(LIST_INTENTS, VIEW_INTENT, SUBMIT, PLAN, PROBE, LIST, VIEW, CANCEL,
      SETTLE, BEAT,
      OUTPUT, SEARCH);

  private RunOperations() {}

  /** The argument that names a run. */
  public static Given of(RequestId run) {
    return Given.NOTHING.with(RUN, run.value());
  }
}
