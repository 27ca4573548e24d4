package fleet.tower.lease.keepalive;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Actor;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Lease;
import fleet.tower.platform.time.TimeSource;

/**
 * What its holder knows of a lease: the tenure, how its heartbeats have gone, and whether it is lost. One thread at a time may
 * change it; any thread may read it, also while a heartbeat hangs.
 */
final class RenewalState {
  private final String path;
  private final Actor actor;
  private final RenewalLog log;
  private final TimeSource time;
  /** Keeps the events of a lease in order; not the lock of its beats, because a disk that hangs must not keep those. */
  private final ReentrantLock reporting = new ReentrantLock();
  private final AtomicBoolean isReported = new AtomicBoolean();
  private volatile HeldLease tenure;
  private volatile HeartbeatCounts counts = HeartbeatCounts.NONE;
  private volatile boolean lost;

  RenewalState(HeldLease tenure, String path, Actor actor, RenewalLog log, TimeSource time) {
    this.tenure = tenure;
    this.path = path;
    this.actor = actor;
    this.log = log;
    this.time = time;
  }

  HeldLease tenure() {
    return tenure;
  }

  HeartbeatCounts counts() {
    return counts;
  }

  boolean isLost() {
    return lost;
  }

  /** Whether work may go on without asking the store. */
  boolean isTrusted() {
    return !lost && tenure.isTrustedAt(time.nanos());
  }

  /** Records the result of a beat. */
  void take(Renewal.Result result) {
    switch (result) {
      case Renewal.Renewed(HeldLease renewed) -> {
        tenure = renewed;
        counts = counts.succeeded();
        isReported.set(false);
      }
      case Renewal.Failed(String error) -> {
        HeartbeatCounts failed = counts.failed(error);
        counts = failed;
        if (failed.consecutiveFailures() == RenewalListener.FAILURES_TO_TELL) {
          reportFailures(failed);
        }
      }
      case Renewal.Lost loss -> {
        lost = true;
        reportLoss(loss.reason(), loss.holder(), counts.lastError());
      }
    }
  }

  /** Writes {@code heartbeat_failed}, once in a streak of failures. */
  void reportFailures(HeartbeatCounts failed) {
    reporting.lock();
    try {
      if (isReported.compareAndSet(false, true)) {
        log.heartbeatFailed(tenure.lease(), path, actor, failed);
      }
    } finally {
      reporting.unlock();
    }
  }

  /** Writes {@code lock_lost} for a lease that its holder gives up because it was not renewed. */
  void reportGivenUp(HeartbeatCounts failed) {
    reportFailures(failed);
    reportLoss("not renewed, and given up before its time was over", null, failed.error());
  }

  private void reportLoss(String reason, @Nullable Lease holder, @Nullable String error) {
    reporting.lock();
    try {
      log.lost(tenure.lease(), path, actor, reason, holder, error);
    } finally {
      reporting.unlock();
    }
  }
}
