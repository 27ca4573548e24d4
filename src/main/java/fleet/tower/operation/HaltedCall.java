package fleet.tower.operation;

import fleet.tower.lease.Decision;
import fleet.tower.lock.Halt;
import fleet.tower.lock.HaltSource;

/** A call that is refused, or ends its wait, because a halt covers its caller. */
public final class HaltedCall extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final transient Decision.Halted why;

  private HaltedCall(Decision.Halted why) {
    super(why.toString(), null, false, false);
    this.why = why;
  }

  /** The halt. */
  public Decision.Halted why() {
    return why;
  }

  /** Throws if a halt covers a call; a halt that names intents or locks covers no call that is about neither. */
  static void require(HaltSource halts, Halt.Subject subject) {
    Decision.Halted why = halts.inForce().refusal(subject);
    if (why != null) {
      throw new HaltedCall(why);
    }
  }
}
