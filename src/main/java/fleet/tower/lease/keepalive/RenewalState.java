package fleet.tower.lease.keepalive;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseTerm;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.TimeSource;

/**
 * The state of one lease that is kept alive: its term, the counts of its renewals, and whether it is lost. One thread
 * at a time renews it; any thread may read it, also while a renewal hangs.
 */
final class RenewalState {
  private final Renewal renewal;
  private final RenewalListener listener;
  private final TimeSource time;
  /** Keeps the events of a lease in order. Renewals do not hold it: a disk that hangs must not delay them. */
  private final ReentrantLock reporting = new ReentrantLock();
  private final AtomicBoolean isReported = new AtomicBoolean();
  private final AtomicBoolean lost = new AtomicBoolean();
  private volatile LeaseTerm term;
  private volatile HeartbeatCounts counts = HeartbeatCounts.NONE;

  RenewalState(LeaseTerm term, Renewal renewal, RenewalListener listener, TimeSource time) {
    this.term = term;
    this.renewal = renewal;
    this.listener = listener;
    this.time = time;
  }

  LeaseTerm term() {
    return term;
  }

  HeartbeatCounts counts() {
    return counts;
  }

  boolean isLost() {
    return lost.get();
  }

  /** Whether work may continue without querying the store. */
  boolean isTrusted() {
    return !isLost() && term.isTrustedAt(time.nanos());
  }

  /** Tries to renew the lease, and records nothing yet. */
  Renewal.Result attempt() {
    try {
      return renewal.renew();
    } catch (StorageException e) {
      return new Renewal.Failed(e.publicMessage(), e.isReported());
    } catch (RuntimeException | Error e) {
      // A missing class or a lack of memory must not end the renewals of a lease that is held.
      return new Renewal.Failed(e.getMessage() == null ? e.toString() : e.getMessage());
    }
  }

  /** The result of a renewal and the failures in a row that it ends or adds to, as the listener receives them. */
  record Attempt(Renewal.Result result, int consecutiveFailures) {
    void report(RenewalListener listener) {
      switch (result) {
        case Renewal.Renewed(LeaseTerm term) -> listener.renewed(term);
        case Renewal.Failed(String error, boolean isReported) when isReported ->
          listener.unreachable(consecutiveFailures, error);
        case Renewal.Failed(String error, boolean _) -> listener.failed(consecutiveFailures, error);
        case Renewal.Withheld(String error) -> listener.withheld(consecutiveFailures, error);
        case Renewal.Lost loss -> listener.lost(loss);
      }
    }
  }

  /** Records the result of a renewal, which never shortens a lease. Returns null after a loss: nothing follows it. */
  @Nullable
  Attempt record(Renewal.Result result) {
    if (isLost()) {
      return null;
    }
    switch (result) {
      case Renewal.Renewed(LeaseTerm renewed) -> {
        term = renewed.deadlineNanos() - term.deadlineNanos() >= 0 ? renewed : term;
        counts = counts.succeeded();
        isReported.set(false);
      }
      case Renewal.Failed(String error, boolean _) -> recordFailure(error);
      case Renewal.Withheld(String error) -> recordFailure(error);
      case Renewal.Lost loss -> {
        if (!lose()) {
          return null;
        }
        reportLoss(loss.reason(), loss.holder(), counts.lastError());
      }
    }
    return new Attempt(result, counts.consecutiveFailures());
  }

  private void recordFailure(String error) {
    HeartbeatCounts failed = counts.failed(error);
    counts = failed;
    if (failed.consecutiveFailures() == RenewalListener.FAILURES_TO_REPORT) {
      reportFailures(failed);
    }
  }

  /** Marks the lease as lost; returns whether it was not before. */
  boolean lose() {
    return lost.compareAndSet(false, true);
  }

  /** Records the failures, once in a streak. */
  void reportFailures(HeartbeatCounts failed) {
    reporting.lock();
    try {
      if (isReported.compareAndSet(false, true)) {
        listener.recordFailures(term, failed);
      }
    } finally {
      reporting.unlock();
    }
  }

  /** Records the loss of a lease that its holder gives up because it was not renewed. */
  void reportGivenUp(HeartbeatCounts failed) {
    reportFailures(failed);
    reportLoss("not renewed, and given up before its time was over", null, failed.error());
  }

  private void reportLoss(String reason, @Nullable Lease holder, @Nullable String error) {
    reporting.lock();
    try {
      listener.recordLoss(reason, holder, error);
    } finally {
      reporting.unlock();
    }
  }
}
