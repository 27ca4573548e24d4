package fleet.tower.cli.task;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import fleet.tower.guard.Commands;
import fleet.tower.task.worker.Claims;
import fleet.tower.task.worker.TaskRunner;

/**
 * Runs each task by the same command, which finds the task in its environment. The first signal is passed to the
 * command; the second one kills it with all its children. Either way the task is released.
 */
final class CommandTaskRunner implements TaskRunner {
  private static final Duration GRACE = Duration.ofSeconds(10);

  private final Commands commands;
  private final List<String> argv;
  private final String agent;
  private final Runnable onSignal;
  private Commands.@Nullable Running running;
  private Commands.@Nullable NotStarted notStarted;
  private int firstSignal;

  /** @param onSignal runs at the first signal */
  CommandTaskRunner(Commands commands, List<String> argv, String agent, Runnable onSignal) {
    this.commands = commands;
    this.argv = List.copyOf(argv);
    this.agent = agent;
    this.onSignal = onSignal;
  }

  /** The first signal; 0 for none. */
  synchronized int firstSignal() {
    return firstSignal;
  }

  /** Why the command cannot be run; null if it can. */
  synchronized Commands.@Nullable NotStarted notStarted() {
    return notStarted;
  }

  void signal(int signal) {
    Commands.Running target;
    boolean again;
    synchronized (this) {
      again = firstSignal != 0;
      firstSignal = again ? firstSignal : signal;
      target = running;
    }
    onSignal.run();
    if (target != null && again) {
      target.stop(Duration.ZERO);
    } else if (target != null) {
      target.signal(signal);
    }
  }

  @Override
  public synchronized Job begin(Claims.Claimed claimed) {
    if (firstSignal != 0) {
      return new Unbegun(new GivenBack("stopped"));
    }
    Map<String, String> about = Map.of("TOWER_TASK_ID", claimed.task().value(), "TOWER_TASK_ATTEMPT",
        Long.toString(claimed.attempt()), "TOWER_TASK_TITLE", claimed.title(), "TOWER_AGENT", agent);
    return switch (commands.start(argv, about)) {
      case Commands.NotStarted why -> {
        notStarted = why;
        yield new Unbegun(new GivenBack("cannot run " + why.problem()));
      }
      case Commands.Started(Commands.Running command) -> {
        running = command;
        yield new Begun(command);
      }
    };
  }

  private record Unbegun(End end) implements Job {
    @Override
    public End await(Runnable onResume) {
      return end;
    }

    @Override
    public void stop() {
      // The command was never started.
    }
  }

  private final class Begun implements Job {
    private final Commands.Running command;

    Begun(Commands.Running command) {
      this.command = command;
    }

    @Override
    public End await(Runnable onResume) {
      Commands.End end = command.await(onResume);
      synchronized (CommandTaskRunner.this) {
        running = null;
        return switch (end) {
          case Commands.Exited(int code) when code == 0 -> new Done(null);
          case Commands.Exited(int _) when firstSignal != 0 -> new GivenBack("stopped");
          case Commands.Signalled(int _) when firstSignal != 0 -> new GivenBack("stopped");
          case Commands.Exited(int code) -> new Failed(argv.getFirst() + " exited with " + code);
          case Commands.Signalled(int signal) -> new Failed(argv.getFirst() + " was killed by signal " + signal);
        };
      }
    }

    @Override
    public void stop() {
      command.stop(GRACE);
    }
  }
}
