package fleet.tower.run.execute;

import fleet.tower.lease.LeaseTerm;
import fleet.tower.lease.keepalive.HeartbeatCounts;
import fleet.tower.run.Processes;

/** An event that the thread of a run reacts to. */
sealed interface RunSignal {

  /** The running step has ended. */
  record StepEnded(Processes.Exit exit) implements RunSignal {}

  /** A step reached its timeout; {@code step} is its number. */
  record StepTimeout(int step) implements RunSignal {}

  /** The run reached its timeout. */
  record RunTimeout() implements RunSignal {}

  /** The run was cancelled. */
  record Cancelled() implements RunSignal {}

  /** No further step may begin. */
  record Drained() implements RunSignal {}

  /** The lock has another holder, or none. */
  record LockLost() implements RunSignal {}

  /** The lock was taken from the run by force, so it stops whatever its intent declares. */
  record Abandoned() implements RunSignal {}

  /** The lock could not be renewed, and may have another holder after the deadline of this term. */
  record LockDoubted(LeaseTerm term, HeartbeatCounts counts) implements RunSignal {}

  /** It is time to try a step again. */
  record RetryDue() implements RunSignal {}

  /** It is time to confirm the lock again. */
  record ConfirmAgain() implements RunSignal {}
}
