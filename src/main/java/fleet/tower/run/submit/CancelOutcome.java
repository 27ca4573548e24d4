package fleet.tower.run.submit;

import java.util.OptionalLong;

/** The outcome of a request to cancel a run. */
public sealed interface CancelOutcome {

  /** The run will end soon. */
  record Requested() implements CancelOutcome {}

  /** The run had already finished. */
  record Finished() implements CancelOutcome {}

  /** Another process executes the run, and must be asked itself; {@code pid} is its number if it is known. */
  record Elsewhere(OptionalLong pid) implements CancelOutcome {}

  /** There is no such run. */
  record NotFound() implements CancelOutcome {}
}
