package fleet.tower.run;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

import fleet.tower.lock.Locks;

/** The status of a run. */
public enum RunStatus {
  /** The run waits until it is approved; it has no lock and no place in a queue. */
  AWAITING_APPROVAL(null),
  /** The run waits for its lock or for an executor; no step has begun. */
  WAITING(null),
  /** The run is being executed. */
  RUNNING(null),
  /** Every step succeeded. */
  SUCCEEDED(Locks.Result.SUCCESS),
  /** A step failed. */
  FAILED(Locks.Result.FAILURE),
  /** The run was cancelled. */
  CANCELLED(Locks.Result.ABORTED),
  /** A step or the run reached its timeout. */
  TIMED_OUT(Locks.Result.FAILURE),
  /**
   * The lock was lost, or given up because it could not be renewed, so the run was stopped. It was not rolled back,
   * because its resources may belong to the next holder, unless the lock could be renewed after all.
   */
  LOCK_LOST(Locks.Result.FAILURE),
  /** The executor died; how far the run got is unknown, and nothing was rolled back. */
  INTERRUPTED(Locks.Result.ABORTED),
  /** The run was refused before its first step: it waited in vain, or would do something else than was planned. */
  REFUSED(Locks.Result.ABORTED);

  private final Locks.@Nullable Result result;

  RunStatus(Locks.@Nullable Result result) {
    this.result = result;
  }

  /** The result of a run with this status; null for an unfinished run. */
  public Locks.@Nullable Result result() {
    return result;
  }

  public boolean isFinished() {
    return result != null;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
