package fleet.tower.run.execute;

import fleet.tower.lease.Actor;
import fleet.tower.lease.Age;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseState;
import fleet.tower.lock.AcquireRequest.Metadata;
import fleet.tower.lock.HolderProcess;
import fleet.tower.lock.LockView;
import fleet.tower.lock.Locks;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.run.Processes;

/**
 * The locks of interrupted runs whose intents have {@code on_interrupted: release}.
 *
 * <p>The lock itself has the permission, so a crash at any moment loses nothing: the lock is there until a process
 * releases it, with the token of the run, so that no other grant is affected. It is released only if its executor ended
 * on this machine and no process of the run's steps can exist any more; otherwise it goes stale.
 */
public final class InterruptedLocks {
  private final Locks locks;
  private final Processes processes;

  public InterruptedLocks(Locks locks, Processes processes) {
    this.locks = locks;
    this.processes = processes;
  }

  /** The number of locks that were released, and of those to try again later. */
  public record Outcome(int released, int postponed) {}

  /** Releases those whose steps have ended, and counts those whose steps have not, which can be tried again soon. */
  public Outcome release() {
    int released = 0;
    int postponed = 0;
    for (LockView view : locks.list()) {
      if (view.leaseState() instanceof LeaseState.Held(Lease lease, Age _) && lease.holder().isGone()
          && Metadata.isReleasedOnInterruption(lease)) {
        switch (locks.lifeOf(lease)) {
          case ENDED_BEFORE_BOOT -> released += release(lease);
          case ENDED_HERE -> {
            if (haveStepsEnded(lease)) {
              released += release(lease);
            } else {
              postponed++;
            }
          }
          case ENDED_ELSEWHERE, UNKNOWN -> {
          }
        }
      }
    }
    return new Outcome(released, postponed);
  }

  private boolean haveStepsEnded(Lease lease) {
    return HolderProcess.of(lease)
        .filter(process -> processes.haveEnded(lease.requestId(), process.startTicks())).isPresent();
  }

  private int release(Lease lease) {
    Actor actor = new Actor(lease.holder().actor(), null, null);
    return locks.release(actor, lease.name(), lease.owner(), lease.token(), Locks.Result.ABORTED,
        null) instanceof ReleaseOutcome.Released ? 1 : 0;
  }
}
