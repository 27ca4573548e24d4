package fleet.tower.lock;

import static java.util.Objects.requireNonNull;

import fleet.tower.lease.Decision;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseRules;
import fleet.tower.lease.LeaseState;
import fleet.tower.lock.freeze.FreezeState;

/**
 * What somebody saw who only looked.
 *
 * @param freeze what keeps new holders away, whoever holds it now
 */
public record LockView(LeaseName name, String path, LeaseState leaseState, FreezeState freeze) {
  public LockView {
    requireNonNull(name);
    requireNonNull(path);
    requireNonNull(leaseState);
    requireNonNull(freeze);
  }

  /** What the rules say to somebody who asks for it, going by this look. */
  public Decision decide(AcquireRequest request) {
    return LeaseRules.decide(leaseState, freeze.refusal(), request.leaseRequest());
  }

  /** Nobody holds it, and nothing keeps anybody from it. */
  public boolean isForTheTaking() {
    return state() == LeaseState.State.FREE && !isFrozen();
  }

  public boolean isFrozen() {
    return !(freeze instanceof FreezeState.None);
  }

  /** The one word for who holds it, frozen or not. */
  public LeaseState.State state() {
    return leaseState.state();
  }
}
