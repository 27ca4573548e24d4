package fleet.tower.run;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * One step of a run, or one piece of its rollback.
 *
 * @param exitCode what its process ended with, 128 + n for signal n; null where none was started or has ended
 * @param note what else there is to say, as why it could not be started; null for nothing
 */
public record StepRecord(String name, Kind kind, Status status, @Nullable Integer exitCode, @Nullable Instant startedAt,
    long durationMillis, @Nullable String note) {
  public StepRecord {
    requireNonNull(name);
    requireNonNull(kind);
    requireNonNull(status);
  }

  /** What a record is of. */
  public enum Kind {
    STEP(""), STEP_ROLLBACK(".rollback"), RUN_ROLLBACK(".run-rollback");

    private final String logSuffix;

    Kind(String logSuffix) {
      this.logSuffix = logSuffix;
    }
  }

  /** Where a step stands. */
  public enum Status {
    PENDING, RUNNING, SUCCEEDED, FAILED, TIMED_OUT, CANCELLED, LOCK_LOST, SKIPPED, INTERRUPTED;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public static StepRecord pending(String name, Kind kind) {
    return new StepRecord(name, kind, Status.PENDING, null, null, 0, null);
  }

  public boolean hasBegun() {
    return startedAt != null;
  }

  public boolean isFinished() {
    return status != Status.PENDING && status != Status.RUNNING;
  }

  /** The name of the file with its output, within the run's own. */
  public String logName() {
    return name + kind.logSuffix;
  }
}
