package fleet.tower.guard;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;

/** Receives the events of a guard that an operator should know. It is not called while all is well. */
public interface GuardListener {

  /** The lock was taken from a dead holder. */
  void taken(Lease previous);

  /**
   * A heartbeat failed, for the {@code consecutiveFailures}th time in a row; the lock is still held, as far as is
   * known. Called for the first failure in a row and for the third.
   */
  void heartbeatFailed(LeaseName name, int consecutiveFailures, String error);

  /**
   * The lock could not be renewed, and another holder may have it soon.
   *
   * @param stopping whether the command is stopped for this reason
   */
  void notRenewed(LeaseName name, String error, boolean stopping);

  /**
   * The lock was lost.
   *
   * @param holder the new holder; null for none
   * @param stopping whether the command is stopped for this reason
   */
  void lost(LeaseName name, @Nullable Lease holder, boolean stopping);

  /** The command has ended, and its lock could not be released. */
  void notReleased(LeaseName name, String problem);

  /** The same for a release that failed with an exception. */
  void notReleased(LeaseName name, RuntimeException failure);
}
