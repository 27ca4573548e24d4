package fleet.tower.lease.keepalive;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseTerm;

/**
 * Receives the reports about the renewals of one lease. It is not called under a lock, so it may stop the renewals or
 * wait. The two methods that record are the exception: {@link LeaseRenewer#stop} waits for them, so that an event of a
 * renewal is recorded before the events that follow, such as the release.
 */
public interface RenewalListener {
  /** A single failure may be a hiccup; this many in a row are worth an event, one for the whole streak. */
  int FAILURES_TO_REPORT = 3;

  /** The lease was renewed. */
  default void renewed(LeaseTerm term) {}

  /**
   * A renewal failed, for the {@code consecutiveFailures}th time in a row. The next try comes sooner than the next
   * renewal would.
   */
  default void failed(int consecutiveFailures, String error) {}

  /** The same in an outage of the storage, which this process has reported to its operator already. */
  default void unreachable(int consecutiveFailures, String error) {
    failed(consecutiveFailures, error);
  }

  /**
   * The lease was not renewed because the work made no progress, for the {@code consecutiveFailures}th time in a row.
   * The next try comes after the regular interval.
   */
  default void withheld(int consecutiveFailures, String error) {
    failed(consecutiveFailures, error);
  }

  /**
   * The lease could not be renewed for so long that the work must end now, so that it has ended by the time another
   * holder may have the lease. A holder that ends its work calls {@link LeaseRenewer#giveUp}, any other {@link
   * LeaseRenewer#reportFailures}. The lease may still be renewed, and then this may be called again. It runs on the
   * thread of the alarms and must not wait.
   *
   * @param term with the deadline, which lies ahead unless this process was suspended
   * @param counts with the reason; a renewal that hangs counts as a failure
   */
  default void doubted(LeaseTerm term, HeartbeatCounts counts) {}

  /**
   * Records that the lease is not renewed, once for each streak of failures: after several in a row, or when the holder
   * doubts the lease.
   *
   * @param term as it is since the last successful renewal
   */
  default void recordFailures(LeaseTerm term, HeartbeatCounts failed) {}

  /**
   * Records that the store has reported the lease as lost, or that its holder has given it up.
   *
   * @param holder the current holder, if known
   * @param error the last error of a renewal; null if none failed
   */
  default void recordLoss(String reason, @Nullable Lease holder, @Nullable String error) {}

  /** The lease is lost for good; no renewal follows. */
  void lost(Renewal.Lost loss);
}
