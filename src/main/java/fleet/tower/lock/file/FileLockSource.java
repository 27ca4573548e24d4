package fleet.tower.lock.file;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lock.MovingLocks;
import fleet.tower.lock.MovingLocks.MovingLock;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.Journal;
import fleet.tower.platform.disk.OwnerOnly;
import fleet.tower.platform.disk.RecordedFiles;
import fleet.tower.platform.time.TimeSource;

/**
 * The lock files that move away.
 *
 * <ol>
 * <li><b>Stop grants</b>: a link {@code .moving} to the mark of the move. An acquisition checks it under the guard of
 * its name.
 * <li><b>Stop changes</b>: lock all of the guard file, so that no process is inside; rename a link to the mark over it.
 * Every process, also an older one that has the guard file open, compares it with its path after locking, and cannot
 * open a link. Then make the directory read-only, for programs that write lock files without the guard.
 * </ol>
 */
final class FileLockSource implements MovingLocks {
  private final Path path;
  private final String mark;
  private final LockDirectory directory;
  private final DirectoryGuard guard;
  private final LockFinder finder;
  private final Fence fence;
  private final FreezeFiles freezes;
  private final Journal journal;
  private final Restoration restoration;

  /** @param mark the file that describes the move */
  FileLockSource(Path path, Path mark, LockDirectory directory, DirectoryGuard guard, TimeSource time,
      RecordedFiles others, Consumer<Lease> onRestored) {
    this.path = path;
    this.mark = path.relativize(mark).toString();
    this.directory = directory;
    this.guard = guard;
    this.finder = new LockFinder(directory, time);
    this.fence = new Fence(directory);
    this.freezes = new FreezeFiles(directory, time);
    this.journal = new Journal(directory, Journal.LIMIT);
    this.restoration = new Restoration(directory, slot -> guard.isReplaced() ? () -> {} : guard.enter(slot), journal,
        others, onRestored);
  }

  @Override
  public List<MovingLock> read() {
    try {
      restore();
      List<MovingLock> found = new ArrayList<>();
      for (LeaseName name : directory.list().stream().flatMap(file -> FileNames.nameOfLock(file)
          .or(() -> FileNames.nameOfFreeze(file)).or(() -> FileNames.nameOfFence(file)).stream()).sorted().distinct()
          .toList()) {
        // The counter first, because it may grow meanwhile: a token that is read later is not below it.
        FencingToken last = fence.last(name);
        LeaseState state = finder.find(name).state();
        FencingToken held = state instanceof LeaseState.Held lease ? lease.lease().token() : FencingToken.NONE;
        found.add(new MovingLock(name, last.max(held), state, freezes.find(name)));
      }
      return found;
    } catch (IOException e) {
      throw failure(e);
    }
  }

  /** After a power cut during the move, no process can enter the guard, and the directory may be read-only. */
  private void restore() throws IOException {
    if (journal.isOfEarlierBoot()) {
      boolean isStopped = guard.isReplaced();
      protect("rwx------");
      restoration.restore();
      if (isStopped) {
        protect("r-x------");
      }
    }
  }

  @Override
  public void stopGrants() {
    try {
      OwnerOnly.makeDirectories(path);
      Files.createSymbolicLink(path.resolve(FileNames.MOVING), Path.of(mark));
    } catch (FileAlreadyExistsException stoppedBefore) {
      // A move that was interrupted.
    } catch (IOException e) {
      throw failure(e);
    }
    sync();
  }

  @Override
  public void stopChanges() {
    try {
      protect("rwx------");
      stopGrants();
      guard.replaceBy(Path.of(mark));
      sync();
      protect("r-x------");
    } catch (IOException e) {
      throw failure(e);
    }
  }

  @Override
  public void resume() {
    try {
      if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
        protect("rwx------");
        guard.restore();
        Files.deleteIfExists(path.resolve(FileNames.MOVING));
        sync();
      }
    } catch (IOException e) {
      throw failure(e);
    }
  }

  private void protect(String mode) throws IOException {
    if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }
  }

  private void sync() {
    try {
      directory.sync();
    } catch (IOException e) {
      throw failure(e);
    }
  }

  private static StorageException failure(IOException e) {
    return new StorageException("the lock directory cannot be moved: " + Errno.describeWithFile(e), e);
  }

  @Override
  public void close() {
    journal.close();
    directory.close();
  }
}
