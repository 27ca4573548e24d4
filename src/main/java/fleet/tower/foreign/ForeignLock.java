package fleet.tower.foreign;

import java.util.Optional;

/** A lock that another tool defines. Each kind has its own implementation of the tool's rules. */
public interface ForeignLock {

  /** The lock's state. Changes nothing. */
  ForeignLockState state();

  /** The lock's state for a caller about to start work; removes a dead holder's lock if the tool's rules allow it. */
  ForeignLockState check();

  /** Acquires the lock without waiting, and never from a holder that may be alive. */
  ForeignHold.Outcome hold(ForeignClaim claim);

  /** The hold of a claim that was granted before, by this process or an earlier one; empty if there is none. */
  Optional<ForeignHold> heldBy(ForeignClaim claim);

  /** A factory of foreign locks. */
  interface Opener {

    /** The lock of a name. Touches nothing. */
    ForeignLock open(ForeignName name);
  }

  /** A foreign lock that blocks a request, with its state. */
  record Refusal(ForeignName name, ForeignLockState.Blocking why) {

    /** What the caller can do about it. It is stored with a refused run, so it never changes. */
    public String suggestion() {
      return switch (why) {
        case ForeignLockState.Doubtful _ -> "Look at " + name.path() + "; it must be repaired or removed by hand";
        case ForeignLockState.Held _ -> switch (name.kind()) {
          case BEADS -> "Wait until it is released; if its holder is on another host and gone, remove " + name.path()
              + "/.exclusive-lock by hand";
          case FLOCK, PIDFILE -> "Wait until its holder releases it";
          case TERRAFORM -> "Wait until Terraform has finished";
        };
      };
    }
  }
}
