package fleet.tower.cli.overview;

import static fleet.tower.cli.shell.Option.flag;
import static fleet.tower.cli.shell.Option.value;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

import fleet.tower.answer.Reply;
import fleet.tower.answer.Table;
import fleet.tower.answer.UsageError;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.Option;
import fleet.tower.home.Home;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.list.Cursor;
import fleet.tower.platform.list.Rows;
import fleet.tower.platform.text.Nearest;
import fleet.tower.platform.time.TimeSpans;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;

/** Commands that list intents, runs and hosts, cancel a run, and report its progress. */
public final class OverviewCommands {
  private static final int DEFAULT_LIMIT = 50;
  private static final int MAX_LIMIT = 1000;
  private static final List<String> FILTERS = List.of("intent", "status", "actor", "lock", "since", "limit",
      Cursor.PARAMETER);

  private final Function<Arguments, OverviewClient> overviews;
  private final FollowCommands following;
  private final Home home;

  public OverviewCommands(Home home, Function<Arguments, OverviewClient> overviews, FollowCommands following) {
    this.home = home;
    this.overviews = overviews;
    this.following = following;
  }

  /** The commands. */
  public List<Command> all() {
    return List.of(
        new Command("intents", List.of("[NAME]"),
            "list the intents, or show one with its parameters and an example call", List.of(), this::intents),
        new Command("runs", List.of("[RUN]"),
            "list the newest runs, or show one with the end of its output; the beginning of an id is enough",
            List.of(value("intent", "I", "only runs of this intent"),
                value("status", "S", "only runs with this status: " + statuses()),
                value("actor", "A", "only runs of this actor"), value("lock", "N", "only runs that take this lock"),
                value("since", "D|TIME", "only runs requested since then: 8h, or 2026-01-31T08:00:00Z"),
                value("limit", "N", "at most N runs (default 50)"), Option.cursor(),
                flag("follow", "show the output of RUN from its beginning until it ends, then exit as tower run does")),
            this::runs),
        following.await(),
        new Command("cancel", List.of("RUN"), "cancel a run: stop its step, roll it back, release its lock",
            List.of(), this::cancel),
        new Command("hosts", List.of(),
            "list the hosts that share this home's database, with their runs and locks",
            List.of(), this::hosts),
        new Command("beat", List.of(),
            "report progress of a run whose intent has heartbeat: progress; inside a step, of its own run",
            List.of(Option.requestId("the id of the run (default: TOWER_REQUEST_ID)")), this::beat));
  }

  private Reply cancel(Arguments arguments) {
    OverviewClient runs = overviews.apply(arguments);
    return runs.cancel(RunIds.resolve(arguments.operand(0), runs));
  }

  /** The id in a step's environment is complete; finding the run first would cost more than the report. */
  private Reply beat(Arguments arguments) {
    OverviewClient runs = overviews.apply(arguments);
    RequestId id = arguments.value("request-id").map(typed -> RunIds.resolve(typed, runs))
        .or(() -> home.variable("TOWER_REQUEST_ID").map(RequestId::new))
        .orElseThrow(
            () -> new UsageError(
                "which run? Give --request-id, or call it inside a step, where TOWER_REQUEST_ID is set"));
    return runs.beat(id);
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
    Optional<String> name = arguments.optionalOperand(0);
    if (name.isPresent()) {
      return IntentPage.of(name.get(), overviews.apply(arguments)).reply();
    }
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
    rows.add(List.of("HOST", "ALIVE", "SERVICES", "LABELS", "RUNS", "LOCKS"));
    for (JsonObject host : answer.objects("hosts")) {
      boolean isAlive = host.get("alive") instanceof JsonValue.Bool(boolean alive, int _, int _) && alive;
      long services = host.objects("executors").stream().filter(one -> text(one, "kind").equals("service")).count();
      rows.add(List.of(text(host, "host_id"), isAlive ? "yes" : "no", Long.toString(services),
          String.join(",", host.texts("labels")),
          host.objects("runs").stream().map(run -> text(run, "request_id")).collect(Collectors.joining(" ")),
          host.objects("locks").stream().map(lock -> text(lock, "lock_name")).collect(Collectors.joining(" "))));
    }
    Table.lines(rows).forEach(reply::data);
    answer.objects("hosts").stream().flatMap(host -> host.texts("warnings").stream()).distinct()
        .forEach(warning -> reply.words("tower: warning: " + warning));
    return reply;
  }

  private Reply runs(Arguments arguments) {
    Optional<String> run = arguments.optionalOperand(0);
    RunStatus status = arguments.value("status").map(OverviewCommands::status).orElse(null);
    long limit = arguments.number("limit").orElse((long) DEFAULT_LIMIT);
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new UsageError("--limit " + limit + " must be 1 to " + MAX_LIMIT);
    }
    if (run.isEmpty()) {
      if (arguments.has("follow")) {
        throw new UsageError("--follow needs a run: tower runs RUN --follow");
      }
      OverviewClient overview = overviews.apply(arguments);
      String intent = arguments.value("intent").orElse(null);
      JsonObject runs = overview.runs(new RunStore.Query(intent, status, arguments.value("actor").orElse(null),
          arguments.value("lock").map(LeaseName::new).map(LeaseName::value).orElse(null),
          arguments.value("since").map(this::moment).orElse(null), null, (int) limit),
          arguments.value(Cursor.PARAMETER).orElse(null));
      return intent == null || !runs.objects("runs").isEmpty() ? list(runs) : none(list(runs), intent, overview);
    }
    if (FILTERS.stream().anyMatch(arguments::has)) {
      throw new UsageError("--" + String.join(", --", FILTERS) + " apply to the list, not to run " + run.get());
    }
    return arguments.has("follow")
        ? following.follow(run.get(), arguments)
        : one(RunIds.find(run.get(), overviews.apply(arguments)));
  }

  private Instant moment(String text) {
    return TimeSpans.parse(text).map(ago -> home.time().now().minus(ago)).or(() -> Timestamps.parse(text)).orElseThrow(
        () -> new UsageError("--since '" + text + "' is neither a time span such as 8h nor a UTC time such as "
            + Timestamps.format(home.time().now())));
  }

  private Reply list(JsonObject answer) {
    Reply reply = Reply.ofJson(Exit.DONE, answer.raw());
    List<JsonObject> runs = answer.objects("runs");
    if (runs.isEmpty()) {
      return reply.data("no runs");
    }
    RunTable.lines(runs, home.time().now()).forEach(reply::data);
    return answer.text(Rows.NEXT).map(next -> reply.words("there are older runs: --cursor " + next)).orElse(reply);
  }

  /** No run, perhaps because the intent's name is wrong; a name similar to a declared one was refused before. */
  private static Reply none(Reply reply, String intent, OverviewClient overview) {
    return overview.intents().objects("intents").stream().anyMatch(it -> text(it, "name").equals(intent))
        ? reply
        : reply.words("there is no intent '" + intent + "'; see `tower intents`");
  }

  private static boolean isInQueue(JsonObject run) {
    return run.get("queued") instanceof JsonValue.Bool(boolean queued, int _, int _) && queued
        && text(run, "status").equals("waiting");
  }

  private static Reply one(JsonObject run) {
    Reply reply = Reply.ofJson(Exit.DONE, run.raw());
    reply.data(text(run, "request_id") + ": " + RunTable.status(run) + (isInQueue(run) ? " in the queue" : ""));
    reply.data("  intent   " + text(run, "intent") + " " + text(run, "intent_version") + ", " + text(run, "mode"));
    reply.data("  actor    " + text(run, "actor")
        + run.text("on_behalf_of").map(other -> " on behalf of " + other).orElse(""));
    run.text("host_id").ifPresent(host -> reply.data("  host     " + host));
    run.object("lock").ifPresent(lock -> reply.data("  lock     " + text(lock, "lock_name") + ", fencing token "
        + lock.integer("fencing_token").orElse(0)
        + lock.text("heartbeat").filter("progress"::equals).map(_ -> ", renewed while the work makes progress")
            .orElse("")));
    if (run.object("lock").isEmpty()) {
      run.text("lock_name").ifPresent(name -> reply.data("  lock     " + name + ", not acquired"
          + (run.integer("position").isPresent()
              ? ", number " + run.integer("position").getAsLong() + " in line"
              : "")));
    }
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
            ? " after " + TimeSpans.precise(Duration.ofMillis(step.integer("duration_ms").orElse(0)))
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
