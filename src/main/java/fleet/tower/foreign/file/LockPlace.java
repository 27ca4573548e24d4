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
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

import fleet.tower.foreign.ExclusiveRules;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.KernelRandom;
import fleet.tower.platform.disk.Uninterrupted;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/**
 * The one file that is another tool's lock, in a directory that we share with programs which know nothing of us.
 *
 * <ol>
 * <li><b>Create</b>: write aside, sync, link. So it is never seen half, and never in the place of anybody else's.
 * <li><b>Remove</b>: rename aside, wait until nobody has it open, read what was moved, and only if that is what was judged, unlink. A
 * path can be overwritten between a look and an unlink; what was moved cannot be changed by anybody who opens the path behind the
 * rename, and who has opened it before, as tools do, to truncate it, has thereby changed what is read. What is not what was judged
 * is linked back.
 * <li>Ours take turns by a {@code flock} on the directory, which nobody sees. Whoever has the turn puts right what a killed one
 * left: what it had moved aside goes back, unless its holder is dead.
 * </ol>
 */
final class LockPlace {
  private static final FileAttribute<?> READABLE = PosixFilePermissions
      .asFileAttribute(PosixFilePermissions.fromString("rw-r--r--"));
  private static final int MAX_BYTES = 64 * 1024;
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(1);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(20);
  private static final int MAX_LOOKS_AT_OPENINGS = 100;
  private static final String IN_THE_MAKING = ".new";
  private static final String ASIDE = ".old";

  private final Path file;
  private final Path directory;
  private final Predicate<byte[]> isDead;
  private final TimeSource time;
  private final Scheduler scheduler;

  /** @param isDead whether what was found moved aside may be thrown away */
  LockPlace(Path file, Predicate<byte[]> isDead, TimeSource time, Scheduler scheduler) {
    Path parent = file.getParent();
    if (parent == null) {
      throw new IllegalStateException("a lock file has a directory: " + file);
    }
    this.file = file;
    this.directory = parent;
    this.isDead = isDead;
    this.time = time;
    this.scheduler = scheduler;
  }

  /** Work that nobody else of us does here at the same time. */
  interface Turn<T> {
    T run() throws IOException;
  }

  /** What lies there; before anything is opened it is looked at, because opening a pipe waits for its other end. */
  ExclusiveRules.Content read() {
    try {
      return new ExclusiveRules.Bytes(bytes(file));
    } catch (NoSuchFileException absent) {
      return absent();
    } catch (IOException e) {
      return new ExclusiveRules.Unreadable(Errno.describe(e));
    }
  }

  /** Java says of a path below a file, and of one below nothing, that it does not exist; so it does of a link to nothing. */
  private ExclusiveRules.Content absent() {
    if (!Files.exists(directory)) {
      return new ExclusiveRules.Unreadable("there is no directory " + directory);
    }
    if (!Files.isDirectory(directory)) {
      return new ExclusiveRules.Unreadable(directory + " is not a directory");
    }
    return Files.isSymbolicLink(file)
        ? new ExclusiveRules.Unreadable("a link to nothing")
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
      throw new IOException(attributes.size() + " bytes long; at most " + MAX_BYTES + " are read");
    }
    return Uninterrupted.call(() -> Files.readAllBytes(file));
  }

  /** Waits for a turn and takes it. */
  <T> T inTurn(Turn<T> work) throws IOException {
    try (Flock turn = Flock.open(directory)) {
      if (awaitTurn(turn)) {
        recover();
      }
      return work.run();
    }
  }

  /** False where the file system knows no such locks: then the removal's second look has to do alone. */
  private boolean awaitTurn(Flock turn) throws IOException {
    long deadline = time.nanos() + PATIENCE.toNanos();
    Duration pause = FIRST_PAUSE;
    try {
      while (!turn.tryExclusive()) {
        if (time.nanos() - deadline > 0) {
          throw new NoTurn("somebody has kept " + directory + " locked by flock for " + PATIENCE.toSeconds() + " s");
        }
        scheduler.pause(pause);
        pause = pause.compareTo(LONGEST_PAUSE) < 0 ? pause.plus(pause) : LONGEST_PAUSE;
      }
      return true;
    } catch (NoTurn e) {
      throw e;
    } catch (IOException noSuchLocks) {
      return false;
    }
  }

  private static final class NoTurn extends IOException {
    private static final long serialVersionUID = 1;

    NoTurn(String message) {
      super(message);
    }
  }

  /** Makes the file; false when there is one already, whosever it is. */
  boolean create(byte[] content) throws IOException {
    Path fresh = besides(IN_THE_MAKING);
    try {
      Uninterrupted.call(() -> {
        Files.deleteIfExists(fresh);
        try (FileChannel channel = FileChannel.open(fresh,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), READABLE)) {
          ByteBuffer buffer = ByteBuffer.wrap(content);
          while (buffer.hasRemaining()) {
            channel.write(buffer);
          }
          // Otherwise a power cut could leave the name without the content, which would block everybody.
          channel.force(false);
        }
        return null;
      });
      Files.createLink(file, fresh);
      return true;
    } catch (FileAlreadyExistsException somebodyElse) {
      return false;
    } finally {
      Files.deleteIfExists(fresh);
    }
  }

  /** Removes the file if it is what was judged; false when it is not, or not any more. */
  boolean remove(byte[] judged) throws IOException {
    if (!(read() instanceof ExclusiveRules.Bytes(byte[] now)) || !Arrays.equals(now, judged)) {
      return false;
    }
    Path aside = besides(ASIDE);
    try {
      Files.move(file, aside, StandardCopyOption.ATOMIC_MOVE);
    } catch (NoSuchFileException removedBySomebodyElse) {
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
   * Between finding a file and truncating it an open is inside the kernel for some microseconds, and the rename may come between.
   * So it is awaited that nobody has the file open any more. Who has it open for longer has truncated it, if he was to.
   */
  private void awaitOpenings(Path aside) {
    try (Flock flock = Flock.open(aside)) {
      for (int look = 0; look < MAX_LOOKS_AT_OPENINGS; look++) {
        switch (flock.others()) {
          case NONE -> {
            return;
          }
          case SOME -> scheduler.pause(FIRST_PAUSE);
          case UNKNOWN -> {
            scheduler.pause(LONGEST_PAUSE);
            return;
          }
        }
      }
    } catch (IOException notToBeOpened) {
      // What it is, the next look tells.
    }
  }

  private static boolean isStill(Path aside, byte[] judged) {
    try {
      return Arrays.equals(bytes(aside), judged);
    } catch (IOException notWhatWasJudged) {
      return false;
    }
  }

  /** Where another one has come already, that one's holder has overwritten this one, as they do. */
  private void putBack(Path aside) throws IOException {
    try {
      Files.createLink(file, aside);
    } catch (FileAlreadyExistsException overwritten) {
      // The later one stays, as if it had been written over this one.
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
      if (path.toString().endsWith(ASIDE) && !isWorthless(path)) {
        putBack(path);
      } else {
        Files.deleteIfExists(path);
      }
    }
  }

  private boolean isWorthless(Path aside) {
    try {
      return isDead.test(bytes(aside));
    } catch (IOException unreadable) {
      return false;
    }
  }

  private Path besides(String suffix) {
    byte[] random = new byte[6];
    new KernelRandom().nextBytes(random);
    return directory.resolve(file.getFileName() + ".tower-" + HexFormat.of().formatHex(random) + suffix);
  }

  Path file() {
    return file;
  }

  /** Whether something lies there at all, readable or not. */
  boolean isTaken() {
    return Files.exists(file, LinkOption.NOFOLLOW_LINKS);
  }
}
