package fleet.tower.lock;

/** The outcome of a {@link FreezeRequest}. */
public sealed interface FreezeOutcome {

  /** The name is frozen: no new holder gets it. */
  record Frozen(Freeze freeze) implements FreezeOutcome {}

  /** The same request froze the name before. Nothing changed and nothing is audited again. */
  record Kept(Freeze freeze) implements FreezeOutcome {}

  /** The name was frozen already, and that freeze stays. */
  record AlreadyFrozen(FreezeState existing) implements FreezeOutcome {}
}
