package fleet.tower.platform.disk;

import java.io.File;
import java.nio.file.Path;

import fleet.tower.platform.StorageException;

/**
 * Free space of a file system that is kept for what must not fail: locks, tokens and the audit log. What grows with use
 * asks here before it is written.
 *
 * @param place a directory of the file system
 *
 * @param bytes the free space that is kept
 */
public record DiskReserve(Path place, long bytes) {
  /** No reserve: for what is stored elsewhere. */
  public static final DiskReserve NONE = new DiskReserve(Path.of("/"), 0);

  /** Whether only the reserve is left. */
  public boolean isReached() {
    File file = place.toFile();
    // A place that does not exist has no free space.
    return bytes > 0 && file.getUsableSpace() < bytes && file.getTotalSpace() > 0;
  }

  /** Throws if only the reserve is left. */
  public void require() {
    if (isReached()) {
      throw StorageException.full(place + problem(), "the disk of the home" + problem());
    }
  }

  /** Why nothing is written, of a place. */
  public String problem() {
    return " has less than " + bytes + " bytes left, which are kept for locks, tokens and the audit log";
  }
}
