package fleet.tower.foreign.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

import fleet.tower.foreign.ExclusiveRules;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.InterruptShield;
import fleet.tower.platform.disk.KernelRandom;
import fleet.tower.platform.disk.WrittenFile;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/**
 * The file of another tool's lock, in a directory shared with programs that do not know the Tower.
 *
 * <ol>
 * <li><b>Create</b>: write a temp file, sync, link. So the lock is never seen incomplete, and never replaces another's.
 * <li><b>Remove</b>: rename aside, wait until no process has the file open, read it, and unlink it only if it is what
 * was judged; otherwise link it back. A path can be overwritten between a read and an unlink. After the rename, no
 * process that opens the path can change the moved file; a process that opened it before, as tools do to truncate it,
 * has then changed what is read.
 * <li>Tower processes serialise their changes by a {@code flock} on the directory, which leaves no trace. Each of them
 * first recovers from a killed one: a file left aside goes back, unless its holder is dead.
 * </ol>
 */
final class LockFile {
  private static final FileAttribute<?> READABLE = PosixFilePermissions
      .asFileAttribute(PosixFilePermissions.fromString("rw-r--r--"));
  private static final int MAX_BYTES = 64 * 1024;
  private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(1);
  private static final Duration MAX_PAUSE = Duration.ofMillis(20);
  private static final int MAX_OPEN_CHECKS = 100;
  private static final String TEMP = ".new";
  private static final String ASIDE = ".old";

  private final Path file;
  private final Path directory;
  private final Predicate<byte[]> isDead;
  private final TimeSource time;
  private final Scheduler scheduler;

  /** @param isDead whether a file that was left aside may be deleted */
  LockFile(Path file, Predicate<byte[]> isDead, TimeSource time, Scheduler scheduler) {
    Path parent = file.getParent();
    if (parent == null) {
      throw new IllegalStateException("a lock file needs a directory: " + file);
    }
    this.file = file;
    this.directory = parent;
    this.isDead = isDead;
    this.time = time;
    this.scheduler = scheduler;
  }

  /** Work under the directory's lock. */
  interface Work<T> {
    T run() throws IOException;
  }

  /** The content of the file. Its type is checked first, because opening a pipe blocks until its other end opens. */
  ExclusiveRules.Content read() {
    try {
      return new ExclusiveRules.Bytes(bytes(file));
    } catch (NoSuchFileException absent) {
      return absent();
    } catch (IOException e) {
      return new ExclusiveRules.Corrupt(Errno.describe(e));
    }
  }

  /** Java reports a path below a file or a missing directory, and a dangling link, as nonexistent. */
  private ExclusiveRules.Content absent() {
    if (!Files.exists(directory)) {
      return new ExclusiveRules.Corrupt("directory " + directory + " does not exist");
    }
    if (!Files.isDirectory(directory)) {
      return new ExclusiveRules.Corrupt(directory + " is not a directory");
    }
    return Files.isSymbolicLink(file)
        ? new ExclusiveRules.Corrupt("a dangling link")
        : new ExclusiveRules.Nothing();
  }

  private static byte[] bytes(Path file) throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
    if (attributes.isDirectory()) {
      throw new IOException("Is a directory");
    }
    if (!attributes.isRegularFile()) {
      throw new IOException("a pipe or device, not a regular file");
    }
    if (attributes.size() > MAX_BYTES) {
      throw new IOException(attributes.size() + " bytes long; the limit is " + MAX_BYTES);
    }
    return InterruptShield.call(() -> Files.readAllBytes(file));
  }

  /** Waits for the directory's lock, and runs the work under it. */
  <T> T exclusively(Work<T> work) throws IOException {
    try (Flock lock = Flock.open(directory)) {
      if (awaitLock(lock)) {
        recover();
      }
      return work.run();
    }
  }

  /** Returns false if the file system does not support such locks; then only the second read protects a removal. */
  private boolean awaitLock(Flock lock) throws IOException {
    long deadline = time.nanos() + LOCK_TIMEOUT.toNanos();
    Duration pause = FIRST_PAUSE;
    try {
      while (!lock.tryExclusive()) {
        if (time.nanos() - deadline > 0) {
          throw new NotLocked(
              "another process has held the flock on " + directory + " for " + LOCK_TIMEOUT.toSeconds() + " s");
        }
        scheduler.pause(pause);
        pause = pause.compareTo(MAX_PAUSE) < 0 ? pause.plus(pause) : MAX_PAUSE;
      }
      return true;
    } catch (NotLocked e) {
      throw e;
    } catch (IOException unsupported) {
      return false;
    }
  }

  private static final class NotLocked extends IOException {
    private static final long serialVersionUID = 1;

    NotLocked(String message) {
      super(message);
    }
  }

  /** Creates the file; returns false if there is one already. */
  boolean create(byte[] content) throws IOException {
    Path fresh = sibling(TEMP);
    try {
      InterruptShield.call(() -> {
        Files.deleteIfExists(fresh);
        try (FileChannel channel = WrittenFile.create(fresh, READABLE)) {
          ByteBuffer buffer = ByteBuffer.wrap(content);
          while (buffer.hasRemaining()) {
            channel.write(buffer);
          }
          // Without this, a power failure could leave the name without the content, which would block everyone.
          channel.force(false);
        }
        return null;
      });
      Files.createLink(file, fresh);
      return true;
    } catch (FileAlreadyExistsException exists) {
      return false;
    } finally {
      Files.deleteIfExists(fresh);
    }
  }

  /** Removes the file if it is still what was judged; otherwise returns false. */
  boolean remove(byte[] judged) throws IOException {
    if (!(read() instanceof ExclusiveRules.Bytes(byte[] now)) || !Arrays.equals(now, judged)) {
      return false;
    }
    Path aside = sibling(ASIDE);
    try {
      Files.move(file, aside, StandardCopyOption.ATOMIC_MOVE);
    } catch (NoSuchFileException removed) {
      return false;
    }
    awaitOpenings(aside);
    if (!isStill(aside, judged)) {
      putBack(aside);
      return false;
    }
    Files.delete(aside);
    return true;
  }

  /**
   * Waits until no process has the file open: a tool that truncates the file may be inside the kernel's open for some
   * microseconds, and the rename may come in between. A process that has it open for longer has truncated it, if that
   * was its intent.
   */
  private void awaitOpenings(Path aside) {
    try (Flock flock = Flock.open(aside)) {
      for (int check = 0; check < MAX_OPEN_CHECKS; check++) {
        switch (flock.others()) {
          case NONE -> {
            return;
          }
          case SOME -> scheduler.pause(FIRST_PAUSE);
          case UNKNOWN -> {
            scheduler.pause(MAX_PAUSE);
            return;
          }
        }
      }
    } catch (IOException unreadable) {
      // The next read reports what it is.
    }
  }

  private static boolean isStill(Path aside, byte[] judged) {
    try {
      return Arrays.equals(bytes(aside), judged);
    } catch (IOException changed) {
      return false;
    }
  }

  /** If another file has taken the name, its holder has overwritten this one, as tools do. */
  private void putBack(Path aside) throws IOException {
    try {
      Files.createLink(file, aside);
    } catch (FileAlreadyExistsException overwritten) {
      // Keep the later one, as if it had been written over this one.
    }
    Files.delete(aside);
  }

  private void recover() throws IOException {
    List<Path> left;
    try (Stream<Path> files = Files.list(directory)) {
      String prefix = file.getFileName() + ".tower-";
      left = files.filter(path -> path.getFileName().toString().startsWith(prefix)).toList();
    }
    for (Path path : left) {
      if (path.toString().endsWith(ASIDE) && !isDeletable(path)) {
        putBack(path);
      } else {
        Files.deleteIfExists(path);
      }
    }
  }

  private boolean isDeletable(Path aside) {
    try {
      return isDead.test(bytes(aside));
    } catch (IOException unreadable) {
      return false;
    }
  }

  private Path sibling(String suffix) {
    byte[] random = new byte[6];
    new KernelRandom().nextBytes(random);
    return directory.resolve(file.getFileName() + ".tower-" + HexFormat.of().formatHex(random) + suffix);
  }

  Path path() {
    return file;
  }

  /** Whether the path exists, readable or not. */
  boolean exists() {
    return Files.exists(file, LinkOption.NOFOLLOW_LINKS);
  }
}
