package fleet.tower.lock.file;

import java.io.IOException;

import fleet.tower.lease.FencingToken;
import fleet.tower.platform.StorageException;

/**
 * A number that is not below any token of a name without a counter: the tokens of such a name begin above it. It only
 * grows.
 *
 * <p>It is replaced as a whole, and its content is on disk before its name. So a floor that was read is on disk after
 * the next sync of the directory, and until then the journal has the tokens that it stands for.
 */
final class Floor {
  /** The slot of no lock name. */
  static final long SLOT = Restoration.SLOT - 1;

  private final LockDirectory directory;

  Floor(LockDirectory directory) {
    this.directory = directory;
  }

  /** The floor; {@link FencingToken#NONE} if there is none. */
  FencingToken value() throws IOException {
    byte[] content = directory.read(FileNames.FLOOR);
    if (content == null) {
      return FencingToken.NONE;
    }
    if (!Fence.isSound(content)) {
      throw new StorageException("the floor of the fencing counters is damaged: "
          + directory.pathOf(FileNames.FLOOR) + " must contain one number, not below any fencing token issued for a"
          + " name without a .fence file; correct it by hand");
    }
    return Fence.value(content);
  }

  /** Raises the floor to a token, and returns when that is on disk. */
  void raise(FencingToken token) throws IOException {
    try (LockDirectory.Guard _ = directory.enter(SLOT)) {
      if (value().compareTo(token) < 0) {
        directory.create(FileNames.floorTemp(), Fence.bytes(token), true);
        directory.rename(FileNames.floorTemp(), FileNames.FLOOR);
        directory.sync();
      }
    }
  }
}
