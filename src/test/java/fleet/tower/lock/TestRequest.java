package fleet.tower.lock;

import fleet.tower.lease.Actor;
import fleet.tower.lease.Holder;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;

/** A builder of lock requests for tests. */
public record TestRequest(LeaseName name, RequestId requestId, Ttl ttl, boolean force) {
  /** The holder of all requests. */
  public static final Holder HOLDER = new Holder("claude-code", "deploy-app", "1.2.0", "tower-01", 12345, false);

  /** A request for 900 seconds, without force. */
  public static TestRequest by(String requestId, String name) {
    return new TestRequest(new LeaseName(name), new RequestId(requestId), Ttl.DEFAULT, false);
  }

  /** A request through an unknown door, without reentry, reason and metadata. */
  public static AcquireRequest of(LeaseName name, RequestId requestId, Holder holder, Ttl ttl, boolean force) {
    return of(name, requestId, holder, ttl, force, AcquireRequest.Metadata.NONE);
  }

  /** The same with metadata. */
  public static AcquireRequest of(LeaseName name, RequestId requestId, Holder holder, Ttl ttl, boolean force,
      AcquireRequest.Metadata metadata) {
    return new AcquireRequest(name, requestId, holder, ttl, force, metadata, AcquireRequest.Reentry.NEVER,
        new Actor(holder.actor(), null, null), null);
  }

  public TestRequest withForce() {
    return new TestRequest(name, requestId, ttl, true);
  }

  public TestRequest withTtl(long seconds) {
    return new TestRequest(name, requestId, new Ttl(seconds), force);
  }

  /** A request of the executor of a run, which may have taken the lock before. */
  public static AcquireRequest byRun(RequestId run, LeaseName name) {
    return of(name, run, HOLDER, Ttl.DEFAULT, false, AcquireRequest.Metadata.NONE.ofRun())
        .with(AcquireRequest.Reentry.RESUMED_RUN);
  }

  /** A request with the given id. */
  public static Owner owner(RequestId requestId) {
    return Owner.ofClient(requestId, HOLDER.actor());
  }

  /** The owner of the requested lock. */
  public Owner owner() {
    return owner(requestId);
  }

  /** The request of a client that may enter its own lock again. */
  public AcquireRequest request() {
    return of(name, requestId, HOLDER, ttl, force).with(AcquireRequest.Reentry.CLIENT);
  }
}
