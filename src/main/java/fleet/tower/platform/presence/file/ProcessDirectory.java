package fleet.tower.platform.presence.file;

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
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.KernelRandom;
import fleet.tower.platform.disk.OwnerOnly;
import fleet.tower.platform.disk.RealPath;
import fleet.tower.platform.disk.Uninterrupted;

/**
 * The files of the processes that share a directory, one for each process, which keeps it locked as long as it lives.
 *
 * <ol>
 * <li><b>Show</b>: write the file under a temporary name; lock it; rename it to the id. So nobody ever sees it unlocked.
 * <li><b>Ask</b>: open the file of another process and try to lock it. Who gets the lock knows that its owner is gone, and
 * deletes it: ids are never used again, so what is deleted can be nobody else's.
 * </ol>
 *
 * The kernel drops a process' lock on a file when <em>any</em> descriptor of the file is closed in it. So our own file is
 * opened once and never looked at again, and the directory is shared by count in a JVM, as the guard of a lock directory is.
 */
final class ProcessDirectory {
  private static final Map<Path, ProcessDirectory> SHARED = new HashMap<>();
  private static final Pattern ID = Pattern.compile("[0-9a-f]{24}");
  private static final String TEMP_PREFIX = ".";
  private static final int MAX_ATTEMPTS = 100;
  private static final Set<OpenOption> TO_ASK = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
  private static final Set<OpenOption> TO_MAKE = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);

  private final Path directory;
  private int users;
  private @Nullable Shown shown;

  private ProcessDirectory(Path directory) {
    this.directory = directory;
  }

  /** The id, and the channel whose lock proves it; held on to, because one that is forgotten is closed. */
  private record Shown(String id, FileChannel channel) {}

  /** The files of a directory in this JVM; to be closed as often as it was shared. */
  static ProcessDirectory share(Path directory) {
    Path key = RealPath.of(directory.toAbsolutePath().normalize());
    synchronized (SHARED) {
      ProcessDirectory shared = SHARED.computeIfAbsent(key, ProcessDirectory::new);
      shared.users++;
      return shared;
    }
  }

  /** The id of this process. A file that somebody has removed is put back, for its owner still lives. */
  synchronized String id() {
    Shown current = shown;
    if (current != null && Files.exists(directory.resolve(current.id()), LinkOption.NOFOLLOW_LINKS)) {
      return current.id();
    }
    try {
      OwnerOnly.makeDirectories(directory);
      Shown made = show(current == null ? newId() : current.id());
      shown = made;
      if (current == null) {
        sweep();
      } else {
        closeQuietly(current.channel());
      }
      return made.id();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "this process cannot show in " + directory + " that it lives: " + Errno.describeWithFile(e), e);
    }
  }

  synchronized boolean isAlive(String id) {
    Shown current = shown;
    if (current != null && current.id().equals(id)) {
      return true;
    }
    return ID.matcher(id).matches() && isLocked(directory.resolve(id));
  }

  /** What a living process has written of itself; our own file is not opened for that. */
  synchronized OptionalLong pid(String id) {
    Shown current = shown;
    if (current != null && current.id().equals(id)) {
      return OptionalLong.of(ProcessHandle.current().pid());
    }
    try {
      String text = isAlive(id) ? Files.readString(directory.resolve(id), StandardCharsets.US_ASCII).strip() : "";
      return text.matches("\\d{1,9}") ? OptionalLong.of(Long.parseLong(text)) : OptionalLong.empty();
    } catch (IOException gone) {
      return OptionalLong.empty();
    }
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
    Shown last = shown;
    shown = null;
    if (last != null) {
      deleteQuietly(directory.resolve(last.id()));
      closeQuietly(last.channel());
    }
  }

  private Shown show(String id) throws IOException {
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      FileChannel channel = Uninterrupted.call(() -> tryShow(id));
      if (channel != null) {
        return new Shown(id, channel);
      }
    }
    throw new IOException("files disappear while they are made");
  }

  /** Null when somebody who swept took the file for one that was left behind, in the moment before it was locked. */
  private @Nullable FileChannel tryShow(String id) throws IOException {
    Path temp = directory.resolve(TEMP_PREFIX + newId());
    FileChannel channel = FileChannel.open(temp, TO_MAKE, OwnerOnly.FILE);
    boolean isShown = false;
    try {
      channel.write(ByteBuffer.wrap((ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII)));
      if (channel.tryLock() != null) {
        Files.move(temp, directory.resolve(id), StandardCopyOption.ATOMIC_MOVE);
        isShown = true;
      }
    } catch (NoSuchFileException swept) {
      // Not shown; the caller begins again.
    } finally {
      if (!isShown) {
        deleteQuietly(temp);
        closeQuietly(channel);
      }
    }
    return isShown ? channel : null;
  }

  /** Removes what dead processes have left, which nobody may ever ask about. */
  private void sweep() throws IOException {
    List<Path> others;
    try (Stream<Path> files = Files.list(directory)) {
      others = files.filter(this::isAnothers).toList();
    }
    others.forEach(ProcessDirectory::isLocked);
  }

  private boolean isAnothers(Path file) {
    String name = file.getFileName().toString();
    String id = name.startsWith(TEMP_PREFIX) ? name.substring(TEMP_PREFIX.length()) : name;
    return ID.matcher(id).matches() && (shown == null || !shown.id().equals(name));
  }

  /**
   * Whether somebody holds the lock of a file of another process; deletes the file where nobody does. A shared lock is enough
   * to find out, needs no right to write, and is in nobody's way who asks at the same time.
   */
  private static boolean isLocked(Path file) {
    try {
      return Uninterrupted.call(() -> {
        try (FileChannel channel = FileChannel.open(file, TO_ASK);
            FileLock lock = channel.tryLock(0, Long.MAX_VALUE, true)) {
          if (lock != null) {
            deleteQuietly(file);
          }
          return lock == null;
        }
      });
    } catch (NoSuchFileException gone) {
      return false;
    } catch (IOException | OverlappingFileLockException cannotTell) {
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
      // Whoever looks at it next tries again.
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
