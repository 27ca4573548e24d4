package fleet.tower.lock.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.OwnerOnly;
import fleet.tower.platform.disk.RealPath;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/**
 * Serialises all who share a lock directory, name by name: the threads of this JVM by a set of busy slots, the processes of
 * the host by a lock on one byte of the guard file for each slot.
 *
 * <p>The kernel gives such locks to the whole process, and drops them all when <em>any</em> descriptor of the file is closed
 * in it. So there is one guard for a directory in a JVM, shared by count, with one channel that is not closed before the
 * last user is gone. The kernel's blocking call is not used: it reports deadlocks where there are none between threads of
 * several JVMs. The guard file is never deleted; when somebody does, those who hold the old one and those who would
 * lock the new one would not see each other, so everybody compares the file with the path after locking, and starts over.
 */
final class DirectoryGuard {
  private static final Map<Path, DirectoryGuard> SHARED = new HashMap<>();
  private static final Duration DEADLINE = Duration.ofSeconds(10);
  private static final long FIRST_PAUSE_NANOS = 20_000;
  private static final long LONGEST_PAUSE_NANOS = 2_000_000;

  private final Path directory;
  private final DirectoryCheck check;
  private final Set<Long> busy = ConcurrentHashMap.newKeySet();
  private final GuardWatcher watcher;
  /** Channels of guard files that are gone; held on to, because one that is forgotten is closed. */
  private final List<FileChannel> replaced = new CopyOnWriteArrayList<>();
  private int users;
  private volatile @Nullable Opened opened;
  private volatile @Nullable Integer owner;

  private DirectoryGuard(Path directory, DirectoryCheck check, GuardWatcher watcher) {
    this.directory = directory;
    this.check = check;
    this.watcher = watcher;
  }

  /** Told when the guard file was replaced, and how to wait. */
  record GuardWatcher(TimeSource time, Scheduler scheduler, Runnable onReplaced) {}

  private record Opened(FileChannel channel, Object identity) {}

  /** The guard of a directory in this JVM; to be closed as often as it was shared. */
  static DirectoryGuard share(Path directory, DirectoryCheck check, GuardWatcher watcher) {
    Path key = RealPath.of(directory.toAbsolutePath().normalize());
    synchronized (SHARED) {
      DirectoryGuard guard = SHARED.computeIfAbsent(key, path -> new DirectoryGuard(path, check, watcher));
      guard.users++;
      return guard;
    }
  }

  /** Waits until nobody else is in the slot. */
  LockDirectory.Guard enter(long slot) throws IOException {
    LockDirectory.Guard entered = tryEnter(slot);
    return entered != null ? entered : waitToEnter(slot);
  }

  private LockDirectory.Guard waitToEnter(long slot) throws IOException {
    long deadline = watcher.time().nanos() + DEADLINE.toNanos();
    long pause = FIRST_PAUSE_NANOS;
    for (;;) {
      LockDirectory.Guard entered = tryEnter(slot);
      if (entered != null) {
        return entered;
      }
      if (watcher.time().nanos() - deadline > 0) {
        throw new StorageException("no turn at " + directory.resolve(FileNames.GUARD) + " within "
            + DEADLINE.toSeconds() + " s: a process that works on the same lock seems to be stopped; "
            + "find it with `fuser " + directory.resolve(FileNames.GUARD) + "`");
      }
      watcher.scheduler().pause(Duration.ofNanos(pause));
      pause = Math.min(pause * 2, LONGEST_PAUSE_NANOS);
    }
  }

  /** The user id that the files in the directory must have. */
  @Nullable
  Integer directoryOwner() throws IOException {
    Integer known = owner;
    if (known == null) {
      known = (Integer) Files.getAttribute(directory, "unix:uid", LinkOption.NOFOLLOW_LINKS);
      owner = known;
    }
    return known;
  }

  /** Whether somebody has worked here already, in this process or another. */
  boolean isThere() {
    return opened != null || Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS);
  }

  void close() {
    synchronized (SHARED) {
      if (--users > 0) {
        return;
      }
      SHARED.remove(directory);
      Opened last = opened;
      opened = null;
      if (last != null) {
        closeQuietly(last.channel());
      }
      replaced.forEach(DirectoryGuard::closeQuietly);
    }
  }

  private LockDirectory.@Nullable Guard tryEnter(long slot) throws IOException {
    if (!busy.add(slot)) {
      return null;
    }
    boolean entered = false;
    try {
      Opened current = opened();
      if (current == null) {
        return null;
      }
      FileLock lock = current.channel().tryLock(slot, 1, false);
      if (lock != null && current.identity().equals(identity())) {
        entered = true;
        return () -> leave(slot, lock);
      }
      if (lock != null) {
        lock.release();
        reopen(current);
      }
      return null;
    } catch (OverlappingFileLockException somebodyInThisJvm) {
      return null;
    } finally {
      if (!entered) {
        busy.remove(slot);
      }
    }
  }

  /** An error is no answer to what was done inside, which must be told as it ended; the kernel's lock ends with its channel. */
  private void leave(long slot, FileLock lock) {
    try {
      lock.release();
    } catch (IOException notLeft) {
      // Others who cannot enter are told so when their patience ends.
    } finally {
      busy.remove(slot);
    }
  }

  private @Nullable Opened opened() throws IOException {
    Opened current = opened;
    return current != null ? current : open();
  }

  /**
   * Opens the guard file, or returns null when it was replaced meanwhile. The file is looked at before and after: what was
   * opened is known to be the file under the path only where both looks saw the same one.
   */
  private synchronized @Nullable Opened open() throws IOException {
    Opened current = opened;
    if (current != null) {
      return current;
    }
    check.prepare();
    Object before = made();
    FileChannel channel;
    try {
      channel = FileChannel.open(directory.resolve(FileNames.GUARD),
          Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
    } catch (NoSuchFileException deleted) {
      return null;
    }
    if (before == null || !before.equals(identity())) {
      replaced.add(channel);
      return null;
    }
    current = new Opened(channel, before);
    opened = current;
    return current;
  }

  /** The identity of the guard file, which is made if need be. */
  private @Nullable Object made() throws IOException {
    Object there = identity();
    if (there != null) {
      return there;
    }
    try {
      Files.createFile(directory.resolve(FileNames.GUARD),
          OwnerOnly.FILE);
    } catch (FileAlreadyExistsException somebodyElseMadeIt) {
      // As good as ours.
    }
    return identity();
  }

  /**
   * The old channel stays open on purpose: threads that entered by it are still inside, and closing it would drop their
   * locks.
   */
  private synchronized void reopen(Opened old) throws IOException {
    if (old.equals(opened)) {
      replaced.add(old.channel());
      opened = null;
      open();
      watcher.onReplaced().run();
    }
  }

  private @Nullable Object identity() throws IOException {
    try {
      return Files.readAttributes(directory.resolve(FileNames.GUARD), BasicFileAttributes.class,
          LinkOption.NOFOLLOW_LINKS).fileKey();
    } catch (NoSuchFileException deleted) {
      return null;
    }
  }

  private static void closeQuietly(FileChannel channel) {
    try {
      channel.close();
    } catch (IOException nothingIsLost) {
      // Its locks are gone either way.
    }
  }
}
