package fleet.tower.cli.overview;

import static fleet.tower.cli.shell.Option.flag;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

import fleet.tower.answer.CommandLine;
import fleet.tower.answer.Reply;
import fleet.tower.answer.Table;
import fleet.tower.answer.UsageError;
import fleet.tower.cli.remote.Requests;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.home.Home;
import fleet.tower.lease.RequestId;
import fleet.tower.operation.Arg.Via;
import fleet.tower.operation.Given;
import fleet.tower.operation.HomeOperations;
import fleet.tower.operation.Operation;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.list.Rows;
import fleet.tower.platform.time.TimeSpans;

/** Commands that list intents, runs and hosts, cancel a run, and report its progress. */
public final class OverviewCommands {
  private final Home home;
  private final Requests requests;
  private final FollowCommands following;

  public OverviewCommands(Home home, Requests requests, FollowCommands following) {
    this.home = home;
    this.requests = requests;
    this.following = following;
  }

  /** The commands. */
  public List<Command> all() {
    return List.of(intents(), runs(), following.await(), cancel(), settle(),
        requests.command(HomeOperations.HOSTS, OverviewCommands::hosts), beat());
  }

  private Command intents() {
    Command list = requests.command(RunOperations.LIST_INTENTS, OverviewCommands::intents);
    return list.with("[NAME]").acting(arguments -> arguments.optionalOperand(0)
        .map(name -> IntentPage.of(name, requests.asking(arguments)).reply())
        .orElseGet(() -> list.action().run(arguments)));
  }

  private Command cancel() {
    return ofRun(RunOperations.CANCEL, (reply, _) -> reply);
  }

  private Command settle() {
    return ofRun(RunOperations.SETTLE,
        (reply, data) -> data.text("unknown").isPresent() ? reply.ending(Exit.NOT_FOUND) : reply);
  }

  /** The command of an operation on a run, the beginning of whose id is enough. */
  private Command ofRun(Operation operation, BiFunction<Reply, JsonObject, Reply> layout) {
    return requests.command(operation).acting(arguments -> requests.reply(operation,
        Given.NOTHING.with(RunOperations.RUN,
            RunIds.resolve(arguments.operand(0), requests.asking(arguments)).value()),
        arguments, layout));
  }

  /** The id in a step's environment is complete; finding the run first would cost more than the report. */
  private Command beat() {
    return requests.command(RunOperations.BEAT).acting(arguments -> {
      RequestId id = arguments.value("request-id").map(typed -> RunIds.resolve(typed, requests.asking(arguments)))
          .or(() -> home.variable("TOWER_REQUEST_ID").map(RequestId::new))
          .orElseThrow(() -> new UsageError(
              "which run? Give --request-id, or call it inside a step, where TOWER_REQUEST_ID is set"));
      return requests.reply(RunOperations.BEAT, Given.NOTHING.with(RunOperations.RUN, id.value()), arguments,
          (reply, _) -> reply);
    });
  }

  private static Reply intents(Reply reply, JsonObject answer) {
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

  private static Reply hosts(Reply reply, JsonObject answer) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("HOST", "ALIVE", "SERVICES", "LABELS", "RUNS", "LOCKS"));
    for (JsonObject host : answer.objects("hosts")) {
      long services = host.objects("executors").stream().filter(one -> text(one, "kind").equals("service")).count();
      rows.add(List.of(text(host, "host_id"), host.isTrue("alive") ? "yes" : "no", Long.toString(services),
          String.join(",", host.texts("labels")),
          host.objects("runs").stream().map(run -> text(run, "request_id")).collect(Collectors.joining(" ")),
          host.objects("locks").stream().map(lock -> text(lock, "lock_name")).collect(Collectors.joining(" "))));
    }
    Table.lines(rows).forEach(reply::data);
    answer.objects("hosts").stream().flatMap(host -> host.texts("warnings").stream()).distinct()
        .forEach(warning -> reply.words("tower: warning: " + warning));
    return reply;
  }

  private Command runs() {
    Command list = requests.command(RunOperations.LIST);
    List<String> filters = RunOperations.LIST.at(Via.COMMAND).map(arg -> String.valueOf(arg.option())).toList();
    return list.with("[RUN]")
        .with(flag("follow", "show the output of RUN from its beginning until it ends, then exit as "
            + new CommandLine(RunOperations.SUBMIT) + " does"))
        .acting(arguments -> {
          Optional<String> run = arguments.optionalOperand(0);
          if (run.isEmpty()) {
            if (arguments.has("follow")) {
              throw new UsageError(
                  "--follow needs a run: " + new CommandLine(RunOperations.VIEW).operand("RUN").flag("--follow"));
            }
            return requests.reply(RunOperations.LIST, arguments, (reply, data) -> list(reply, data, arguments));
          }
          if (filters.stream().anyMatch(arguments::has)) {
            throw new UsageError(
                "--" + String.join(", --", filters) + " apply to the list, not to run " + run.get());
          }
          return arguments.has("follow")
              ? following.follow(run.get(), arguments)
              : one(RunIds.find(run.get(), requests.asking(arguments)));
        });
  }

  private Reply list(Reply reply, JsonObject answer, Arguments arguments) {
    List<JsonObject> runs = answer.objects("runs");
    if (runs.isEmpty()) {
      reply.data("no runs");
      return arguments.value("intent").filter(intent -> !isKnown(intent, arguments))
          .map(intent -> reply
              .words("there is no intent '" + intent + "'; see `" + new CommandLine(RunOperations.LIST_INTENTS) + "`"))
          .orElse(reply);
    }
    RunTable.lines(runs, home.time().now()).forEach(reply::data);
    return answer.text(Rows.NEXT).map(next -> reply.words("there are older runs: --cursor " + next)).orElse(reply);
  }

  /** A name similar to a declared one was refused before. */
  private boolean isKnown(String intent, Arguments arguments) {
    return requests.asking(arguments).ask(RunOperations.LIST_INTENTS).objects("intents").stream()
        .anyMatch(it -> text(it, "name").equals(intent));
  }

  private static boolean isInQueue(JsonObject run) {
    return run.isTrue("queued") && text(run, "status").equals("waiting");
  }

  private static Reply one(JsonObject run) {
    Reply reply = Reply.ofJson(Exit.DONE, run.raw());
    reply.data(text(run, "request_id") + ": " + RunTable.status(run) + (isInQueue(run) ? " in the queue" : ""));
    reply.data("  intent   " + text(run, "intent") + " " + text(run, "intent_version") + ", " + text(run, "mode"));
    reply.data("  actor    " + text(run, "actor")
        + run.text("on_behalf_of").map(other -> " on behalf of " + other).orElse(""));
    run.text("again").ifPresent(earlier -> reply.data("  again    " + earlier));
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
    run.object("probe").ifPresent(probe -> List.of("before", "after").forEach(when -> probe.object(when)
        .ifPresent(seen -> PlanReply.add("  %-8s %s".formatted(when, PlanReply.state(seen)), reply))));
    run.object("refusal").ifPresent(refusal -> reply.data("  refused  " + text(refusal, "error")));
    reply.data("  from     " + text(run, "created_at") + run.text("finished_at").map(at -> " to " + at).orElse(""));
    run.texts("warnings").forEach(warning -> reply.data("  warning  " + warning));
    run.objects("steps").forEach(step -> step("step", step, reply));
    run.objects("rollback").forEach(step -> step("rollback", step, reply));
    return reply;
  }

  private static void step(String title, JsonObject step, Reply reply) {
    boolean isOver = step.text("started_at").isPresent() && !text(step, "status").equals("running");
    reply.data("  %-8s %s: %s".formatted(title, text(step, "name"), ending(step, isOver)));
    List<JsonObject> tries = step.objects("tries");
    for (int i = 0; i < tries.size(); i++) {
      reply.data("    try %d: %s".formatted(i + 1, ending(tries.get(i), true)));
    }
    step.text("output_tail").ifPresent(tail -> tail.lines().forEach(line -> reply.data("    | " + line)));
  }

  private static String ending(JsonObject step, boolean hasTime) {
    return text(step, "status").replace('_', ' ')
        + (step.integer("exit_code").orElse(0) == 0 ? "" : " with exit code " + step.integer("exit_code").getAsLong())
        + (hasTime
            ? " after " + TimeSpans.precise(Duration.ofMillis(step.integer("duration_ms").orElse(0)))
            : "")
        + step.text("note").map(note -> " (" + note + ")").orElse("");
  }

  private static String text(JsonObject json, String key) {
    return json.text(key).orElse("");
  }
}
