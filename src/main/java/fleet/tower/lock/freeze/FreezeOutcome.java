package fleet.tower.lock.freeze;

/** The answer to a {@link FreezeRequest}. */
public sealed interface FreezeOutcome {

  /** From now on nobody new gets the name. */
  record Frozen(Freeze freeze) implements FreezeOutcome {}

  /** The same request has frozen it before, and it stays so: nothing was changed, and nothing is told again. */
  record Kept(Freeze freeze) implements FreezeOutcome {}

  /** It is frozen already, and stays so as it was. */
  record AlreadyFrozen(FreezeState standing) implements FreezeOutcome {}
}
