package fleet.tower.lock.queue.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.OwnerOnly;
import fleet.tower.platform.disk.Uninterrupted;

/**
 * The tickets of one line, in a directory that is there as long as somebody waits. A process keeps its tickets locked, so that
 * the kernel can wake who stands behind one when it goes, however it goes. They must not be opened a second time in their own
 * process: closing any descriptor of a file drops the lock.
 */
record TicketDirectory(Path path) {
  /** The tickets of this process that somebody holds. One of ours that nobody holds was left behind when it could not be deleted. */
  private static final Map<Ticket, Held> HELD = new ConcurrentHashMap<>();
  private static final AtomicLong COUNTER = new AtomicLong();
  private static final Set<OpenOption> NEW = Set.of(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING,
      StandardOpenOption.WRITE);
  private static final int MAX_ATTEMPTS = 100;

  /** The channel whose lock shows that a ticket is waited with; null while the ticket is being written. */
  private record Held(@Nullable FileChannel channel) {}

  /** All tickets in their order; none where there is no directory. */
  NavigableSet<Ticket> list() throws IOException {
    NavigableSet<Ticket> tickets = new TreeSet<>();
    for (String name : names()) {
      Ticket.of(name).ifPresent(tickets::add);
    }
    return tickets;
  }

  /**
   * How many files have a name before that of a ticket, in no exact order, so that it tells whether the line has changed and
   * nothing else; less than 0 where the ticket is not there.
   */
  int countBefore(Ticket ticket) throws IOException {
    String own = ticket.file();
    int before = 0;
    boolean isThere = false;
    for (String name : names()) {
      int order = name.compareTo(own);
      before += order < 0 ? 1 : 0;
      isThere |= order == 0;
    }
    return isThere ? before : -1;
  }

  /** The names of all files here. The old way to list takes a thirtieth of the new one's time in a fresh process. */
  private String[] names() throws IOException {
    String[] names = path.toFile().list();
    if (names != null) {
      return names;
    }
    try (Stream<Path> files = Files.list(path)) {
      return files.map(file -> file.getFileName().toString()).toArray(String[]::new);
    } catch (NoSuchFileException | NotDirectoryException nobodyWaits) {
      return new String[0];
    }
  }

  /** Whether a ticket of this process belongs to somebody. */
  static boolean isHeld(Ticket ticket) {
    return HELD.containsKey(ticket);
  }

  /** Makes the last ticket of the line. The last leaver may remove the directory at any moment; then it is made again. */
  Ticket create(String process, RequestId who) throws IOException {
    for (int attempt = 1;; attempt++) {
      try {
        OwnerOnly.makeDirectories(path);
        return tryCreate(process, who);
      } catch (NoSuchFileException | NotDirectoryException removedMeanwhile) {
        if (attempt == MAX_ATTEMPTS) {
          throw removedMeanwhile;
        }
      }
    }
  }

  private Ticket tryCreate(String process, RequestId who) throws IOException {
    NavigableSet<Ticket> present = list();
    long sequence = present.isEmpty() ? 1 : Math.min(present.last().sequence() + 1, Ticket.LAST_SEQUENCE);
    Ticket ticket = new Ticket(sequence, process, COUNTER.incrementAndGet());
    HELD.put(ticket, new Held(null));
    try {
      HELD.put(ticket, new Held(write(ticket, who)));
      return ticket;
    } catch (IOException e) {
      remove(ticket);
      throw e;
    }
  }

  /**
   * Removes a ticket, whoever holds it. One that cannot be removed counts no more when its process has ended. The file goes
   * before its lock: who is woken by that looks at once.
   */
  void remove(Ticket ticket) {
    Held held = HELD.remove(ticket);
    try {
      Files.deleteIfExists(path.resolve(ticket.file()));
    } catch (IOException leftBehind) {
      // Whoever looks at the line next tries again.
    }
    if (held != null && held.channel() != null) {
      try {
        held.channel().close();
      } catch (IOException nothingIsLost) {
        // Its lock is gone either way.
      }
    }
  }

  /** Watches a ticket of another process, and reports when it is gone or cannot be watched. */
  TicketWatch watch(Ticket ticket, Runnable onEnd) {
    return TicketWatch.begin(ticket, path.resolve(ticket.file()), onEnd);
  }

  /** Removes the directory if nobody waits. */
  void removeIfEmpty() {
    try {
      Files.deleteIfExists(path);
    } catch (DirectoryNotEmptyException somebodyWaits) {
      // Stays.
    } catch (IOException staysToo) {
      // An empty directory harms nobody.
    }
  }

  /** What callers are told when the line cannot be kept. */
  UncheckedIOException unusable(IOException e) {
    return new UncheckedIOException("the line of waiters in " + path + " cannot be kept: " + Errno.describe(e), e);
  }

  private FileChannel write(Ticket ticket, RequestId who) throws IOException {
    byte[] content = (who.value() + "\n").getBytes(StandardCharsets.US_ASCII);
    return Uninterrupted.call(() -> {
      FileChannel channel = FileChannel.open(path.resolve(ticket.file()), NEW, OwnerOnly.FILE);
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

  /** Who stands behind an unlocked ticket has to look from time to time, so this may fail. */
  private static void tryLock(FileChannel channel) throws IOException {
    try {
      // Somebody who watches may have it for a moment.
      for (int attempt = 0; attempt < MAX_ATTEMPTS && channel.tryLock() == null; attempt++) {
        Thread.onSpinWait();
      }
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException noLocksHere) {
      // As above.
    }
  }
}
