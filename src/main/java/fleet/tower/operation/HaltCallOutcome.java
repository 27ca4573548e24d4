package fleet.tower.operation;

import fleet.tower.lock.HaltSource;
import fleet.tower.lock.HaltStore.LiftOutcome;
import fleet.tower.lock.HaltStore.PlaceOutcome;

/** The outcome of a call about halts. */
public sealed interface HaltCallOutcome extends Outcome {

  /** All halts in force. */
  record AllHalts(HaltSource.InForce halts) implements HaltCallOutcome {}

  /** A halt that was to be placed. */
  record Placed(PlaceOutcome outcome) implements HaltCallOutcome {}

  /** A halt that was to be lifted. */
  record Lifted(String name, LiftOutcome outcome) implements HaltCallOutcome {}
}
