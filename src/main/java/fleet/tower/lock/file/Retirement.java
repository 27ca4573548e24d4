package fleet.tower.lock.file;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.BootStamp;
import fleet.tower.platform.time.TimeSource;

/**
 * Removes the files of names that are not used any more, without losing their tokens. Under the guard of the name:
 *
 * <ol>
 * <li>Check that it has neither a lock nor a freeze, and was not used for long enough.
 * <li>Raise the {@link Floor} to its last token, and wait until that is on disk.
 * <li>Remove its other files, then the counter. A power cut may bring a counter back with an older number; the journal
 * has the last one, until a sync of the directory.
 * </ol>
 *
 * <p>A crash leaves a floor that is higher than necessary, at worst. A witness stays for the journal.
 */
final class Retirement {
  /**
   * Counters above it are kept: one odd number, which a program has written, would raise the tokens of all new names.
   * The tokens of a fleet are greater, so a name whose counter was removed begins above its old tokens there, too.
   */
  static final FencingToken HIGHEST = new FencingToken(999_999_999_999L);

  private final LockDirectory directory;
  private final TimeSource time;
  private final Fence fence;
  private final Floor floor;

  Retirement(LockDirectory directory, TimeSource time) {
    this.directory = directory;
    this.time = time;
    this.fence = new Fence(directory);
    this.floor = new Floor(directory);
  }

  /** The first names that would be removed. */
  List<LeaseName> unused(Duration least, int limit) throws IOException {
    List<LeaseName> found = new ArrayList<>();
    for (String file : directory.list()) {
      Optional<LeaseName> name = FileNames.nameOfFence(file);
      if (found.size() < limit && name.isPresent() && lastToken(name.get(), least) != null) {
        found.add(name.get());
      }
    }
    return found;
  }

  /** Removes the files of a name; false if it is in use, or was used too recently. */
  boolean retire(LeaseName name, Duration least) throws IOException {
    FencingToken last = lastToken(name, least);
    if (last == null) {
      return false;
    }
    floor.raise(last);
    for (String file : FileNames.leftovers(name)) {
      if (directory.has(file)) {
        directory.unlink(file);
      }
    }
    directory.unlink(FileNames.fence(name));
    return true;
  }

  /** The last token of a name that can be removed; null if it cannot. */
  private @Nullable FencingToken lastToken(LeaseName name, Duration least) throws IOException {
    for (String obstacle : List.of(FileNames.lock(name), FileNames.freeze(name), FileNames.MOVING)) {
      if (directory.has(obstacle)) {
        return null;
      }
    }
    if (!isUnused(name, least)) {
      return null;
    }
    try {
      FencingToken last = fence.counter(name);
      return last.compareTo(HIGHEST) > 0 ? null : last;
    } catch (LockDirectory.UnfitFile | StorageException damaged) {
      return null;
    }
  }

  /**
   * Whether the last grant and the last heartbeat are so long ago, by the times of their files and, if they were on this
   * boot, by the boot clock as well. So a step of the wall clock ahead hastens at most the names of earlier boots.
   */
  private boolean isUnused(LeaseName name, Duration least) throws IOException {
    Instant granted = directory.modified(FileNames.fence(name));
    if (granted == null) {
      return false;
    }
    Instant beaten = directory.modified(FileNames.beat(name));
    Instant used = beaten == null || beaten.isBefore(granted) ? granted : beaten;
    if (Duration.between(used, time.now()).compareTo(least) < 0) {
      return false;
    }
    BootStamp now = time.boot();
    OptionalLong millis = now == null ? OptionalLong.empty() : BeatFile.millisSinceLast(beats(name), now);
    return millis.isEmpty() || millis.getAsLong() >= least.toMillis();
  }

  private byte @Nullable [] beats(LeaseName name) throws IOException {
    try {
      return directory.read(FileNames.beat(name));
    } catch (LockDirectory.UnfitFile noEvidence) {
      return null;
    }
  }
}
