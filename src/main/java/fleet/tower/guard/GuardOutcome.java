package fleet.tower.guard;

import fleet.tower.lease.Decision;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.queue.WaitOutcome;

/** The outcome of a guard. */
public sealed interface GuardOutcome {

  /** The command ran and ended. */
  record Ended(Commands.End end) implements GuardOutcome {}

  /** The lock was lost while the command ran, so the command was stopped. */
  record StoppedAsLost() implements GuardOutcome {}

  /** The lock was acquired and released again: the command cannot be run. */
  record NotRun(Commands.NotStarted why) implements GuardOutcome {}

  /** A signal came before the command started; no lock is held. */
  record Interrupted(int signal) implements GuardOutcome {}

  /** The lock was not acquired, so the command was not started. */
  record NotAcquired(WaitOutcome<AcquireOutcome, Decision.Obstacle> why) implements GuardOutcome {}
}
