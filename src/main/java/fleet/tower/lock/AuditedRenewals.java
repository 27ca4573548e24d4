package fleet.tower.lock;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.audit.Origin;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Lease;
import fleet.tower.lease.keepalive.HeartbeatCounts;
import fleet.tower.lease.keepalive.RenewalLog;
import fleet.tower.platform.time.TimeSource;

/** Records failed renewals and lost locks in the audit log. */
public record AuditedRenewals(AuditLog audit, TimeSource time) implements RenewalLog {

  @Override
  public void heartbeatFailed(Lease lease, String path, Actor actor, HeartbeatCounts failed) {
    audit.append(new AuditEvent.HeartbeatFailed(lease.requestId(), time.now(), lease.name(), path,
        failed.consecutiveFailures(), failed.error(), lease.lastHeartbeatAt(), Origin.of(actor, lease.holder())));
  }

  @Override
  public void lost(Lease lease, String path, Actor actor, String reason, @Nullable Lease holder,
      @Nullable String error) {
    audit.append(new AuditEvent.LockLost(lease.requestId(), time.now(), lease.name(), path, lease.token(), reason,
        holder, error, Origin.of(actor, lease.holder())));
  }
}
