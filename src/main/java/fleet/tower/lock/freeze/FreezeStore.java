package fleet.tower.lock.freeze;

import java.util.SortedMap;

import fleet.tower.lease.LeaseName;

/**
 * Where freezes are kept, together with what they freeze: whoever grants a name looks here in the same atomic step. So from
 * the moment that {@link #freeze} has returned nobody new gets the name, until the freeze is over or lifted.
 */
public interface FreezeStore {

  /** Freezes a name, durably, unless it is frozen already. */
  FreezeOutcome freeze(FreezeRequest request);

  /** Lifts whatever freezes a name. */
  UnfreezeOutcome unfreeze(LeaseName name);

  /** What freezes a name. Changes nothing. */
  FreezeState frost(LeaseName name);

  /** All names that are frozen, and by what. Changes nothing. */
  SortedMap<LeaseName, FreezeState> freezes();
}
