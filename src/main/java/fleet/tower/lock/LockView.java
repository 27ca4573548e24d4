package fleet.tower.lock;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Age;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseRules;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;

/**
 * A view of a lock at one moment.
 *
 * @param freeze the freeze that blocks new holders, independent of the current holder
 *
 * @param isRestored whether a power failure took the lock, and it was put back, or will be by the next change
 *
 * @param halts the halts in force, which may cover a request for the lock
 */
public record LockView(LeaseName name, String path, LeaseState leaseState, FreezeState freeze, boolean isRestored,
    HaltSource.InForce halts) {
  public LockView(LeaseName name, String path, LeaseState leaseState, FreezeState freeze) {
    this(name, path, leaseState, freeze, false, HaltSource.InForce.NONE);
  }

  /** The view with what a probe knows about the holder. */
  LockView examinedBy(HolderProbe probe) {
    return leaseState instanceof LeaseState.Held(Lease lease, Age age)
        ? new LockView(name, path, new LeaseState.Held(probe.examined(lease), age), freeze, isRestored, halts)
        : this;
  }

  /** The decision of the lease rules about a request, based on this view. */
  public Decision decide(AcquireRequest request) {
    Decision.Halted halted = halts.refusal(request);
    return LeaseRules.decide(leaseState, halted == null ? freeze.refusal() : halted, request.leaseRequest());
  }

  /** What a request without force waits for, based on this view; null if it would not wait. */
  public Decision.@Nullable Obstacle obstacleOf(RequestId request) {
    LeaseRules.Request wanted = new LeaseRules.Request(Owner.ofAnyActor(request), false, false);
    return LeaseRules.decide(leaseState, freeze.refusal(), wanted) instanceof Decision.Obstacle obstacle
        ? obstacle
        : null;
  }

  /** Whether the lock is neither held nor frozen. */
  public boolean isFree() {
    return state() == LeaseState.State.FREE && !isFrozen();
  }

  /** What a request for the lock would find, in one word. */
  public String condition() {
    if (isFrozen()) {
      return "frozen";
    }
    return switch (state()) {
      case ACTIVE -> "held";
      case FREE -> "free";
      case STALE -> "stale";
      case CORRUPT, UNSUPPORTED -> "corrupt";
    };
  }

  public boolean isFrozen() {
    return !(freeze instanceof FreezeState.None);
  }

  /** The state of the lease, whether or not the name is frozen. */
  public LeaseState.State state() {
    return leaseState.state();
  }
}
