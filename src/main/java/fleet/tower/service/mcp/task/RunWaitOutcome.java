package fleet.tower.service.mcp.task;

import fleet.tower.run.Run;

/** The outcome of waiting for the end of a run. */
public sealed interface RunWaitOutcome {

  /** The run, in its last known state. */
  Run run();

  /** The run has ended. */
  record Ended(Run run) implements RunWaitOutcome {}

  /** The time for the answer is over. */
  record TimeUp(Run run) implements RunWaitOutcome {}

  /** The client is no longer interested, or the service stops. */
  record Left(Run run) implements RunWaitOutcome {}
}
