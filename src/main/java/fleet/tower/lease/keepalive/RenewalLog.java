package fleet.tower.lease.keepalive;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Actor;
import fleet.tower.lease.Lease;

/** Records leases that could not be renewed or were lost. The path is where a human finds the lease; the actor holds it. */
public interface RenewalLog {
  /** Records nothing; for leases that are kept, and recorded, elsewhere. */
  RenewalLog NONE = new RenewalLog() {
    @Override
    public void heartbeatFailed(Lease lease, String path, Actor actor, HeartbeatCounts failed) {}

    @Override
    public void lost(Lease lease, String path, Actor actor, String reason, @Nullable Lease holder,
        @Nullable String error) {}
  };

  /** Several renewals in a row failed, or the lease is about to be given up; once for each streak. */
  void heartbeatFailed(Lease lease, String path, Actor actor, HeartbeatCounts failed);

  /** The lease is lost or given up; {@code holder} has it now, if known. */
  void lost(Lease lease, String path, Actor actor, String reason, @Nullable Lease holder, @Nullable String error);
}
