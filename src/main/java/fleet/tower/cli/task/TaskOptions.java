package fleet.tower.cli.task;

import fleet.tower.answer.UsageError;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Option;
import fleet.tower.home.Home;
import fleet.tower.task.Agent;

/** The agent that works on tasks, from the command line or the environment. */
public final class TaskOptions {
  public static final Option AGENT = Option.value("agent", "A", "the agent (default: TOWER_AGENT)");

  private TaskOptions() {}

  /** The agent. */
  public static Agent agent(Arguments arguments, Home home) {
    return new Agent(arguments.value(AGENT.name()).or(() -> home.variable("TOWER_AGENT")).orElseThrow(
        () -> new UsageError("--agent or TOWER_AGENT is required: the agent's name, such as builder-1")));
  }
}
