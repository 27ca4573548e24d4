package fleet.tower.heartbeat;

import fleet.tower.lease.Tenure;

/** Told what becomes of a lease; never while a lock is held, so it may stop the heartbeat or wait. */
public interface HeartbeatListener {

  /** A beat was taken; the lease lives for another ttl. */
  default void renewed(Tenure tenure) {}

  /** A beat failed, for the {@code consecutiveFailures}th time in a row. It is tried again at the next interval. */
  default void failed(int consecutiveFailures, String error) {}

  /**
   * The lease could not be renewed for so long that work under it has to end now, to be over when somebody else may have it.
   * It may be renewed still, and then this may be told again. Told by a thread that others wait for: this must not wait.
   *
   * @param tenure with the deadline, which lies ahead yet unless this process was stopped
   */
  default void doubted(Tenure tenure) {}

  /** The lease is lost for good; no beat follows. */
  void lost(Renewal.Lost loss);
}
