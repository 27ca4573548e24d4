package fleet.tower.guard;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;

/** Told what an operator should know of while a command runs under its lock. Nothing is told when all is well. */
public interface GuardListener {

  /** The lock was taken from a dead holder. */
  void taken(Lease previous);

  /**
   * A heartbeat failed, for the {@code consecutiveFailures}th time in a row; the lock is held still, as far as is known. Told of the
   * first failure in a row and of the third.
   */
  void heartbeatFailed(LeaseName name, int consecutiveFailures, String error);

  /**
   * The lock could not be renewed, and others may have it soon.
   *
   * @param stopping whether the command is ended for it
   */
  void notRenewed(LeaseName name, String error, boolean stopping);

  /**
   * The lock is not ours any more.
   *
   * @param holder who has it; null for nobody
   * @param stopping whether the command is ended for it
   */
  void lost(LeaseName name, @Nullable Lease holder, boolean stopping);

  /** The command has ended, and its lock could not be given back. */
  void notReleased(LeaseName name, String problem);
}
