package fleet.tower.lock.file;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/** What has been promised about the freeze of one name: until when nobody new may get it, and what must survive. */
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

  /** Somebody was told that the name is frozen, by this file, until this second is over. */
  void acknowledge(SimulatedDisk.Inode freeze, long second) {
    untilSecond = second;
    durable = freeze.content();
  }

  /** Somebody damaged what may be a freeze: it holds until it is lifted. */
  void damaged() {
    changed();
    untilSecond = Long.MAX_VALUE;
  }

  /** Whether a newcomer whose last look at the clock said {@code latestSecond} must have been refused. */
  boolean forbids(long latestSecond) {
    return untilSecond != Long.MIN_VALUE && latestSecond <= untilSecond;
  }

  /** What a power loss has broken of all this, or null. */
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
