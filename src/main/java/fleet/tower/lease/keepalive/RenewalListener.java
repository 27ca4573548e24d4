package fleet.tower.lease.keepalive;

import fleet.tower.lease.HeldLease;

/** Told what becomes of a lease; never while a lock is held, so it may stop the heartbeat or wait. */
public interface RenewalListener {
  /** A single failure may be a hiccup; this many in a row are worth an event, one for the whole streak. */
  int FAILURES_TO_TELL = 3;

  /** A beat was taken; the lease lives for another ttl. */
  default void renewed(HeldLease tenure) {}

  /** A beat failed, for the {@code consecutiveFailures}th time in a row. It is tried again, sooner than the next one would come. */
  default void failed(int consecutiveFailures, String error) {}

  /**
   * A lease was not renewed because the work under it has proven nothing, for the {@code consecutiveFailures}th time in a row. It
   * is looked at again at the next interval.
   */
  default void heldBack(int consecutiveFailures, String error) {
    failed(consecutiveFailures, error);
  }

  /**
   * The lease could not be renewed for so long that work under it has to end now, to be over when somebody else may have it. A
   * holder that ends its work for that calls {@link LeaseRenewer#giveUp}, any other {@link LeaseRenewer#reportFailures}. The lease may be
   * renewed still, and then this may be told again. Told by a thread that others wait for: this must not wait.
   *
   * @param tenure with the deadline, which lies ahead yet unless this process was stopped
   * @param counts with what keeps it from being renewed; a beat that hangs counts as a failure
   */
  default void doubted(HeldLease tenure, HeartbeatCounts counts) {}

  /** The lease is lost for good; no beat follows. */
  void lost(Renewal.Lost loss);
}
