package fleet.tower.cli.task;

import static fleet.tower.cli.shell.Option.flag;
import static fleet.tower.cli.shell.Option.repeated;
import static fleet.tower.cli.shell.Option.value;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import fleet.tower.answer.Reply;
import fleet.tower.answer.UsageError;
import fleet.tower.cli.run.RunOptions;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.Option;
import fleet.tower.home.Home;
import fleet.tower.intent.Values;
import fleet.tower.task.Agent;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskSpec;

/** The commands {@code tower task …} that change tasks. */
public final class TaskCommands {
  private final Home home;
  private final Function<Arguments, TaskClient> clients;

  public TaskCommands(Home home, Function<Arguments, TaskClient> clients) {
    this.home = home;
    this.clients = clients;
  }

  /** Reads a command from a command line. */
  private interface Reading {
    TaskCommand read(Arguments arguments, TaskClient client);
  }

  /** The commands. */
  public List<Command> all() {
    return List.of(create(),
        changing("claim", List.of(), "claim the best available task and print its id",
            List.of(TaskOptions.PROJECT, TaskOptions.TTL, flag("with-intent", "only tasks that name an intent")),
            (arguments, _) -> claim(arguments)),
        changing("resume", List.of(), "resume the agent's own task, else claim the next one; print its id",
            List.of(TaskOptions.PROJECT, TaskOptions.TTL, TaskOptions.ATTEMPT), (arguments, _) -> resume(arguments)),
        changing("start", List.of("TASK"), "claim the named task, or renew the claim on it",
            List.of(TaskOptions.TTL, TaskOptions.ATTEMPT), (arguments, _) -> start(arguments)),
        changing("heartbeat", List.of("[TASK]"), "renew my claim on a task; never shortens it",
            List.of(value("id", "TASK", "the task, instead of the operand"), TaskOptions.TTL, TaskOptions.ATTEMPT),
            (arguments, _) -> heartbeat(arguments)),
        changing("close", List.of("TASK"), "close my task as done or blocked",
            List.of(value("outcome", "done|blocked", "the outcome").needed(": done, or blocked with a --reason"),
                value("reason", "TEXT", "why it is blocked, or what was done"), TaskOptions.ATTEMPT),
            (arguments, _) -> close(arguments)),
        changing("release", List.of("TASK"), "return my task to the queue", List.of(TaskOptions.ATTEMPT),
            (arguments, _) -> release(arguments)),
        changing("gc", List.of(), "remove expired claims, so that their tasks show as unclaimed", List.of(),
            (_, _) -> new TaskCommand.Expire()));
  }

  private Command create() {
    List<Option> options = new ArrayList<>(List.of(value("id", "ID", "its id (default: a new one, which is printed)"),
        value("description", "TEXT", "a description"),
        value("priority", "N", "tasks with a higher priority are offered first (default 0)"),
        repeated("d", "depends-on", "TASK", "a task that must be completed first"),
        value("project", "P", "the project whose queue it joins"),
        value("assign", "AGENT", "the agent that resume offers it to first"),
        value("intent", "I", "the intent that does the work, for `tower task work`")));
    options.addAll(RunOptions.PARAMS);
    return changing("create", List.of("TITLE"), "create a task and print its id", options, TaskCommands::create);
  }

  private Command changing(String word, List<String> operands, String summary, List<Option> options,
      Reading command) {
    List<Option> all = new ArrayList<>(List.of(TaskOptions.AGENT, TaskOptions.REQUEST_ID));
    all.addAll(options);
    return new Command("task " + word, operands, summary, all, arguments -> perform(arguments, command));
  }

  private Reply perform(Arguments arguments, Reading command) {
    TaskCommand.Call call = TaskOptions.call(arguments, home);
    try (TaskClient client = clients.apply(arguments)) {
      TaskCommand asked = command.read(arguments, client);
      return TaskReplies.reply(client.perform(call, asked), call, asked);
    }
  }

  private static TaskCommand create(Arguments arguments, TaskClient client) {
    String intent = arguments.value("intent").orElse(null);
    Map<String, Values.Given> params = RunOptions.params(arguments);
    if (intent == null && !params.isEmpty()) {
      throw new UsageError("-p needs an intent; name it with --intent");
    }
    return new TaskCommand.Create(arguments.value("id").map(TaskId::new).orElse(null),
        new TaskSpec(arguments.operand(0), arguments.value("description").orElse(""), priority(arguments),
            arguments.values("depends-on").stream().map(TaskId::new).toList(), arguments.value("project").orElse(null),
            arguments.value("assign").map(Agent::new).orElse(null),
            intent == null ? null : client.work(intent, params)));
  }

  private static int priority(Arguments arguments) {
    return arguments.value("priority").map(text -> {
      if (!text.matches("-?\\d{1,9}")) {
        throw new UsageError("--priority '" + text + "' is not a whole number");
      }
      return Integer.valueOf(text);
    }).orElse(0);
  }

  private static TaskCommand claim(Arguments arguments) {
    return new TaskCommand.Claim(arguments.value("project").orElse(null), TaskOptions.ttl(arguments),
        arguments.has("with-intent"));
  }

  private static TaskCommand resume(Arguments arguments) {
    return new TaskCommand.Resume(arguments.value("project").orElse(null), TaskOptions.ttl(arguments),
        TaskOptions.attempt(arguments));
  }

  private static TaskCommand start(Arguments arguments) {
    return new TaskCommand.Start(TaskOptions.task(arguments), TaskOptions.ttl(arguments),
        TaskOptions.attempt(arguments));
  }

  private static TaskCommand heartbeat(Arguments arguments) {
    return new TaskCommand.Heartbeat(TaskOptions.taskOrId(arguments), TaskOptions.attempt(arguments),
        TaskOptions.ttl(arguments));
  }

  private static TaskCommand close(Arguments arguments) {
    String outcome = arguments.required("outcome");
    TaskCommand.Ending ending = switch (outcome) {
      case "done" -> TaskCommand.Ending.DONE;
      case "blocked" -> TaskCommand.Ending.BLOCKED;
      default -> throw new UsageError("--outcome '" + outcome + "' must be done or blocked");
    };
    return new TaskCommand.Close(TaskOptions.task(arguments), TaskOptions.attempt(arguments), ending,
        arguments.value("reason").orElse(null));
  }

  private static TaskCommand release(Arguments arguments) {
    return new TaskCommand.Release(TaskOptions.task(arguments), TaskOptions.attempt(arguments));
  }
}
