package fleet.tower.cli.lock;

import java.util.List;

import org.jspecify.annotations.Nullable;

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
import fleet.tower.lock.freeze.UnfreezeOutcome;
import fleet.tower.lock.queue.Wait;
import fleet.tower.lock.queue.WaitOutcome;

/** Where locks are asked for: the files of a home, or a service. What a service refuses is told by its own answer, thrown. */
public interface LockClient {

  AcquireOutcome acquire(AcquireRequest request);

  WaitOutcome<AcquireOutcome, Decision.Obstacle> acquire(AcquireRequest request, Wait wait);

  RenewOutcome renew(LeaseName name, Owner by, FencingToken token);

  /** How a keeper renews a lock that was acquired here. */
  Renewal renewal(Lease lease);

  ReleaseOutcome release(LeaseName name, Owner by, FencingToken token, Locks.Result result,
      @Nullable String failureStep);

  ForceReleaseOutcome forceRelease(LeaseName name, RequestId requestId, String reason);

  FreezeOutcome freeze(FreezeRequest request);

  UnfreezeOutcome unfreeze(LeaseName name, RequestId requestId);

  LockView look(LeaseName name);

  List<LockView> list();

  int waiters(LeaseName name);

  String pathOf(LeaseName name);
}
