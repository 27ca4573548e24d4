package fleet.tower.run.submit;

import java.util.function.BooleanSupplier;

import fleet.tower.run.execute.RunHandle;

/** The outcome of taking a run from the queue. */
public sealed interface TakeOutcome {

  /**
   * The run belongs to this executor, and has begun.
   *
   * @param end waits until this executor no longer has the run; false if the run has not ended, but went back to the
   *     queue
   */
  record Taken(RunHandle handle, BooleanSupplier end) implements TakeOutcome {}

  /** No executor has anything left to do for the run. */
  record Done() implements TakeOutcome {}

  /** Another executor has the run, and none of its steps has begun. */
  record Elsewhere() implements TakeOutcome {}

  /** This host does not have the labels or the intent of the run, and another one may. */
  record NotHere() implements TakeOutcome {}

  /** This executor is closing. */
  record Closing() implements TakeOutcome {}
}
