package fleet.tower.lock;

import fleet.tower.lease.Lease;

/** Finds out whether the process that holds a lock has ended. Implementations do not throw. */
public interface HolderProbe {
  /** A probe without any evidence. */
  HolderProbe NONE = _ -> Life.UNKNOWN;

  /** What is known about the process of a lease. */
  Life examine(Lease lease);

  /** Whether a process has ended. Only evidence counts: a holder that cannot be found is {@link #UNKNOWN}. */
  enum Life {
    /** It is alive, or nothing proves that it has ended. */
    UNKNOWN,
    /** It has ended, and was a process of this machine and its present boot. */
    ENDED_HERE,
    /** Its machine, which is this one, was restarted since. */
    ENDED_BEFORE_BOOT,
    /** It has ended, or counts as dead in its fleet, but its other processes cannot be seen from here. */
    ENDED_ELSEWHERE;

    public boolean isGone() {
      return this != UNKNOWN;
    }
  }

  /** The lease as views show it. */
  default Lease examined(Lease lease) {
    return examine(lease).isGone() ? lease.ofGoneHolder() : lease;
  }
}
