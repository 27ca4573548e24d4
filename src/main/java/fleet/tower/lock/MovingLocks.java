package fleet.tower.lock;

import java.util.List;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;

/**
 * The store that a home's locks move away from. Its barriers are durable, can be set again, and stop every process that
 * has the store open, whatever its version. Every call may throw {@link fleet.tower.platform.StorageException}.
 */
public interface MovingLocks extends AutoCloseable {

  /** All names that were ever locked or frozen, in the order of the names. */
  List<MovingLock> read();

  /** Stops new grants; holders still renew and release. Programs that do not know this barrier ignore it. */
  void stopGrants();

  /** Stops every change of every lock. Returns when no process is in the middle of one. */
  void stopChanges();

  /** Removes both barriers. */
  void resume();

  @Override
  void close();

  /**
   * Everything that a store knows about one name.
   *
   * @param counter a token that is not below any token ever issued for the name
   */
  record MovingLock(LeaseName name, FencingToken counter, LeaseState state, FreezeState freeze) {}
}
