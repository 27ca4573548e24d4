package fleet.tower.foreign;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.Origin;
import fleet.tower.foreign.ForeignLockState.Occupant;
import fleet.tower.lease.RequestId;

/** A lock that another tool defines. Each kind has its own implementation of the tool's rules. */
public interface ForeignLock {

  /** The lock's state. Changes nothing. */
  ForeignLockState state();

  /** The lock's state for a caller about to start work; removes a dead holder's lock if the tool's rules allow it. */
  ForeignLockState check();

  /** Acquires the lock without waiting, and never from a holder that may be alive. */
  Hold.Outcome hold(Claim claim);

  /** The hold of a claim that was granted before, by this process or an earlier one; empty if there is none. */
  Optional<Hold> heldBy(Claim claim);

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

  /**
   * A request to hold a foreign lock.
   *
   * @param by the request's id, for the audit log
   *
   * @param holder the name that other tools see
   *
   * @param version the holder's version; empty if none
   *
   * @param pid the process whose life limits the lock's
   *
   * @param run distinguishes several holders in one process; null if there is only one
   *
   * @param origin the requester, for the audit log
   */
  record Claim(RequestId by, String holder, String version, long pid, @Nullable String run, Origin origin) {
    public Claim {
      if (holder.isBlank()) {
        throw new IllegalStateException("a foreign lock needs the name of its holder");
      }
      if (pid <= 0) {
        throw new IllegalStateException("a process number must be positive, not " + pid);
      }
    }
  }

  /** A foreign lock that is held by this program. */
  interface Hold {

    /** Releases the lock if it is still this holder's; never another's. */
    ReleaseOutcome release();

    /** The outcome of a request to hold a foreign lock. */
    sealed interface Outcome {}

    /**
     * The lock is held.
     *
     * @param previous the dead holder whose lock was removed, or null
     *
     * @param already whether the claim held it before
     */
    record Granted(Hold hold, @Nullable Occupant previous, boolean already) implements Outcome {}

    /** The lock is blocked. */
    record Refused(ForeignLockState.Blocking why) implements Outcome {}

    /** The outcome of a release. */
    sealed interface ReleaseOutcome {}

    /** The lock is released. */
    record Released() implements ReleaseOutcome {}

    /** The lock was already gone, removed by another program. */
    record Absent() implements ReleaseOutcome {}

    /** Another holder's lock is in its place, and was not touched. */
    record NotOurs(ForeignLockState now) implements ReleaseOutcome {}

    /** The lock is still there and must be removed by hand. */
    record Failed(String problem) implements ReleaseOutcome {}
  }
}
