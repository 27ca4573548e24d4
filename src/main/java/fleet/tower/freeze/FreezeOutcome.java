package fleet.tower.freeze;

/** The answer to a {@link FreezeRequest}. */
public sealed interface FreezeOutcome {

  /** From now on nobody new gets the name. */
  record Frozen(Freeze freeze) implements FreezeOutcome {}

  /** It is frozen already, and stays so as it was. */
  record AlreadyFrozen(Frost standing) implements FreezeOutcome {}
}
