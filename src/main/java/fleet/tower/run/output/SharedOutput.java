package fleet.tower.run.output;

import java.time.Duration;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.run.OutputStore;
import fleet.tower.run.Processes;
import fleet.tower.run.RunOutputs;
import fleet.tower.run.RunStore;
import fleet.tower.run.StepLogs;

/** The output of the runs of this host, shared with the other hosts of its fleet through their database. */
public final class SharedOutput {
  private static final Duration BETWEEN_CHECKS = Duration.ofHours(1);
  private static final Duration FIRST_CHECK = Duration.ofSeconds(1);
  private static final Duration PAUSE = Duration.ofMillis(5);

  private final Processes processes;
  private final StepLogs logs;
  private final @Nullable OutputCatchUp uncopied;
  private final Scheduler scheduler;
  private final Consumer<String> warnings;
  private volatile boolean isStopped;

  private SharedOutput(Processes processes, StepLogs logs, @Nullable OutputCatchUp uncopied, Scheduler scheduler,
      Consumer<String> warnings) {
    this.processes = processes;
    this.logs = logs;
    this.uncopied = uncopied;
    this.scheduler = scheduler;
    this.warnings = warnings;
  }

  /** The output of a host that shares none. */
  public static SharedOutput ofOneHost(Processes own, String hostId, Scheduler scheduler, Consumer<String> warnings) {
    return new SharedOutput(own, new RecordedLogs(own, null, hostId), null, scheduler, warnings);
  }

  /**
   * The output of a host of a fleet.
   *
   * @param own the processes of this host, with their logs
   * @param outputs the directories of these logs
   */
  public static SharedOutput ofFleet(Processes own, RunOutputs outputs, OutputStore copies, RunStore runs,
      String hostId, Scheduler scheduler, Consumer<String> warnings) {
    return new SharedOutput(new CopiedProcesses(own, new OutputCopier(own, copies, scheduler, warnings)),
        new RecordedLogs(own, copies, hostId), new OutputCatchUp(outputs, own, copies, runs), scheduler, warnings);
  }

  /** The processes of this host; in a fleet, their output is copied. */
  public Processes processes() {
    return processes;
  }

  /** The output of all runs, wherever they are executed. */
  public StepLogs logs() {
    return logs;
  }

  /** Copies what processes of this host left, soon and then each hour. */
  public void start() {
    schedule(FIRST_CHECK);
  }

  /** Stops that; the next process continues a check in progress. */
  public void stop() {
    isStopped = true;
  }

  private void schedule(Duration delay) {
    if (uncopied != null && !isStopped) {
      scheduler.after(delay, () -> Thread.ofVirtual().name("tower-uncopied-output").start(this::check));
    }
  }

  private void check() {
    try {
      int _ = copyRest();
    } catch (StorageException | IllegalStateException e) {
      if (!isStopped && !(e instanceof StorageException storage && storage.isReported())) {
        warnings.accept("output of earlier processes of this host could not be copied to the database: "
            + e.getMessage());
      }
    } finally {
      schedule(BETWEEN_CHECKS);
    }
  }

  /** Copies what processes of this host left; returns the number of their runs. */
  public int copyRest() {
    return uncopied == null ? 0 : uncopied.copy(this::pause);
  }

  private void pause() {
    if (isStopped) {
      throw new IllegalStateException("this process is closing");
    }
    scheduler.pause(PAUSE);
  }
}
