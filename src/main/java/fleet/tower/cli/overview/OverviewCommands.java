package fleet.tower.cli.overview;

import static fleet.tower.cli.shell.Option.value;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

import fleet.tower.cli.reply.Table;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.Durations;
import fleet.tower.cli.shell.Exit;
import fleet.tower.cli.shell.Option;
import fleet.tower.cli.shell.Reply;
import fleet.tower.cli.shell.UsageError;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.text.Nearest;
import fleet.tower.run.RunStatus;

/** Commands that list intents, runs and hosts, cancel a run, and report its progress. */
public final class OverviewCommands {
  private static final int DEFAULT_LIMIT = 50;
  private static final int MAX_LIMIT = 1000;

  private final Function<Arguments, OverviewClient> overviews;
  private final Function<String, Optional<String>> setting;

  /** @param setting reads a non-empty setting of the environment */
  public OverviewCommands(Function<Arguments, OverviewClient> overviews, Function<String, Optional<String>> setting) {
    this.overviews = overviews;
    this.setting = setting;
  }

  /** The commands. */
  public List<Command> all() {
    return List.of(
        new Command("intents", List.of(), "list the intents", List.of(), this::intents),
        new Command("runs", List.of("[RUN]"), "list the newest runs, or show one with the end of its output",
            List.of(value("intent", "I", "only runs of this intent"),
                value("status", "S", "only runs with this status: " + statuses()),
                value("limit", "N", "at most N runs (default 50)")),
            this::runs),
        new Command("cancel", List.of("RUN"), "cancel a run: stop its step, roll it back, release its lock",
            List.of(), arguments -> overviews.apply(arguments).cancel(new RequestId(arguments.operand(0)))),
        new Command("hosts", List.of(),
            "list the hosts that share this home's database, with their runs and locks",
            List.of(), this::hosts),
        new Command("beat", List.of(),
            "report progress of a run whose intent has heartbeat: progress; inside a step, of its own run",
            List.of(Option.requestId("the id of the run (default: TOWER_REQUEST_ID)")), this::beat));
  }

  private Reply beat(Arguments arguments) {
    RequestId id = arguments.value("request-id").or(() -> setting.apply("TOWER_REQUEST_ID")).map(RequestId::new)
        .orElseThrow(
            () -> new UsageError(
                "which run? Give --request-id, or call it inside a step, where TOWER_REQUEST_ID is set"));
    return overviews.apply(arguments).beat(id);
  }

  /** The answer to a progress report; silent, because steps send many. */
  public static Reply beaten(RequestId id, JsonObject json) {
    Reply reply = Reply.ofJson(Exit.DONE, json.raw());
    return json.get("beaten") instanceof JsonValue.Bool(boolean isNeeded, int _, int _) && !isNeeded
        ? reply.words(
            "run " + id + " needs no progress reports now: it is waiting, or its intent has no heartbeat: progress")
        : reply;
  }

  /** The answer to a cancellation. */
  public static Reply asked(RequestId id, String json) {
    return Reply.ofJson(Exit.DONE, json).words("run " + id + " is being cancelled; see `tower runs " + id + "`");
  }

  private Reply intents(Arguments arguments) {
    JsonObject answer = overviews.apply(arguments).intents();
    Reply reply = Reply.ofJson(Exit.DONE, answer.raw());
    List<JsonObject> intents = answer.objects("intents");
    if (intents.isEmpty()) {
      return reply.data("no intents");
    }
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("INTENT", "VERSION", "MODE", "LOCK", "DESCRIPTION"));
    intents.forEach(intent -> rows.add(List.of(text(intent, "name"), text(intent, "version"), text(intent, "mode"),
        intent.text("lock").orElse("none"), text(intent, "description"))));
    Table.lines(rows).forEach(reply::data);
    long errors = answer.objects("complaints").stream().filter(it -> text(it, "severity").equals("error")).count();
    return errors == 0
        ? reply
        : reply.words("tower: warning: errors in intents: " + errors + "; see `tower validate`");
  }

  private Reply hosts(Arguments arguments) {
    JsonObject answer = overviews.apply(arguments).hosts();
    Reply reply = Reply.ofJson(Exit.DONE, answer.raw());
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("HOST", "ALIVE", "SERVICES", "RUNS", "LOCKS"));
    for (JsonObject host : answer.objects("hosts")) {
      boolean isAlive = host.get("alive") instanceof JsonValue.Bool(boolean alive, int _, int _) && alive;
      long services = host.objects("executors").stream().filter(one -> text(one, "kind").equals("service")).count();
      rows.add(List.of(text(host, "host_id"), isAlive ? "yes" : "no", Long.toString(services),
          host.objects("runs").stream().map(run -> text(run, "request_id")).collect(Collectors.joining(" ")),
          host.objects("locks").stream().map(lock -> text(lock, "lock_name")).collect(Collectors.joining(" "))));
    }
    Table.lines(rows).forEach(reply::data);
    return reply;
  }

  private Reply runs(Arguments arguments) {
    Optional<RequestId> id = arguments.optionalOperand(0).map(RequestId::new);
    RunStatus status = arguments.value("status").map(OverviewCommands::status).orElse(null);
    long limit = arguments.number("limit").orElse((long) DEFAULT_LIMIT);
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new UsageError("--limit " + limit + " must be 1 to " + MAX_LIMIT);
    }
    if (id.isEmpty()) {
      OverviewClient overview = overviews.apply(arguments);
      String intent = arguments.value("intent").orElse(null);
      JsonObject runs = overview.runs(intent, status, (int) limit);
      return intent == null || !runs.objects("runs").isEmpty() ? list(runs) : none(list(runs), intent, overview);
    }
    if (arguments.has("intent") || arguments.has("status") || arguments.has("limit")) {
      throw new UsageError("--intent, --status and --limit apply to the list, not to run " + id.get());
    }
    return one(overviews.apply(arguments).run(id.get()));
  }

  private static Reply list(JsonObject answer) {
    Reply reply = Reply.ofJson(Exit.DONE, answer.raw());
    List<JsonObject> runs = answer.objects("runs");
    if (runs.isEmpty()) {
      return reply.data("no runs");
    }
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("RUN", "INTENT", "STATUS", "ACTOR", "REQUESTED AT", "FAILED AT"));
    runs.forEach(run -> rows.add(List.of(text(run, "request_id"), text(run, "intent"), status(run),
        text(run, "actor"), text(run, "created_at"), text(run, "failure_step"))));
    Table.lines(rows).forEach(reply::data);
    return reply;
  }

  /** No run, perhaps because the intent's name is wrong; a name similar to a declared one was refused before. */
  private static Reply none(Reply reply, String intent, OverviewClient overview) {
    return overview.intents().objects("intents").stream().anyMatch(it -> text(it, "name").equals(intent))
        ? reply
        : reply.words("there is no intent '" + intent + "'; see `tower intents`");
  }

  /** The status; a run that ended without its lock was not alone, whatever else happened. */
  private static String status(JsonObject run) {
    boolean isLost = run.object("lock").map(lock -> lock.get("lost"))
        .filter(it -> it instanceof JsonValue.Bool(boolean lost, int _, int _) && lost).isPresent();
    String status = text(run, "status");
    return isLost && !status.equals(RunStatus.LOCK_LOST.toString()) ? status + ", lock lost" : status;
  }

  private static boolean isInQueue(JsonObject run) {
    return run.get("queued") instanceof JsonValue.Bool(boolean queued, int _, int _) && queued
        && text(run, "status").equals("waiting");
  }

  private static Reply one(JsonObject run) {
    Reply reply = Reply.ofJson(Exit.DONE, run.raw());
    reply.data(text(run, "request_id") + ": " + status(run) + (isInQueue(run) ? " in the queue" : ""));
    reply.data("  intent   " + text(run, "intent") + " " + text(run, "intent_version") + ", " + text(run, "mode"));
    reply.data("  actor    " + text(run, "actor")
        + run.text("on_behalf_of").map(other -> " on behalf of " + other).orElse(""));
    run.object("lock").ifPresent(lock -> reply.data("  lock     " + text(lock, "lock_name") + ", fencing token "
        + lock.integer("fencing_token").orElse(0)
        + lock.text("heartbeat").filter("progress"::equals).map(_ -> ", renewed while the work makes progress")
            .orElse("")));
    run.text("last_progress_at").ifPresent(at -> reply.data("  progress " + at));
    run.object("refusal").ifPresent(refusal -> reply.data("  refused  " + text(refusal, "error")));
    reply.data("  from     " + text(run, "created_at") + run.text("finished_at").map(at -> " to " + at).orElse(""));
    run.texts("warnings").forEach(warning -> reply.data("  warning  " + warning));
    run.objects("steps").forEach(step -> step("step", step, reply));
    run.objects("rollback").forEach(step -> step("rollback", step, reply));
    return reply;
  }

  private static void step(String title, JsonObject step, Reply reply) {
    boolean hasBegun = step.text("started_at").isPresent();
    reply.data("  %-8s %s: %s%s%s%s".formatted(title, text(step, "name"), text(step, "status").replace('_', ' '),
        step.integer("exit_code").isPresent() && step.integer("exit_code").getAsLong() != 0
            ? " with exit code " + step.integer("exit_code").getAsLong()
            : "",
        hasBegun && !text(step, "status").equals("running")
            ? " after " + Durations.precise(Duration.ofMillis(step.integer("duration_ms").orElse(0)))
            : "",
        step.text("note").map(note -> " (" + note + ")").orElse("")));
    step.text("output_tail").ifPresent(tail -> tail.lines().forEach(line -> reply.data("    | " + line)));
  }

  private static RunStatus status(String text) {
    return Arrays.stream(RunStatus.values()).filter(status -> status.toString().equals(text)).findFirst()
        .orElseThrow(() -> new UsageError("--status '" + text + "' must be one of " + statuses()
            + Nearest.of(text, Arrays.stream(RunStatus.values()).map(RunStatus::toString).toList())
                .map(near -> "; did you mean " + near + "?").orElse("")));
  }

  private static String statuses() {
    return Arrays.stream(RunStatus.values()).map(RunStatus::toString).collect(Collectors.joining(", "));
  }

  private static String text(JsonObject json, String key) {
    return json.text(key).orElse("");
  }
}
