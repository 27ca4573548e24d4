package fleet.tower.foreign;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

import fleet.tower.foreign.ForeignLockState.Occupant;

/** A foreign lock that is ours. */
public interface ForeignHold {

  /** Gives it back, if it is ours still; never anybody else's. */
  Release release();

  /** The answer to who wants a foreign lock. */
  sealed interface Outcome {}

  /**
   * It is ours.
   *
   * @param displaced the dead holder whose remains were in the way; null where none were
   * @param already whether it was ours before
   */
  record Granted(ForeignHold hold, @Nullable Occupant displaced, boolean already) implements Outcome {
    public Granted {
      requireNonNull(hold);
    }
  }

  /** It is not to be had. */
  record Refused(ForeignLockState.Blocking why) implements Outcome {
    public Refused {
      requireNonNull(why);
    }
  }

  /** What became of it when it was to be given back. */
  sealed interface Release {}

  /** It was ours, and is not any more. */
  record Released() implements Release {}

  /** Nothing was there: somebody else had removed it. */
  record Absent() implements Release {}

  /** Somebody else's lies there, which was left alone. */
  record NotOurs(ForeignLockState now) implements Release {
    public NotOurs {
      requireNonNull(now);
    }
  }

  /** It is there still, and somebody has to remove it. */
  record Failed(String problem) implements Release {
    public Failed {
      requireNonNull(problem);
    }
  }
}
