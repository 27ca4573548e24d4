package fleet.tower.lock;

import java.time.Instant;
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

  /** The outcome of a {@link FreezeRequest}. */
  sealed interface FreezeOutcome {

    /** The name is frozen: no new holder gets it. */
    record Frozen(Freeze freeze) implements FreezeOutcome {}

    /** The same request froze the name before. Nothing changed and nothing is audited again. */
    record Kept(Freeze freeze) implements FreezeOutcome {}

    /** The name was frozen already, and that freeze stays. */
    record AlreadyFrozen(FreezeState existing) implements FreezeOutcome {}
  }

  /** The outcome of lifting a freeze, whoever set it and whether or not it is readable. */
  sealed interface UnfreezeOutcome {

    /** New holders may acquire the name again. */
    record Unfrozen(FreezeState lifted, Instant at) implements UnfreezeOutcome {}

    /** There was no freeze. */
    record NotFrozen() implements UnfreezeOutcome {}
  }
}
