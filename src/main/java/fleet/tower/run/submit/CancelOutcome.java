package fleet.tower.run.submit;

import fleet.tower.run.Run;

/** The outcome of a request to cancel a run. */
public sealed interface CancelOutcome {

  /** The run will end soon; if another process executes it, the request is recorded. */
  record Requested() implements CancelOutcome {}

  /** The run had already finished, or was interrupted because its executor is dead. */
  record Finished(Run run) implements CancelOutcome {}

  /** There is no such run. */
  record NotFound() implements CancelOutcome {}
}
