package fleet.tower.run;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * One step of a run, or one step of its rollback.
 *
 * @param exitCode the exit code of its process, 128 + n for signal n; null if no process was started or it still runs
 * @param note a remark for people, such as why it could not be started; null for none
 * @param outputSize the number of bytes of its log; null until it has ended, and if it was interrupted
 * @param tries those that have ended, in order, if it was or will be tried more than once; else none
 */
public record StepRecord(String name, Kind kind, Status status, @Nullable Integer exitCode, @Nullable Instant startedAt,
    long durationMillis, @Nullable String note, @Nullable Long outputSize, List<Try> tries) {
  public StepRecord {
    tries = List.copyOf(tries);
  }

  /** A step that was tried once, or not at all. */
  public StepRecord(String name, Kind kind, Status status, @Nullable Integer exitCode, @Nullable Instant startedAt,
      long durationMillis, @Nullable String note, @Nullable Long outputSize) {
    this(name, kind, status, exitCode, startedAt, durationMillis, note, outputSize, List.of());
  }

  /** One try of a step, as it ended. */
  public record Try(Status status, @Nullable Integer exitCode, long durationMillis, @Nullable String note) {

    /** How it ended, such as {@code failed with exit code 3}. */
    public String describe() {
      String how = status.toString().replace('_', ' ');
      return note != null ? how + ", " + note : how + (exitCode == null ? "" : " with exit code " + exitCode);
    }
  }

  /** The kind of a step. */
  public enum Kind {
    STEP(""), STEP_ROLLBACK(".rollback"), RUN_ROLLBACK(".run-rollback");

    private final String logSuffix;

    Kind(String logSuffix) {
      this.logSuffix = logSuffix;
    }
  }

  /** The state of a step. */
  public enum Status {
    PENDING, RUNNING, SUCCEEDED, FAILED, TIMED_OUT, CANCELLED, LOCK_LOST, SKIPPED, INTERRUPTED;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** A step that has not begun. */
  public static StepRecord pending(String name, Kind kind) {
    return new StepRecord(name, kind, Status.PENDING, null, null, 0, null, null);
  }

  public StepRecord started(Instant at) {
    return new StepRecord(name, kind, Status.RUNNING, null, at, 0, null, null);
  }

  public StepRecord ended(Status how, @Nullable Integer code, long millis, @Nullable String why) {
    return new StepRecord(name, kind, how, code, startedAt, millis, why, outputSize, tries);
  }

  public StepRecord withOutputSize(@Nullable Long bytes) {
    return new StepRecord(name, kind, status, exitCode, startedAt, durationMillis, note, bytes, tries);
  }

  /** The step after one more of several tries. */
  public StepRecord tried(Try ended) {
    return new StepRecord(name, kind, status, exitCode, startedAt, durationMillis, note, outputSize,
        Stream.concat(tries.stream(), Stream.of(ended)).toList());
  }

  /** The same step, skipped unless it has finished. */
  public StepRecord skipped() {
    return isFinished() ? this : new StepRecord(name, kind, Status.SKIPPED, null, null, 0, null, null);
  }

  public boolean hasBegun() {
    return startedAt != null;
  }

  public boolean isFinished() {
    return status != Status.PENDING && status != Status.RUNNING;
  }

  /** Whether it is known that it printed nothing. */
  public boolean isSilent() {
    return outputSize != null && outputSize == 0;
  }

  /**
   * Whether nothing follows a position of its log. While its run continues, the record of its end may be known before
   * all of its output.
   */
  public boolean isComplete(RunStatus ofRun, long position) {
    return ofRun.isFinished() || (isFinished() && (outputSize == null || position >= outputSize));
  }

  /** The name of the file with its output, within the directory of the run. */
  public String logName() {
    return name + kind.logSuffix;
  }
}
