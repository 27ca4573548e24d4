package fleet.tower.run.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.intent.StepLimits;
import fleet.tower.platform.Examination;
import fleet.tower.platform.Finding;
import fleet.tower.platform.disk.DiskReserve;
import fleet.tower.platform.disk.KernelRandom;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.run.Processes;
import fleet.tower.run.RunOutputs;

/**
 * Opens the processes of steps on this machine.
 *
 * @param home the working directory of every step
 * @param logs the directory of their output: {@code <request_id>/<log name>.log}
 * @param grace the time between TERM and KILL when a step is stopped
 * @param maxLogBytes the limit for the output of one step
 * @param reserve free space that output leaves
 * @param warnings receives problems that do not stop a step
 */
public record StepProcesses(Path home, Path logs, TimeSource time, Scheduler scheduler, Duration grace,
    long maxLogBytes, DiskReserve reserve, Consumer<String> warnings) {
  public static final Duration DEFAULT_GRACE = Duration.ofSeconds(10);
  private static final int MARK_BYTES = 8;

  /** Nothing is started before the first step. */
  public Processes open() {
    return open(new AtFirstStep(this));
  }

  /** The stored output in the directory {@code logs}. */
  public static RunOutputs outputs(Path logs) {
    return new OutputDirectories(logs);
  }

  /**
   * The examination by the doctor.
   *
   * @param path the search path of programs
   * @param limits the limits that intents declare
   */
  public static Examination examination(Path home, @Nullable String path, Supplier<Set<StepLimits>> limits) {
    return new Programs(home, path, limits);
  }

  private Spawner spawner() {
    return NativeSpawner.isPossible()
        ? new NativeSpawner(home, NativeSpawner.inheritedEnvironment(Path.of("/proc/self/environ")))
        : new WrapperSpawner(home, scheduler);
  }

  /** Checks that the programs exist that every step needs, and that declared limits can be enforced. */
  private record Programs(Path home, @Nullable String path,
      Supplier<Set<StepLimits>> limits) implements Examination {
    @Override
    public List<Finding> examine() {
      return Stream.concat(programs().stream(), unenforceable()).toList();
    }

    private Stream<Finding> unenforceable() {
      Confiner confiner = new Confiner(home, path);
      return limits.get().stream().map(confiner::problem).filter(Objects::nonNull).distinct()
          .map(problem -> Finding.warn("limits", problem,
              "do that; until then, steps with this limit fail before they begin"));
    }

    private List<Finding> programs() {
      return List.of(find("sh", Finding.Severity.FAIL, "no step can be run"),
          find("setsid", Finding.Severity.FAIL, "no step can be run"),
          find("bash", Finding.Severity.WARN, "steps with a script cannot be run"));
    }

    private Finding find(String program, Finding.Severity severity, String consequence) {
      return switch (Launch.find(program, path, home)) {
        case Launch.Found(String place) -> Finding.ok(program, place);
        case Launch.Missing(var why) -> new Finding(program, severity, why.problem() + ": " + consequence,
            program.equals("setsid")
                ? "install it; it comes with util-linux"
                : "install " + program + ", or correct PATH");
      };
    }
  }

  /** Chooses the spawner at the first step, because preparing native calls costs a command a quarter of a second. */
  private static final class AtFirstStep implements Spawner {
    private final StepProcesses settings;
    private @Nullable Spawner spawner;

    AtFirstStep(StepProcesses settings) {
      this.settings = settings;
    }

    @Override
    public Attempt spawn(Launch launch) {
      return spawner().spawn(launch);
    }

    private synchronized Spawner spawner() {
      if (spawner == null) {
        spawner = settings.spawner();
      }
      return spawner;
    }
  }

  HostProcesses open(Spawner spawner) {
    byte[] mark = new byte[MARK_BYTES];
    new KernelRandom().nextBytes(mark);
    return new HostProcesses(this, spawner, HexFormat.of().formatHex(mark));
  }
}
