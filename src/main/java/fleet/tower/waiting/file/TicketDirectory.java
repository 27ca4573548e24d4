package fleet.tower.waiting.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import fleet.tower.disk.Errno;
import fleet.tower.disk.OwnerOnly;
import fleet.tower.disk.Uninterrupted;
import fleet.tower.lease.RequestId;

/** The tickets of one line, in a directory that is there as long as somebody waits. */
record TicketDirectory(Path path) {
  /** The tickets of this process that somebody holds. One of ours that nobody holds was left behind when it could not be deleted. */
  private static final Set<Ticket> HELD = ConcurrentHashMap.newKeySet();
  private static final AtomicLong COUNTER = new AtomicLong();
  private static final Set<OpenOption> NEW = Set.of(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING,
      StandardOpenOption.WRITE);
  private static final int MAX_ATTEMPTS = 100;

  /** All tickets in their order; none where there is no directory. */
  NavigableSet<Ticket> list() throws IOException {
    NavigableSet<Ticket> tickets = new TreeSet<>();
    try (Stream<Path> files = Files.list(path)) {
      files.map(file -> Ticket.of(file.getFileName().toString())).flatMap(Optional::stream).forEach(tickets::add);
    } catch (NoSuchFileException | NotDirectoryException nobodyWaits) {
      return tickets;
    }
    return tickets;
  }

  /** Whether a ticket of this process belongs to somebody. */
  static boolean isHeld(Ticket ticket) {
    return HELD.contains(ticket);
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
    HELD.add(ticket);
    try {
      write(ticket, who);
      return ticket;
    } catch (IOException e) {
      remove(ticket);
      throw e;
    }
  }

  /** Removes a ticket, whoever holds it. One that cannot be removed counts no more when its process has ended. */
  void remove(Ticket ticket) {
    HELD.remove(ticket);
    try {
      Files.deleteIfExists(path.resolve(ticket.file()));
    } catch (IOException leftBehind) {
      // Whoever looks at the line next tries again.
    }
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

  private void write(Ticket ticket, RequestId who) throws IOException {
    byte[] content = (who.value() + "\n").getBytes(StandardCharsets.US_ASCII);
    Uninterrupted.call(() -> {
      try (FileChannel channel = FileChannel.open(path.resolve(ticket.file()), NEW, OwnerOnly.FILE)) {
        return channel.write(ByteBuffer.wrap(content));
      }
    });
  }
}
