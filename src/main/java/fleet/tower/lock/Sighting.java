package fleet.tower.lock;

import static java.util.Objects.requireNonNull;

import fleet.tower.freeze.Frost;
import fleet.tower.lease.Decision;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseRules;
import fleet.tower.lease.Occupancy;

/**
 * What somebody saw who only looked.
 *
 * @param frost what keeps new holders away, whoever holds it now
 */
public record Sighting(LeaseName name, String path, Occupancy occupancy, Frost frost) {
  public Sighting {
    requireNonNull(name);
    requireNonNull(path);
    requireNonNull(occupancy);
    requireNonNull(frost);
  }

  /** What the rules say to somebody who asks for it, going by this look. */
  public Decision decide(AcquireRequest request) {
    return LeaseRules.decide(occupancy, frost.refusal(), request.leaseRequest());
  }

  /** Nobody holds it, and nothing keeps anybody from it. */
  public boolean isForTheTaking() {
    return state() == Occupancy.State.FREE && !isFrozen();
  }

  public boolean isFrozen() {
    return !(frost instanceof Frost.None);
  }

  /** The one word for who holds it, frozen or not. */
  public Occupancy.State state() {
    return occupancy.state();
  }
}
