package fleet.tower.run.execute;

import fleet.tower.lease.LeaseTerm;
import fleet.tower.lease.keepalive.HeartbeatCounts;
import fleet.tower.run.Processes;

/** Something that a run at work has to answer to. */
sealed interface RunSignal {

  /** The step that was running has ended. */
  record StepEnded(Processes.Exit exit) implements RunSignal {}

  /** The step has had its time. */
  record StepTimeout(int step) implements RunSignal {}

  /** The run has had its time. */
  record RunTimeout() implements RunSignal {}

  /** Somebody wants it stopped. */
  record Cancelled() implements RunSignal {}

  /** The lock is somebody else's, or nobody's. */
  record LockLost() implements RunSignal {}

  /** The lock could not be renewed, and may be somebody else's at the deadline of this term. */
  record LockDoubted(LeaseTerm term, HeartbeatCounts counts) implements RunSignal {}

  /** It may be worth looking again whether the lock is still ours. */
  record LookAgain() implements RunSignal {}
}
