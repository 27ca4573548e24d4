package fleet.tower.lock.file;

import java.time.Instant;
import java.util.List;

import fleet.tower.lease.RequestId;
import fleet.tower.lock.Halt;
import fleet.tower.lock.HaltSource.InForce;

/**
 * A halt of everything that an operator places and lifts at any moment. Once it is placed, no lock that is put in place
 * under it is granted.
 */
final class SimulatedHalts {
  private static final int WITH_HALTS = 150;
  private static final int CHANGE = 60;
  private static final InForce HALT = new InForce(List.of(new Halt("stop", new RequestId("halt"), Halt.Scope.ALL,
      Halt.Level.ADMIT, "ann", null, "wrong release", null, Instant.EPOCH)), List.of());

  /** Dice of their own, so that the seeds of other schedules keep their meaning. */
  private final SeededRandom dice;
  private final boolean hasHalts;
  private boolean isPlaced;
  private long changes;

  SimulatedHalts(long seed) {
    dice = new SeededRandom(Long.reverse(~seed));
    hasHalts = dice.chance(WITH_HALTS);
  }

  /** Whether the operator acts now. */
  boolean isChangeDue() {
    return hasHalts && dice.chance(CHANGE);
  }

  void change() {
    isPlaced = !isPlaced;
    changes++;
  }

  /** From now on nothing is halted. */
  void lift() {
    if (isPlaced) {
      change();
    }
  }

  boolean isPlaced() {
    return isPlaced;
  }

  /** How often it was placed or lifted. */
  long changes() {
    return changes;
  }

  /** What a process reads; it may be interrupted before that as before the call of a file system. */
  InForce readBy(SimulatedProcess process) {
    if (hasHalts) {
      process.pause("reads the halts", null);
    }
    return isPlaced ? HALT : InForce.NONE;
  }
}
