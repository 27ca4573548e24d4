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
import java.nio.file.StandardCopyOption;
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
import fleet.tower.platform.disk.WrittenFile;
import fleet.tower.platform.disk.WrittenFile.Also;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/**
 * Mutual exclusion per lock name among all users of a lock directory: a set of busy slots for the threads of this JVM,
 * and a file lock on one byte of the guard file per slot for the processes of the host.
 *
 * <p>The kernel grants such file locks to the whole process and drops all of them when <em>any</em> descriptor of the
 * file is closed in that process. So each JVM has one reference-counted guard per directory, with one channel that
 * stays open until the last user is gone. The kernel's blocking call is not used, because it reports false deadlocks
 * between threads of several JVMs. The guard file is never deleted by this class; if something else deletes it, holders
 * of the old file and of the new one would not exclude each other. So every entry compares the locked file with the
 * path after locking, and retries if they differ.
 */
final class DirectoryGuard {
  private static final Map<Path, DirectoryGuard> SHARED = new HashMap<>();
  private static final Duration DEADLINE = Duration.ofSeconds(10);
  private static final long FIRST_PAUSE_NANOS = 20_000;
  private static final long LONGEST_PAUSE_NANOS = 2_000_000;

  private final Path directory;
  private final DirectoryCheck check;
  private final Set<Long> busy = ConcurrentHashMap.newKeySet();
  private final GuardContext watcher;
  /** Channels of guard files that were replaced; kept referenced, because an unreachable channel gets closed. */
  private final List<FileChannel> replaced = new CopyOnWriteArrayList<>();
  private int users;
  private volatile @Nullable Opened opened;
  private volatile @Nullable Integer owner;

  private DirectoryGuard(Path directory, DirectoryCheck check, GuardContext watcher) {
    this.directory = directory;
    this.check = check;
    this.watcher = watcher;
  }

  /**
   * Clock and scheduler for waiting, and callbacks.
   *
   * @param onReplaced called when the guard file was replaced
   * @param beforeUse called before the first change, and may refuse it
   */
  record GuardContext(TimeSource time, Scheduler scheduler, Runnable onReplaced, Runnable beforeUse) {
    GuardContext(TimeSource time, Scheduler scheduler, Runnable onReplaced) {
      this(time, scheduler, onReplaced, () -> {});
    }
  }

  private record Opened(FileChannel channel, Object identity) {}

  /** Returns this JVM's guard of a directory; close it once per call. */
  static DirectoryGuard share(Path directory, DirectoryCheck check, GuardContext watcher) {
    Path key = RealPath.of(directory.toAbsolutePath().normalize());
    synchronized (SHARED) {
      DirectoryGuard guard = SHARED.computeIfAbsent(key, path -> new DirectoryGuard(path, check, watcher));
      guard.users++;
      return guard;
    }
  }

  /** Waits until the slot is free, and enters it. */
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
        throw new StorageException("could not lock " + directory.resolve(FileNames.GUARD) + " within "
            + DEADLINE.toSeconds() + " s: a process that holds it seems to be suspended; "
            + "find it with `fuser " + directory.resolve(FileNames.GUARD) + "`");
      }
      watcher.scheduler().pause(Duration.ofNanos(pause));
      pause = Math.min(pause * 2, LONGEST_PAUSE_NANOS);
    }
  }

  /** The user id that must own the files in the directory. */
  @Nullable
  Integer directoryOwner() throws IOException {
    Integer known = owner;
    if (known == null) {
      known = (Integer) Files.getAttribute(directory, "unix:uid", LinkOption.NOFOLLOW_LINKS);
      owner = known;
    }
    return known;
  }

  /** Whether the directory exists, that is, whether any process has created a lock in it. */
  boolean exists() {
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
    } catch (OverlappingFileLockException lockedInThisJvm) {
      return null;
    } finally {
      if (!entered) {
        busy.remove(slot);
      }
    }
  }

  /** Ignores errors: the outcome of the guarded work is final, and the kernel drops the lock with its channel. */
  private void leave(long slot, FileLock lock) {
    try {
      lock.release();
    } catch (IOException notReleased) {
      // Other processes that cannot enter report it after their deadline.
    } finally {
      busy.remove(slot);
    }
  }

  private @Nullable Opened opened() throws IOException {
    Opened current = opened;
    return current != null ? current : open();
  }

  /**
   * Opens the guard file; null if it was replaced meanwhile. Compares the file's identity before and after opening:
   * only if both are equal is the opened file known to be the one under the path.
   */
  private synchronized @Nullable Opened open() throws IOException {
    Opened current = opened;
    if (current != null) {
      return current;
    }
    requireUnmoved();
    watcher.beforeUse().run();
    check.prepare();
    Object before = createIfMissing();
    FileChannel channel;
    try {
      channel = WrittenFile.open(directory.resolve(FileNames.GUARD), Also.READ);
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

  /** A guard file that is a link has been replaced by {@link #replaceBy}. */
  void requireUnmoved() {
    if (isReplaced()) {
      throw Moved.of(directory.resolve(FileNames.GUARD));
    }
  }

  /** Whether {@link #replaceBy} has stopped every process. */
  boolean isReplaced() {
    return Files.isSymbolicLink(directory.resolve(FileNames.GUARD));
  }

  /**
   * Replaces the guard file by a link, which no process can open or enter. Waits until no thread and no process is
   * inside.
   */
  void replaceBy(Path target) throws IOException {
    long deadline = watcher.time().nanos() + DEADLINE.toNanos();
    while (!isReplacedBy(target)) {
      if (watcher.time().nanos() - deadline > 0) {
        throw new StorageException("the users of " + directory.resolve(FileNames.GUARD) + " did not leave it within "
            + DEADLINE.toSeconds() + " s; find them with `fuser " + directory.resolve(FileNames.GUARD) + "`");
      }
      watcher.scheduler().pause(Duration.ofNanos(LONGEST_PAUSE_NANOS));
    }
  }

  private boolean isReplacedBy(Path target) throws IOException {
    Path guard = directory.resolve(FileNames.GUARD);
    if (Files.isSymbolicLink(guard)) {
      return true;
    }
    Opened current = opened();
    if (current == null) {
      return false;
    }
    try (FileLock all = current.channel().tryLock(0, Long.MAX_VALUE, false)) {
      if (all == null) {
        return false;
      }
      if (!current.identity().equals(identity())) {
        reopen(current);
        return false;
      }
      Path link = directory.resolve(FileNames.guardTemp());
      Files.deleteIfExists(link);
      Files.createSymbolicLink(link, target);
      Files.move(link, guard, StandardCopyOption.ATOMIC_MOVE);
      return true;
    } catch (OverlappingFileLockException lockedInThisJvm) {
      return false;
    }
  }

  /** Replaces the link by a guard file again. */
  void restore() throws IOException {
    Path guard = directory.resolve(FileNames.GUARD);
    if (Files.isSymbolicLink(guard)) {
      Path fresh = directory.resolve(FileNames.guardTemp());
      Files.deleteIfExists(fresh);
      Files.createFile(fresh, OwnerOnly.FILE);
      Files.move(fresh, guard, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  /** Creates the guard file if it is missing; returns its identity, or null if it was deleted meanwhile. */
  private @Nullable Object createIfMissing() throws IOException {
    Object existing = identity();
    if (existing != null) {
      return existing;
    }
    try {
      Files.createFile(directory.resolve(FileNames.GUARD),
          OwnerOnly.FILE);
    } catch (FileAlreadyExistsException createdConcurrently) {
      // Equivalent to our own.
    }
    return identity();
  }

  /**
   * Keeps the old channel open: threads that entered through it are still inside, and closing it would drop their
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
    } catch (IOException ignored) {
      // The channel's locks are released in either case.
    }
  }
}
