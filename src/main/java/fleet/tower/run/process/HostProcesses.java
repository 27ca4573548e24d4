package fleet.tower.run.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.process.ProcessTree;
import fleet.tower.platform.process.StrayProcesses;
import fleet.tower.platform.process.Supervisor;
import fleet.tower.platform.time.BootStamp;
import fleet.tower.run.Processes;

/** The steps of this machine, with one supervisor for all. */
final class HostProcesses implements Processes {
  /** Names that cannot lead to another directory; request ids have this form too. */
  private static final Pattern SAFE_NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:-]{0,199}");

  private static final int EMPTY_CHECKS = 2;
  private static final Duration CLOCK_SLACK = Duration.ofHours(1);
  /** The unit of times that Linux shows of processes. */
  private static final int TICK_MILLIS = 10;
  private static final Duration BETWEEN_CHECKS = Duration.ofMillis(50);

  private final StepProcesses settings;
  private final Spawner spawner;
  private final Confiner confiner;
  private final HostSecrets secrets;
  private final String prefix;
  private final Supervisor supervisor;
  private final AtomicLong numbers = new AtomicLong();
  private final ExecutorService threads = Executors
      .newCachedThreadPool(Thread.ofPlatform().name("tower-run-", 1).daemon().factory());

  HostProcesses(StepProcesses settings, Spawner spawner, String prefix) {
    this.settings = settings;
    this.spawner = spawner;
    this.confiner = new Confiner(settings.home(), System.getenv("PATH"));
    this.secrets = new HostSecrets(settings.home());
    this.prefix = prefix;
    this.supervisor = new Supervisor(prefix, JavaShell::start, settings.time(), settings.scheduler(),
        settings.warnings());
  }

  Supervisor supervisor() {
    return supervisor;
  }

  @Override
  public void requireSpace() {
    settings.reserve().require();
  }

  @Override
  public Started start(Command command, Watcher watcher) {
    try {
      return begin(secrets.complete(command, watcher::warned), watcher);
    } catch (HostSecrets.Unreadable e) {
      return new NeverStarted(new NotStarted(Launch.NOT_STARTED, String.valueOf(e.getMessage())), watcher);
    }
  }

  private Started begin(Command command, Watcher watcher) {
    Path file = log(command.requestId(), command.logName());
    return start(command, watcher, stepLog(file, watcher::warned), file.toString());
  }

  @Override
  public Started look(Command command, Watcher watcher) {
    return start(command, watcher, null, "");
  }

  private Started start(Command command, Watcher watcher, @Nullable StepLog log, String file) {
    if (command.argv().isEmpty()) {
      throw new IllegalStateException("a step needs a program");
    }
    long number = numbers.incrementAndGet();
    String mark = prefix + "." + number + ".";
    return switch (attempt(command, number, mark)) {
      case Spawner.Failed(NotStarted(int code, String problem)) ->
        new NeverStarted(new NotStarted(code, command.secrets().mask(problem)), watcher);
      case Spawner.Begun(Spawner.Leader leader) -> {
        supervisor.group(number, leader.pid(), file);
        Consumer<String> warnings = text -> settings.warnings()
            .accept("run " + command.requestId() + ", " + command.logName() + ": " + text);
        ProcessTree tree = new ProcessTree(leader, mark, settings.time(), settings.scheduler(), warnings);
        yield new ProcessStep(leader, tree, log,
            new ProcessStep.Surroundings(settings.grace(), settings.scheduler(),
                watched -> watch(number, leader.pid(), watched), warnings),
            watcher, command.secrets());
      }
    };
  }

  private StepLog stepLog(Path file, Consumer<String> warned) {
    return new StepLog(file, settings.maxLogBytes(), settings.reserve(), text -> {
      settings.warnings().accept(file + ": " + text);
      warned.accept(text);
    });
  }

  @Override
  public void note(RequestId requestId, String logName, String text) {
    try (StepLog log = stepLog(log(requestId, logName), _ -> {})) {
      log.resume();
      boolean _ = log.note(text);
    }
  }

  /** A step without a process. */
  private record NeverStarted(NotStarted why, Watcher watcher) implements Started {
    @Override
    public void await() {
      watcher.ended(why);
    }

    @Override
    public void wake() {
      // It never waits.
    }

    @Override
    public void stop() {
      // It has no process.
    }
  }

  /** Its thread may block in a system call, which no virtual thread should. */
  @Override
  public void execute(Runnable work) {
    threads.execute(work);
  }

  private Spawner.Attempt attempt(Command command, long number, String mark) {
    Map<String, String> additions = new HashMap<>(command.environment());
    additions.put(ProcessTree.MARK_VARIABLE, mark);
    String path = additions.getOrDefault("PATH", System.getenv("PATH"));
    return switch (Launch.find(command.argv().getFirst(), path, settings.home())) {
      case Launch.Missing(NotStarted why) -> new Spawner.Failed(why);
      case Launch.Found(String program) -> {
        Launch launch = new Launch(program, command.argv(), additions);
        String unpassable = launch.unpassable();
        String problem = unpassable == null ? confiner.problem(command.limits()) : unpassable;
        yield problem == null ? supervised(confiner.confined(launch, command.limits()), number) : failed(problem);
      }
    };
  }

  private Spawner.Attempt supervised(Launch launch, long number) {
    try {
      supervisor.begin(number);
    } catch (IOException e) {
      supervisor.end(number);
      return failed("without a supervisor the step could outlive this process: " + e.getMessage());
    }
    Spawner.Attempt attempt = spawner.spawn(launch);
    if (attempt instanceof Spawner.Failed) {
      supervisor.end(number);
    }
    return attempt;
  }

  private static Spawner.Attempt failed(String problem) {
    return new Spawner.Failed(new NotStarted(Launch.NOT_STARTED, problem));
  }

  private void watch(long number, long group, boolean watched) {
    if (!watched) {
      supervisor.end(number);
      return;
    }
    try {
      supervisor.begin(number);
      supervisor.group(number, group, "");
    } catch (IOException e) {
      settings.warnings().accept("no supervisor watches group " + group + ": " + e.getMessage());
    }
  }

  @Override
  public Output read(RequestId requestId, String logName, long from, int maxBytes) {
    return StepLog.read(log(requestId, logName), from, maxBytes);
  }

  @Override
  public long size(RequestId requestId, String logName) {
    return StepLog.size(log(requestId, logName));
  }

  @Override
  public boolean haveEnded(RequestId requestId, long sinceTicks) {
    return haveEnded(requestId, sinceTicks, sinceTicks);
  }

  @Override
  public boolean haveEnded(RequestId requestId, Instant requestedAt) {
    BootStamp boot = settings.time().boot();
    Duration age = Duration.between(requestedAt, settings.time().now()).plus(CLOCK_SLACK);
    return haveEnded(requestId, 0, boot == null ? 0 : Math.max(0, boot.millis() - age.toMillis()) / TICK_MILLIS);
  }

  /** A process shows no environment while it executes another program, so one empty check is not enough. */
  private boolean haveEnded(RequestId requestId, long sinceTicks, long unreadableSinceTicks) {
    String entry = "TOWER_REQUEST_ID=" + requestId;
    for (int check = 0; check < EMPTY_CHECKS; check++) {
      if (check > 0) {
        settings.scheduler().pause(BETWEEN_CHECKS);
      }
      if (StrayProcesses.mayExist(entry, sinceTicks, unreadableSinceTicks)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public Optional<Instant> lastTrace(RequestId requestId, String logName) {
    try {
      return Optional.of(Files.getLastModifiedTime(log(requestId, logName), LinkOption.NOFOLLOW_LINKS).toInstant());
    } catch (IOException none) {
      return Optional.empty();
    }
  }

  private Path log(RequestId requestId, String logName) {
    return settings.logs().resolve(safe(requestId.value())).resolve(safe(logName) + StepLog.SUFFIX);
  }

  static boolean isSafe(String name) {
    return SAFE_NAME.matcher(name).matches();
  }

  static String safe(String name) {
    if (!isSafe(name)) {
      throw new IllegalStateException("'" + name + "' cannot be the name of a log");
    }
    return name;
  }

  @Override
  public void close() {
    supervisor.close();
    threads.shutdown();
  }
}
