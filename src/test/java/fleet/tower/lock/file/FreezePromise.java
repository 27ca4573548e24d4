package fleet.tower.lock.file;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/** The promises about the freeze of one name: how long it blocks new holders, and what must survive. */
final class FreezePromise {
  private final String file;
  private long changes;
  private long untilSecond = Long.MIN_VALUE;
  private byte @Nullable [] durable;

  FreezePromise(String file) {
    this.file = file;
  }

  String file() {
    return file;
  }

  /** The freeze file is about to change, so that nothing is promised any more. */
  void changed() {
    changes++;
    untilSecond = Long.MIN_VALUE;
    durable = null;
  }

  long changes() {
    return changes;
  }

  /** The name was reported as frozen, by this file, until the end of this second. */
  void acknowledge(SimulatedDisk.Inode freeze, long second) {
    untilSecond = second;
    durable = freeze.content();
  }

  /** A file that may be a freeze was damaged: it blocks until it is lifted. */
  void damaged() {
    changed();
    untilSecond = Long.MAX_VALUE;
  }

  /** Whether a new holder whose last clock reading was {@code latestSecond} must have been refused. */
  boolean forbids(long latestSecond) {
    return untilSecond != Long.MIN_VALUE && latestSecond <= untilSecond;
  }

  /** The promise that a power failure broke, or null. */
  @Nullable
  String brokenBy(SimulatedDisk.@Nullable Inode left) {
    byte[] promised = durable;
    return promised != null && (left == null || !Arrays.equals(left.content(), promised))
        ? "an acknowledged freeze is gone: " + file
        : null;
  }

  void reboot(SimulatedDisk.@Nullable Inode left) {
    changes++;
    if (left == null) {
      changed();
    }
  }
}
