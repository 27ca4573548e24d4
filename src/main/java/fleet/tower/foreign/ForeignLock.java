package fleet.tower.foreign;

import java.util.Optional;

/** A lock that another tool defines, with its rules: each kind has its own implementation, all answer alike. */
public interface ForeignLock {

  /** How it stands. Changes nothing. */
  ForeignLockState look();

  /** How it stands, for somebody who is about to begin; what a dead holder left is removed where the tool's rules say so. */
  ForeignLockState check();

  /** Takes it, at once or not at all, and never from anybody who may be alive. */
  ForeignHold.Outcome hold(ForeignClaim claim);

  /** The hold of a claim that was granted to it before, by this process or another that is gone; nothing where it has none. */
  Optional<ForeignHold> heldBy(ForeignClaim claim);

  /** Where foreign locks are. */
  interface Opener {

    /** The lock of a name. Nothing is touched. */
    ForeignLock open(ForeignName name);
  }

  /** That a foreign lock is in the way of somebody, and how it stands. */
  record Refusal(ForeignName name, ForeignLockState.Blocking why) {}
}
