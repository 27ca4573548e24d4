package fleet.tower.run;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

import fleet.tower.lock.Locks;

/** Where a run stands. */
public enum RunStatus {
  /** It waits for its lock, or for an executor; nothing has been done. */
  WAITING(null),
  /** It is at work, or about to be. */
  RUNNING(null),
  /** Every step ended well. */
  SUCCEEDED(Locks.Result.SUCCESS),
  /** A step failed, or the run was refused its lock after it had waited. */
  FAILED(Locks.Result.FAILURE),
  /** Somebody stopped it. */
  CANCELLED(Locks.Result.ABORTED),
  /** A step or the whole took longer than it may. */
  TIMED_OUT(Locks.Result.FAILURE),
  /**
   * Its lock was lost, or given up because it could not be renewed, so it stopped. It undid nothing, because that may be somebody
   * else's by now, unless the lock could be renewed after all.
   */
  LOCK_LOST(Locks.Result.FAILURE),
  /** Its executor died; nobody knows how far it came, and nothing was undone. */
  INTERRUPTED(Locks.Result.ABORTED);

  private final Locks.@Nullable Result result;

  RunStatus(Locks.@Nullable Result result) {
    this.result = result;
  }

  /** How a run that stands here ended; null while it has not. */
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
