package fleet.tower.lock.freeze;

import java.time.Instant;

/** The answer to an operator who lifts a freeze, whoever set it and whether or not it can be read. */
public sealed interface UnfreezeOutcome {

  /** New holders may come again. */
  record Unfrozen(FreezeState lifted, Instant at) implements UnfreezeOutcome {}

  /** There was nothing to lift. */
  record NotFrozen() implements UnfreezeOutcome {}
}
