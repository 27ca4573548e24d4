package fleet.tower.cli.task;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;

import fleet.tower.answer.Reply;
import fleet.tower.answer.UsageError;
import fleet.tower.cli.remote.Requests;
import fleet.tower.cli.run.RunOptions;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.OperationCommand;
import fleet.tower.cli.shell.Option;
import fleet.tower.home.Home;
import fleet.tower.intent.Values;
import fleet.tower.operation.Given;
import fleet.tower.operation.Operation;
import fleet.tower.operation.TaskOperations;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Console;

/** The commands {@code tower task …}, except for the worker. */
public final class TaskCommands {
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(500);

  private final Home home;
  private final Console console;
  private final Requests requests;

  public TaskCommands(Home home, Console console, Requests requests) {
    this.home = home;
    this.console = console;
    this.requests = requests;
  }

  /** The commands. */
  public List<Command> all() {
    return List.of(create(), changing(TaskOperations.CLAIM, TaskLayout::claimed),
        changing(TaskOperations.RESUME, TaskLayout::claimed), changing(TaskOperations.START, TaskLayout::claimed),
        changing(TaskOperations.RENEW, TaskLayout::held), changing(TaskOperations.CLOSE, TaskLayout::held),
        changing(TaskOperations.RELEASE, TaskLayout::held), changing(TaskOperations.SWEEP, TaskLayout::swept), list(),
        requests.command(TaskOperations.VIEW, TaskLayout::one), events());
  }

  /** The agent may be in the environment. */
  private Command changing(Operation operation, BiFunction<Reply, JsonObject, Reply> layout) {
    Command command = requests.command(operation, layout);
    return new Command(command.name(), command.operands(), command.summary(),
        command.options().stream().map(TaskCommands::option).toList(),
        arguments -> command.action().run(by(arguments)));
  }

  private static Option option(Option option) {
    return option.name().equals(TaskOptions.AGENT.name()) ? TaskOptions.AGENT : option;
  }

  private Arguments by(Arguments arguments) {
    return arguments.with(TaskOptions.AGENT.name(), TaskOptions.agent(arguments, home).name());
  }

  /** The parameters of the intent are given as those of a run. */
  private Command create() {
    Command command = changing(TaskOperations.CREATE, TaskLayout::claimed);
    List<Option> options = new ArrayList<>(command.options().stream()
        .map(option -> option.name().equals("depends-on")
            ? Option.repeated("d", option.name(), option.placeholder(), option.summary())
            : option)
        .toList());
    options.addAll(RunOptions.PARAMS);
    return new Command(command.name(), command.operands(), command.summary(), options, this::create);
  }

  private Reply create(Arguments arguments) {
    Optional<String> intent = arguments.value(TaskOperations.INTENT.name());
    Map<String, Values.Given> params = RunOptions.params(arguments);
    if (intent.isEmpty() && !params.isEmpty()) {
      throw new UsageError("-p needs an intent; name it with --intent");
    }
    Arguments named = by(arguments);
    Given given = requests.given(TaskOperations.CREATE, named);
    return requests.reply(TaskOperations.CREATE, intent.isEmpty()
        ? given
        : given.with(TaskOperations.PARAMS, requests.params(intent.get(), params, arguments)), named,
        TaskLayout::claimed);
  }

  private Command list() {
    return OperationCommand.of(TaskOperations.LIST, arguments -> requests.reply(TaskOperations.LIST,
        requests.given(TaskOperations.LIST, arguments), arguments,
        (reply, data) -> TaskLayout.list(reply, data, arguments.has("ids"))))
        .with(Option.flag("ids", "print only the ids"));
  }

  private Command events() {
    Command command = requests.command(TaskOperations.EVENTS, TaskLayout::events);
    return command.with(Option.flag("follow", "continue with new events as they arrive"))
        .acting(arguments -> arguments.has("follow") ? follow(arguments) : command.action().run(arguments));
  }

  private Reply follow(Arguments arguments) {
    Given given = requests.given(TaskOperations.EVENTS, arguments);
    try (Requests.Calls calls = requests.calls(arguments)) {
      while (!console.isClosed()) {
        List<JsonObject> events = calls.send(TaskOperations.EVENTS, given).objects("events");
        for (JsonObject event : events) {
          if (arguments.has("json")) {
            console.json(event.raw());
          } else {
            console.data(TaskLayout.line(event));
          }
          given = given.with(TaskOperations.AFTER, event.integer("id").orElseThrow());
        }
        if (events.isEmpty()) {
          home.scheduler().pause(BETWEEN_LOOKS);
        }
      }
    }
    return Reply.of(Exit.DONE, JsonWriter.line());
  }
}
