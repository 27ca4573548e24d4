package fleet.tower.execution;

import fleet.tower.heartbeat.HeartbeatCounts;
import fleet.tower.lease.Tenure;
import fleet.tower.run.Processes;

/** Something that a run at work has to answer to. */
sealed interface Signal {

  /** The step that was running has ended. */
  record StepEnded(Processes.Exit exit) implements Signal {}

  /** The step has had its time. */
  record StepTimeout(int step) implements Signal {}

  /** The run has had its time. */
  record RunTimeout() implements Signal {}

  /** Somebody wants it stopped. */
  record Cancelled() implements Signal {}

  /** The lock is somebody else's, or nobody's. */
  record LockLost() implements Signal {}

  /** The lock could not be renewed, and may be somebody else's at the deadline of this tenure. */
  record LockDoubted(Tenure tenure, HeartbeatCounts counts) implements Signal {}

  /** It may be worth looking again whether the lock is still ours. */
  record LookAgain() implements Signal {}
}
