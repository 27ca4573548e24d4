package fleet.tower.lock;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.audit.Origin;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseTerm;
import fleet.tower.lease.keepalive.HeartbeatCounts;
import fleet.tower.lease.keepalive.Renewal;
import fleet.tower.lease.keepalive.RenewalListener;
import fleet.tower.platform.time.TimeSource;

/**
 * Records the failed renewals and the loss of one lock in the audit log, and passes all other reports on.
 *
 * @param path the place of the lock in its store
 * @param listener receives the reports that are not recorded
 */
public record AuditedRenewals(AuditLog audit, TimeSource time, Lease lease, String path, Actor actor,
    RenewalListener listener) implements RenewalListener {

  @Override
  public void recordFailures(LeaseTerm term, HeartbeatCounts failed) {
    audit.append(new AuditEvent.HeartbeatFailed(lease.requestId(), time.now(), lease.name(), path,
        failed.consecutiveFailures(), failed.error(), term.lastHeartbeatAt(), Origin.of(actor, lease.holder())));
  }

  @Override
  public void recordLoss(String reason, @Nullable Lease holder, @Nullable String error) {
    audit.append(new AuditEvent.LockLost(lease.requestId(), time.now(), lease.name(), path, lease.token(), reason,
        holder, error, Origin.of(actor, lease.holder())));
  }

  @Override
  public void renewed(LeaseTerm term) {
    listener.renewed(term);
  }

  @Override
  public void failed(int consecutiveFailures, String error) {
    listener.failed(consecutiveFailures, error);
  }

  @Override
  public void unreachable(int consecutiveFailures, String error) {
    listener.unreachable(consecutiveFailures, error);
  }

  @Override
  public void withheld(int consecutiveFailures, String error) {
    listener.withheld(consecutiveFailures, error);
  }

  @Override
  public void doubted(LeaseTerm term, HeartbeatCounts counts) {
    listener.doubted(term, counts);
  }

  @Override
  public void lost(Renewal.Lost loss) {
    listener.lost(loss);
  }
}
