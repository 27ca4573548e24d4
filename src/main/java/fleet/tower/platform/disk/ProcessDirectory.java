package fleet.tower.platform.disk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * A directory with one file per process, which the process keeps locked while it is alive.
 * <ol>
 * <li><b>Publish</b>: write the file under a temporary name, lock it, rename it to the id. So no process ever sees it
 * unlocked.
 * <li><b>Probe</b>: open the file of another process and try to lock it. If that succeeds, its owner is dead, and the
 * file is deleted; ids are never reused, so it cannot belong to another process.
 * </ol>
 *
 * <p>The kernel drops a process's lock on a file when <em>any</em> of its descriptors of that file is closed. So this
 * process opens its own file once, and the directory is shared by reference count within a JVM.
 */
final class ProcessDirectory {
  private static final Map<Path, ProcessDirectory> SHARED = new HashMap<>();
  private static final Pattern ID = Pattern.compile("[0-9a-f]{24}");
  private static final String TEMP_PREFIX = ".";
  private static final int MAX_ATTEMPTS = 100;
  private static final Set<OpenOption> PROBE_OPTIONS = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);

  private final Path directory;
  private int users;
  private @Nullable Publication own;

  private ProcessDirectory(Path directory) {
    this.directory = directory;
  }

  /** The id of this process and the channel that holds its lock; the reference keeps the channel open. */
  private record Publication(String id, FileChannel channel) {}

  /** The instance for a directory in this JVM; each caller must close it. */
  static ProcessDirectory share(Path directory) {
    Path key = RealPath.of(directory.toAbsolutePath().normalize());
    synchronized (SHARED) {
      ProcessDirectory shared = SHARED.computeIfAbsent(key, ProcessDirectory::new);
      shared.users++;
      return shared;
    }
  }

  /** The id of this process. If its file was removed, it is created again, because the process is alive. */
  synchronized String id() {
    Publication current = own;
    if (current != null && Files.exists(directory.resolve(current.id()), LinkOption.NOFOLLOW_LINKS)) {
      return current.id();
    }
    try {
      OwnerOnly.makeDirectories(directory);
      Publication published = publish(current == null ? newId() : current.id());
      own = published;
      if (current == null) {
        sweep();
      } else {
        closeQuietly(current.channel());
      }
      return published.id();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the presence of this process cannot be published in " + directory + ": " + Errno.describeWithFile(e), e);
    }
  }

  synchronized boolean isAlive(String id) {
    Publication current = own;
    if (current != null && current.id().equals(id)) {
      return true;
    }
    return ID.matcher(id).matches() && isLocked(directory.resolve(id));
  }

  void close() {
    synchronized (SHARED) {
      if (--users == 0) {
        SHARED.remove(directory);
        end();
      }
    }
  }

  private synchronized void end() {
    Publication last = own;
    own = null;
    if (last != null) {
      deleteQuietly(directory.resolve(last.id()));
      closeQuietly(last.channel());
    }
  }

  private Publication publish(String id) throws IOException {
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      FileChannel channel = InterruptShield.call(() -> tryPublish(id));
      if (channel != null) {
        return new Publication(id, channel);
      }
    }
    throw new IOException("files disappear while they are created");
  }

  /** Publishes the id; null if another process swept the file before it was locked. */
  private @Nullable FileChannel tryPublish(String id) throws IOException {
    Path temp = directory.resolve(TEMP_PREFIX + newId());
    FileChannel channel = WrittenFile.create(temp, OwnerOnly.FILE);
    boolean isPublished = false;
    try {
      channel.write(ByteBuffer.wrap((ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII)));
      if (channel.tryLock() != null) {
        Files.move(temp, directory.resolve(id), StandardCopyOption.ATOMIC_MOVE);
        isPublished = true;
      }
    } catch (NoSuchFileException swept) {
      // Not published; the caller tries again.
    } finally {
      if (!isPublished) {
        deleteQuietly(temp);
        closeQuietly(channel);
      }
    }
    return isPublished ? channel : null;
  }

  /** Removes the files of dead processes. */
  private void sweep() throws IOException {
    List<Path> others;
    try (Stream<Path> files = Files.list(directory)) {
      others = files.filter(this::isOther).toList();
    }
    others.forEach(ProcessDirectory::isLocked);
  }

  private boolean isOther(Path file) {
    String name = file.getFileName().toString();
    String id = name.startsWith(TEMP_PREFIX) ? name.substring(TEMP_PREFIX.length()) : name;
    return ID.matcher(id).matches() && (own == null || !own.id().equals(name));
  }

  /**
   * Whether another process holds the lock of its file; deletes the file otherwise. A shared lock suffices, needs no
   * write permission and does not disturb concurrent probes.
   */
  private static boolean isLocked(Path file) {
    try {
      return InterruptShield.call(() -> {
        try (FileChannel channel = FileChannel.open(file, PROBE_OPTIONS);
            FileLock lock = channel.tryLock(0, Long.MAX_VALUE, true)) {
          if (lock != null) {
            deleteQuietly(file);
          }
          return lock == null;
        }
      });
    } catch (NoSuchFileException gone) {
      return false;
    } catch (IOException | OverlappingFileLockException unknown) {
      return true;
    }
  }

  private static String newId() {
    byte[] bytes = new byte[12];
    new KernelRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  private static void deleteQuietly(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException leftBehind) {
      // The next probe tries again.
    }
  }

  private static void closeQuietly(FileChannel channel) {
    try {
      channel.close();
    } catch (IOException nothingIsLost) {
      // Its lock is gone either way.
    }
  }
}
