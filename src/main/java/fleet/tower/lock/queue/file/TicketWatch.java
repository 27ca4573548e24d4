package fleet.tower.lock.queue.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * A thread that waits in the kernel for the lock on another process' ticket. It gets the lock when the ticket is
 * removed or its process dies. So a waiter behind other processes is woken only by the one right before it, costs
 * nothing meanwhile, and needs none of the user's few inotify instances.
 */
final class TicketWatch implements AutoCloseable {
  private static final Set<OpenOption> READ = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);

  private final Ticket ticket;
  private final Path file;
  private final Runnable onEnd;
  private final Thread thread;
  private volatile boolean ended;
  private volatile boolean closed;

  private TicketWatch(Ticket ticket, Path file, Runnable onEnd) {
    this.ticket = ticket;
    this.file = file;
    this.onEnd = onEnd;
    this.thread = Thread.ofPlatform().daemon().name("tower-queue").unstarted(this::watch);
  }

  /** Watches a ticket; {@code onEnd} runs when it ends or cannot be watched, unless this was closed before. */
  static TicketWatch begin(Ticket ticket, Path file, Runnable onEnd) {
    TicketWatch watch = new TicketWatch(ticket, file, onEnd);
    watch.thread.start();
    return watch;
  }

  Ticket ticket() {
    return ticket;
  }

  /** Whether {@code onEnd} has not run yet. */
  boolean isOpen() {
    return !ended;
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }

  private void watch() {
    try (FileChannel channel = FileChannel.open(file, READ);
        FileLock _ = channel.lock(0, Long.MAX_VALUE, true)) {
      // The owner no longer holds the ticket.
    } catch (IOException | OverlappingFileLockException goneOrUnknown) {
      // The queue must be read in either case.
    }
    ended = true;
    if (!closed) {
      onEnd.run();
    }
  }
}
