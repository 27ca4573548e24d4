package fleet.tower.lock.queue.file;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.lock.queue.WaitQueue.WaitingRequest;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.InterruptShield;
import fleet.tower.platform.disk.OwnerOnly;
import fleet.tower.platform.disk.WrittenFile;
import fleet.tower.platform.disk.WrittenFile.Also;

/**
 * The directory with the tickets of one name; it exists while there are waiters. A process keeps its tickets locked, so
 * that the kernel wakes the next waiter when one ends for whatever reason. A process must not open its own ticket a
 * second time: closing any descriptor of a file drops the lock.
 */
record TicketDirectory(Path path) {
  /**
   * The tickets in use by this process. A ticket of this process that is not among them was left over because its
   * removal failed.
   */
  private static final Map<Ticket, Held> HELD = new ConcurrentHashMap<>();
  private static final AtomicLong COUNTER = new AtomicLong();
  private static final int MAX_ATTEMPTS = 100;

  /** A ticket's request, and the channel whose lock marks it as in use; null while it is being written. */
  private record Held(WaitingRequest request, @Nullable FileChannel channel) {}

  /** All tickets in order; empty without a directory. */
  NavigableSet<Ticket> list() throws IOException {
    NavigableSet<Ticket> tickets = new TreeSet<>();
    for (String name : names()) {
      Ticket.of(name).ifPresent(tickets::add);
    }
    return tickets;
  }

  /**
   * The number of files whose names sort before a ticket's, or -1 if the ticket does not exist. Only good for detecting
   * changes.
   */
  int countBefore(Ticket ticket) throws IOException {
    String own = ticket.file();
    int before = 0;
    boolean exists = false;
    for (String name : names()) {
      int order = name.compareTo(own);
      before += order < 0 ? 1 : 0;
      exists |= order == 0;
    }
    return exists ? before : -1;
  }

  /**
   * The names of all files. {@code File.list} takes a thirtieth of the time of {@code Files.list} in a fresh process.
   */
  private String[] names() throws IOException {
    String[] names = path.toFile().list();
    if (names != null) {
      return names;
    }
    try (Stream<Path> files = Files.list(path)) {
      return files.map(file -> file.getFileName().toString()).toArray(String[]::new);
    } catch (NoSuchFileException | NotDirectoryException noWaiters) {
      return new String[0];
    }
  }

  /** Whether a ticket of this process is in use. */
  static boolean isHeld(Ticket ticket) {
    return HELD.containsKey(ticket);
  }

  /**
   * Creates the last ticket of the queue. The last waiter to leave may remove the directory at any time; then it is
   * created again.
   */
  Ticket create(String process, WaitingRequest request) throws IOException {
    for (int attempt = 1;; attempt++) {
      try {
        OwnerOnly.makeDirectories(path);
        return tryCreate(process, request);
      } catch (NoSuchFileException | NotDirectoryException removedMeanwhile) {
        if (attempt == MAX_ATTEMPTS) {
          throw removedMeanwhile;
        }
      }
    }
  }

  private Ticket tryCreate(String process, WaitingRequest request) throws IOException {
    NavigableSet<Ticket> present = list();
    long sequence = present.isEmpty() ? 1 : Math.min(present.last().sequence() + 1, Ticket.LAST_SEQUENCE);
    Ticket ticket = new Ticket(sequence, process, COUNTER.incrementAndGet());
    HELD.put(ticket, new Held(request, null));
    try {
      HELD.put(ticket, new Held(request, write(ticket, request)));
      return ticket;
    } catch (IOException e) {
      remove(ticket);
      throw e;
    }
  }

  /**
   * Removes a ticket. If that fails, the ticket stops counting when its process ends. The file is removed before its
   * lock is released, because the release wakes a waiter that reads the queue at once.
   */
  void remove(Ticket ticket) {
    Held held = HELD.remove(ticket);
    try {
      Files.deleteIfExists(path.resolve(ticket.file()));
    } catch (IOException leftover) {
      // The next reader of the queue tries again.
    }
    if (held != null && held.channel() != null) {
      try {
        held.channel().close();
      } catch (IOException ignored) {
        // The lock is released in either case.
      }
    }
  }

  /** Watches a ticket of another process; reports when it ends or cannot be watched. */
  TicketWatch watch(Ticket ticket, Runnable onEnd) {
    return TicketWatch.begin(ticket, path.resolve(ticket.file()), onEnd);
  }

  /**
   * The request of a ticket; empty if the waiter has left, or has not written it yet. A ticket of this process is not
   * opened, because that would drop its lock.
   */
  Optional<WaitingRequest> read(Ticket ticket) throws IOException {
    Held held = HELD.get(ticket);
    if (held != null) {
      return Optional.of(held.request());
    }
    Path file = path.resolve(ticket.file());
    try (InputStream in = Files.newInputStream(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
      return TicketText.read(new String(in.readNBytes(TicketText.MAX_BYTES), StandardCharsets.UTF_8),
          Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toInstant());
    } catch (NoSuchFileException | NotDirectoryException hasLeft) {
      return Optional.empty();
    }
  }

  /** Removes the directory if there are no waiters. */
  void removeIfEmpty() {
    try {
      Files.deleteIfExists(path);
    } catch (DirectoryNotEmptyException hasWaiters) {
      // Keep it.
    } catch (IOException ignored) {
      // An empty directory is harmless.
    }
  }

  /** The exception for a queue that cannot be written or read. */
  UncheckedIOException unusable(IOException e) {
    return new UncheckedIOException("cannot use the wait queue in " + path + ": " + Errno.describe(e), e);
  }

  private FileChannel write(Ticket ticket, WaitingRequest request) throws IOException {
    byte[] content = TicketText.write(request).getBytes(StandardCharsets.UTF_8);
    return InterruptShield.call(() -> {
      FileChannel channel = WrittenFile.open(path.resolve(ticket.file()), Also.CREATE, Also.TRUNCATE);
      boolean isWritten = false;
      try {
        tryLock(channel);
        channel.write(ByteBuffer.wrap(content));
        isWritten = true;
        return channel;
      } finally {
        if (!isWritten) {
          channel.close();
        }
      }
    });
  }

  /** Locks the ticket if possible; without the lock, the next waiter polls. */
  private static void tryLock(FileChannel channel) throws IOException {
    try {
      // A watching process may hold the lock for a moment.
      for (int attempt = 0; attempt < MAX_ATTEMPTS && channel.tryLock() == null; attempt++) {
        Thread.onSpinWait();
      }
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException noLocks) {
      // As above: the next waiter polls.
    }
  }
}
