package fleet.tower.guard.process;

import java.util.concurrent.Executor;
import java.util.function.Consumer;

import fleet.tower.guard.Commands;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/**
 * Opens guarded commands as processes of this machine.
 *
 * @param warnings receives failures that do not stop a command
 */
public record GuardProcesses(TimeSource time, Scheduler scheduler, Consumer<String> warnings) {

  /**
   * Opens the commands, and starts to prepare the calls into the C library on a separate thread: that takes as long as
   * acquiring the lock.
   */
  public Commands open() {
    return open(preparation -> Thread.ofPlatform().name("tower-prepare").daemon().start(preparation));
  }

  /** The same, with the preparation on another executor. */
  Commands open(Executor preparations) {
    HostCommands commands = new HostCommands(time, scheduler, warnings);
    preparations.execute(commands::prepare);
    return commands;
  }
}
