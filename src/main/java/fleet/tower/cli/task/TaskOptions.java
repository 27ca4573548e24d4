package fleet.tower.cli.task;

import static fleet.tower.cli.shell.Option.value;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

import fleet.tower.answer.UsageError;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Option;
import fleet.tower.home.Home;
import fleet.tower.lease.Door;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.task.Agent;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskId;

/** The options that the commands about tasks share. */
public final class TaskOptions {
  public static final Option AGENT = value("agent", "A", "the agent (default: TOWER_AGENT)");
  public static final Option TTL = value("ttl", "D",
      "how long the claim stays valid after its last heartbeat (default 5m)");
  public static final Option PROJECT = value("project", "P", "only tasks of this project");
  static final Option REQUEST_ID = Option.requestId("the id of this request")
      .needed(": choose an id, so that a retry after a lost answer has no further effect");
  static final Option ATTEMPT = value("attempt", "N", "the attempt that the claim returned");

  private TaskOptions() {}

  /** The agent and its request id. */
  static TaskCommand.Call call(Arguments arguments, Home home) {
    Agent agent = agent(arguments, home);
    return new TaskCommand.Call(agent, new RequestId(arguments.required("request-id")),
        home.actor(Optional.of(agent.name()), Door.CLI));
  }

  /** The agent. */
  public static Agent agent(Arguments arguments, Home home) {
    return new Agent(arguments.value("agent").or(() -> home.variable("TOWER_AGENT")).orElseThrow(
        () -> new UsageError("--agent or TOWER_AGENT is required: the agent's name, such as builder-1")));
  }

  static TaskId task(Arguments arguments) {
    return new TaskId(arguments.operand(0));
  }

  /** The task given as the operand or with {@code --id}. */
  static TaskId taskOrId(Arguments arguments) {
    Optional<String> operand = arguments.optionalOperand(0);
    Optional<String> id = arguments.value("id");
    if (operand.isPresent() && id.isPresent()) {
      throw new UsageError("the task is given twice, as '" + operand.get() + "' and with --id");
    }
    return new TaskId(operand.or(() -> id).orElseThrow(() -> new UsageError("TASK is missing")));
  }

  static OptionalLong attempt(Arguments arguments) {
    return arguments.number("attempt").map(OptionalLong::of).orElseGet(OptionalLong::empty);
  }

  /** The ttl of a claim. */
  public static Ttl ttl(Arguments arguments) {
    Duration ttl = arguments.duration("ttl").orElse(TaskCommand.DEFAULT_TTL.duration());
    if (ttl.toMillisPart() != 0) {
      throw new UsageError("--ttl must be whole seconds, not " + ttl.toMillis() + " ms");
    }
    return new Ttl(ttl.toSeconds());
  }
}
