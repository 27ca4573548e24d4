package fleet.tower.cli.lock;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Actor;
import fleet.tower.lease.Decision;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.keepalive.Renewal;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.ForceReleaseOutcome;
import fleet.tower.lock.LockView;
import fleet.tower.lock.Locks;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.lock.freeze.FreezeOutcome;
import fleet.tower.lock.freeze.FreezeRequest;
import fleet.tower.lock.freeze.Freezes;
import fleet.tower.lock.freeze.UnfreezeOutcome;
import fleet.tower.lock.queue.Wait;
import fleet.tower.lock.queue.WaitOutcome;

/**
 * The locks of a home on this host.
 *
 * @param actor who asks, for the audit log
 */
public record HomeLockClient(Locks locks, Supplier<Freezes> freezes, Actor actor) implements LockClient {
  public HomeLockClient {
    requireNonNull(locks);
    requireNonNull(freezes);
    requireNonNull(actor);
  }

  @Override
  public AcquireOutcome acquire(AcquireRequest request) {
    return locks.acquire(request);
  }

  @Override
  public WaitOutcome<AcquireOutcome, Decision.Obstacle> acquire(AcquireRequest request, Wait wait) {
    return locks.acquire(request, wait);
  }

  @Override
  public RenewOutcome renew(LeaseName name, Owner by, FencingToken token) {
    return locks.renew(actor, name, by, token);
  }

  @Override
  public Renewal renewal(Lease lease) {
    return locks.renewal(actor, lease);
  }

  @Override
  public ReleaseOutcome release(LeaseName name, Owner by, FencingToken token, Locks.Result result,
      @Nullable String failureStep) {
    return locks.release(actor, name, by, token, result, failureStep);
  }

  @Override
  public ForceReleaseOutcome forceRelease(LeaseName name, RequestId requestId, String reason) {
    return locks.forceRelease(actor, name, requestId, reason);
  }

  @Override
  public FreezeOutcome freeze(FreezeRequest request) {
    return freezes.get().freeze(request, actor.door());
  }

  @Override
  public UnfreezeOutcome unfreeze(LeaseName name, RequestId requestId) {
    return freezes.get().unfreeze(actor, name, requestId);
  }

  @Override
  public LockView look(LeaseName name) {
    return locks.look(name);
  }

  @Override
  public List<LockView> list() {
    return locks.list();
  }

  @Override
  public int waiters(LeaseName name) {
    return locks.waiters(name);
  }

  @Override
  public String pathOf(LeaseName name) {
    return locks.pathOf(name);
  }
}
