package fleet.tower.heartbeat;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.lease.Lease;
import fleet.tower.lease.Tenure;
import fleet.tower.time.TimeSource;

/**
 * What its holder knows of a lease: the tenure, how many beats have failed in a row, and whether it is lost. Used by one
 * thread at a time.
 */
final class HeldLease {
  /** A single failure may be a hiccup; this many in a row are worth an event, one for the whole streak. */
  static final int FAILURES_TO_TELL = 3;

  private final String path;
  private final AuditLog audit;
  private final TimeSource time;
  private Tenure tenure;
  private int consecutiveFailures;
  private boolean lost;

  HeldLease(Tenure tenure, String path, AuditLog audit, TimeSource time) {
    this.tenure = tenure;
    this.path = path;
    this.audit = audit;
    this.time = time;
  }

  Tenure tenure() {
    return tenure;
  }

  int consecutiveFailures() {
    return consecutiveFailures;
  }

  boolean isLost() {
    return lost;
  }

  /** Whether work may go on without asking the store. */
  boolean isTrusted() {
    return !lost && tenure.isTrustedAt(time.nanos());
  }

  /** Takes in what came of a beat. */
  void take(Renewal.Result result) {
    switch (result) {
      case Renewal.Renewed(Tenure renewed) -> {
        tenure = renewed;
        consecutiveFailures = 0;
      }
      case Renewal.Failed(String error) -> fail(error);
      case Renewal.Lost loss -> lose(loss);
    }
  }

  private void fail(String error) {
    consecutiveFailures++;
    if (consecutiveFailures == FAILURES_TO_TELL) {
      Lease lease = tenure.lease();
      audit.append(new AuditEvent.HeartbeatFailed(lease.requestId(), time.now(), lease.name(), path,
          consecutiveFailures, error, lease.lastHeartbeatAt()));
    }
  }

  private void lose(Renewal.Lost loss) {
    lost = true;
    Lease lease = tenure.lease();
    audit.append(new AuditEvent.LockLost(lease.requestId(), time.now(), lease.name(), path, lease.token(),
        loss.reason(), loss.holder()));
  }
}
