package fleet.tower.lock;

import static java.util.Objects.requireNonNull;

import fleet.tower.lease.Holder;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;

/** Somebody asks for a lock. Force takes it from a dead holder and from nobody else. */
public record AcquireRequest(LeaseName name, RequestId requestId, Holder holder, Ttl ttl, boolean force) {
  public AcquireRequest {
    requireNonNull(name);
    requireNonNull(requestId);
    requireNonNull(holder);
    requireNonNull(ttl);
  }
}
