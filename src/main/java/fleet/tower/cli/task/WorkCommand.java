package fleet.tower.cli.task;

import static fleet.tower.cli.shell.Option.flag;
import static fleet.tower.cli.shell.Option.optionalDuration;
import static fleet.tower.cli.shell.Option.value;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

import fleet.tower.access.Caller;
import fleet.tower.answer.Reply;
import fleet.tower.answer.UsageError;
import fleet.tower.cli.remote.Requests;
import fleet.tower.cli.remote.Servers;
import fleet.tower.cli.run.Narrator;
import fleet.tower.cli.run.RunOptions;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.Interruptions;
import fleet.tower.cli.shell.OperationCommand;
import fleet.tower.cli.shell.Option;
import fleet.tower.guard.Commands;
import fleet.tower.home.Home;
import fleet.tower.home.HomeRuns.QueueHandle;
import fleet.tower.home.RunEngine;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.Halt;
import fleet.tower.operation.Given;
import fleet.tower.operation.TaskOperations;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Console;
import fleet.tower.platform.time.Notices;
import fleet.tower.run.members.Member;
import fleet.tower.task.Agent;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.worker.TaskRunner;
import fleet.tower.task.worker.Worker;
import fleet.tower.task.worker.Worker.Fate;

/**
 * The command {@code tower task work}: it claims tasks one after the other, runs each by its intent or by a command,
 * renews the claim meanwhile, and closes the task.
 */
public final class WorkCommand {
  private static final int BY_SIGNAL = 128;
  private static final long MOST_FAILURES = 3;
  private static final List<Option> OPTIONS = List.of(TaskOptions.AGENT,
      OperationCommand.option(TaskOperations.PROJECT), OperationCommand.option(TaskOperations.TTL),
      flag("once", "process one task; the same as --max-tasks 1"),
      value("max-tasks", "N", "stop after N tasks"),
      value("max-fails", "N", "stop after N blocked tasks in a row (default 3)"),
      flag("follow", "wait for new tasks when there are none"),
      optionalDuration("wait", "wait while an intent's lock is held (default 10m, at most 1h)"));

  private final Home home;
  private final Console console;
  private final Interruptions interruptions;
  private final Requests requests;
  private final Servers servers;

  public WorkCommand(Home home, Console console, Interruptions interruptions, Requests requests, Servers servers) {
    this.servers = servers;
    this.home = home;
    this.console = console;
    this.interruptions = interruptions;
    this.requests = requests;
  }

  /** The command. */
  public Command work() {
    return new Command("task work", List.of("[-- CMD...]"),
        "claim and process tasks, each with its intent or the given command, until none are left", OPTIONS, this::work);
  }

  private Reply work(Arguments arguments) {
    Agent agent = TaskOptions.agent(arguments, home);
    Worker.Limits limits = limits(arguments);
    if (!arguments.command().isEmpty()) {
      return byCommand(arguments, agent, limits);
    }
    Requests.Calls calls = requests.calls(arguments);
    if (calls.isRemote()) {
      throw new UsageError("tasks of a service need a command here: put one after --");
    }
    return byIntents(calls, arguments, agent, limits);
  }

  private Worker.Limits limits(Arguments arguments) {
    long maxTasks = arguments.number("max-tasks").orElse(Long.MAX_VALUE);
    long maxFailures = arguments.number("max-fails").orElse(MOST_FAILURES);
    if (maxTasks < 1 || maxFailures < 1) {
      throw new UsageError("--max-tasks and --max-fails must be 1 or more");
    }
    if (arguments.has("once") && arguments.has("max-tasks")) {
      throw new UsageError("--once means --max-tasks 1; give only one of them");
    }
    Given given = OperationCommand.given(List.of(TaskOperations.PROJECT, TaskOperations.TTL), arguments,
        home.time()::now);
    TaskCommand.Claim claim = new TaskCommand.Claim(given.orNull(TaskOperations.PROJECT),
        new Ttl(given.get(TaskOperations.TTL)), arguments.command().isEmpty());
    return new Worker.Limits(claim, arguments.has("once") ? 1 : maxTasks, maxFailures, arguments.has("follow"));
  }

  private Reply byIntents(Requests.Calls calls, Arguments arguments, Agent agent, Worker.Limits limits) {
    Duration patience = RunOptions.patience(arguments);
    RunEngine engine = home.runs().engine(Member.Kind.COMMAND);
    // For tasks whose intents require a label that this host does not have.
    QueueHandle queue = home.runs().queue(engine);
    try (calls) {
      IntentTaskRunner runner = new IntentTaskRunner(home, engine, new Actor(agent.name(), Door.CLI), patience,
          () -> Narrator.on(console, home, arguments.has("json")));
      Worker worker = worker(calls, runner, agent);
      interruptions.on(() -> {
        worker.stop();
        runner.interrupt();
      });
      return reply(worker.run(limits), limits);
    } finally {
      engine.close(Duration.ZERO);
      queue.close(Duration.ZERO);
    }
  }

  private Reply byCommand(Arguments arguments, Agent agent, Worker.Limits limits) {
    // First, because it prepares the slowest part in the background.
    Commands commands = home.guardedCommands();
    try (Requests.Calls calls = requests.calls(arguments)) {
      StopOnSignal stop = new StopOnSignal();
      CommandTaskRunner runner = new CommandTaskRunner(commands, arguments.command(), agent.name(), stop);
      Worker worker = worker(calls, new HaltedTaskRunner(runner, servers.halts(arguments), home.scheduler(),
          () -> subject(arguments, agent)), agent);
      stop.of(worker);
      List<Worker.Result> results;
      try (Commands.Trap _ = commands.trap(runner::signal)) {
        results = worker.run(limits);
      }
      Commands.NotStarted notStarted = runner.notStarted();
      if (notStarted != null) {
        return Reply.failure(ErrorCode.COMMAND_NOT_RUN, "cannot run " + notStarted.problem(), "")
            .ending(new Exit(notStarted.code()));
      }
      Reply reply = reply(results, limits);
      return runner.firstSignal() == 0 ? reply : reply.ending(new Exit(BY_SIGNAL + runner.firstSignal()));
    }
  }

  /** A service knows a worker by its token as well as by the agent that it names. */
  private Halt.Subject subject(Arguments arguments, Agent agent) {
    Actor actor = servers.caller(arguments).map(Caller::actor).orElseGet(() -> new Actor(agent.name(), Door.CLI));
    return Halt.Subject.of(actor, null, null).and(agent.name());
  }

  /** Stops the worker at a signal. The worker is set later, because its task runner needs this object first. */
  private static final class StopOnSignal implements Runnable {
    private volatile Runnable stop = () -> {};

    void of(Worker worker) {
      stop = worker::stop;
    }

    @Override
    public void run() {
      stop.run();
    }
  }

  private Worker worker(Requests.Calls calls, TaskRunner runner, Agent agent) {
    return new Worker(new OperationClaims(calls), calls.isRemote() ? Notices.NONE : home.taskNotices(), runner,
        new Worker.Identity(agent, home::newRequestId), home.time(), home.scheduler(), home.longestInterval(),
        new WorkText(console));
  }

  private static Reply reply(List<Worker.Result> results, Worker.Limits limits) {
    JsonWriter json = JsonWriter.line();
    Arrays.stream(Fate.values()).forEach(fate -> json.put(word(fate), count(results, fate)));
    json.list("tasks", results.stream().map(result -> JsonWriter.line().put("task_id", result.task().value())
        .put("attempt", result.attempt()).put("fate", word(result.fate())).put("reason", result.reason()).end())
        .toList());
    Reply reply = Reply.of(exit(results), json);
    if (results.isEmpty()) {
      return reply.words("no task is available now");
    }
    reply.words("tower: " + String.join(", ", Arrays.stream(Fate.values()).filter(fate -> count(results, fate) > 0)
        .map(fate -> count(results, fate) + " " + word(fate)).toList()));
    int failures = (int) Math.min(results.size(), limits.maxFailures());
    boolean gaveUp = results.size() >= limits.maxFailures()
        && results.subList(results.size() - failures, results.size()).stream()
            .allMatch(result -> result.fate() == Fate.BLOCKED);
    return gaveUp && failures > 1
        ? reply.words("tower: stopped, because the last " + failures + " tasks were blocked")
        : reply;
  }

  private static long count(List<Worker.Result> results, Fate fate) {
    return results.stream().filter(result -> result.fate() == fate).count();
  }

  private static String word(Fate fate) {
    return fate.name().toLowerCase(Locale.ROOT);
  }

  private static Exit exit(List<Worker.Result> results) {
    if (count(results, Fate.BLOCKED) + count(results, Fate.RELEASED) > 0) {
      return Exit.FAILED;
    }
    return count(results, Fate.LOST) > 0 ? Exit.LOST : Exit.DONE;
  }
}
