package fleet.tower.lock;

import java.util.SortedMap;

import fleet.tower.lease.LeaseName;

/**
 * A store of freezes, combined with the store of the locks that they block: every grant checks for a freeze in the same
 * atomic step. So once {@link #freeze} has returned, no new holder gets the name until the freeze expires or is lifted.
 */
public interface FreezeStore {

  /** Freezes a name durably, unless it is frozen already. */
  FreezeOutcome freeze(FreezeRequest request);

  /** Lifts the freeze of a name. */
  UnfreezeOutcome unfreeze(LeaseName name);

  /** The freeze of a name. Changes nothing. */
  FreezeState freezeState(LeaseName name);

  /** All frozen names with their freezes. Changes nothing. */
  SortedMap<LeaseName, FreezeState> freezes();
}
