package fleet.tower.guard.process;

import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.guard.Commands;
import fleet.tower.platform.disk.KernelRandom;
import fleet.tower.platform.process.Libc;
import fleet.tower.platform.process.ProcessTree;
import fleet.tower.platform.process.Supervisor;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/** Commands on this machine, each with a supervisor that outlives this process. */
final class HostCommands implements Commands {
  private static final int NOT_FOUND = 127;
  private static final int NOT_RUN = 126;
  private static final int MARK_BYTES = 8;
  /** The number of the one command that its supervisor watches. */
  static final long ONLY = 1;

  private final TimeSource time;
  private final Scheduler scheduler;
  private final Consumer<String> warnings;
  private @Nullable SignalTrap trap;
  private boolean prepared;

  HostCommands(TimeSource time, Scheduler scheduler, Consumer<String> warnings) {
    this.time = time;
    this.scheduler = scheduler;
    this.warnings = warnings;
  }

  /** Loads the classes and functions that a start needs. */
  void prepare() {
    Libc.close(-1);
    GroupSpawner.prepare();
    listenForQuit();
  }

  /**
   * Listens for SIGQUIT, which needs the C library. Loading that takes a while, so it happens on another thread while
   * the lock is acquired: the trap may be set before or after.
   */
  private synchronized void listenForQuit() {
    prepared = true;
    if (trap != null) {
      trap.listenForQuit();
    }
  }

  @Override
  public synchronized Trap trap(IntConsumer onSignal) {
    SignalTrap set = new SignalTrap(onSignal);
    trap = set;
    if (prepared) {
      set.listenForQuit();
    }
    return set;
  }

  @Override
  public Start start(List<String> argv, Map<String, String> additions) {
    // Even if the preparation has not finished: no command runs before its SIGQUIT can be forwarded.
    listenForQuit();
    String prefix = random();
    String mark = prefix + "." + ONLY + ".";
    CallerEnvironment environment = CallerEnvironment.ofProcess();
    Supervisor supervisor = new Supervisor(prefix, (command, _) -> NativeShell.start(command, environment.path()), time,
        scheduler, warnings);
    try {
      supervisor.begin(ONLY);
    } catch (IOException e) {
      return new NotStarted(NOT_RUN,
          "without a supervisor the command could outlive this process: " + e.getMessage());
    }
    Terminal terminal = Terminal.open();
    GroupSpawner.Attempt attempt = GroupSpawner.spawn(argv,
        environment.with(additions, ProcessTree.MARK_VARIABLE, mark),
        terminal);
    if (attempt.errno() != 0) {
      supervisor.close();
      if (terminal != null) {
        terminal.close();
      }
      return notStarted(argv.getFirst(), attempt.errno());
    }
    supervisor.group(ONLY, attempt.pid(), "");
    return new Started(new NativeCommand(attempt.pid(), supervisor, terminal,
        leader -> new ProcessTree(leader, mark, time, scheduler, warnings)));
  }

  private static NotStarted notStarted(String program, int errno) {
    return errno == Libc.ENOENT
        ? new NotStarted(NOT_FOUND, program + ": no such program")
        : new NotStarted(NOT_RUN, program + ": " + Libc.describe(errno).toLowerCase(Locale.ROOT));
  }

  private static String random() {
    byte[] bytes = new byte[MARK_BYTES];
    new KernelRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
