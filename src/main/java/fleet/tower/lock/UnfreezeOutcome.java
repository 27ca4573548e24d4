package fleet.tower.lock;

import java.time.Instant;

/** The outcome of lifting a freeze, whoever set it and whether or not it is readable. */
public sealed interface UnfreezeOutcome {

  /** New holders may acquire the name again. */
  record Unfrozen(FreezeState lifted, Instant at) implements UnfreezeOutcome {}

  /** There was no freeze. */
  record NotFrozen() implements UnfreezeOutcome {}
}
