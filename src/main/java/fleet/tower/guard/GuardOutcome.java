package fleet.tower.guard;

import fleet.tower.lease.Decision;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.queue.WaitOutcome;

/** What came of a guard. */
public sealed interface GuardOutcome {

  /** The command ran and ended. */
  record Ended(Commands.End end) implements GuardOutcome {}

  /** The lock was lost while the command ran, so it was ended. */
  record StoppedAsLost() implements GuardOutcome {}

  /** The lock was had, and given back, as the command cannot be run. */
  record NotRun(Commands.NotStarted why) implements GuardOutcome {}

  /** A signal came before the command was started; no lock is held. */
  record Interrupted(int signal) implements GuardOutcome {}

  /** The lock could not be had, so the command was not started. */
  record NotHad(WaitOutcome<AcquireOutcome, Decision.Obstacle> why) implements GuardOutcome {}
}
