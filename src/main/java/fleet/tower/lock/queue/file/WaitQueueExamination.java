package fleet.tower.lock.queue.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import fleet.tower.platform.Examination;
import fleet.tower.platform.Finding;
import fleet.tower.platform.Presence;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.Watches;

/** Checks that all waiters are alive, and that the kernel can wake them. */
final class WaitQueueExamination implements Examination, Watches.Listener {
  private static final String CHECK = "waiters";

  private final Path locks;
  private final Presence presence;

  WaitQueueExamination(Path locks, Presence presence) {
    this.locks = locks;
    this.presence = presence;
  }

  @Override
  public List<Finding> examine() {
    List<Finding> findings = new ArrayList<>();
    try {
      int waiting = 0;
      for (Path queue : entries(locks.resolve(FileWaitQueue.QUEUE))) {
        waiting += examine(queue, findings);
      }
      if (findings.isEmpty()) {
        findings.add(Finding.ok(CHECK, waiting == 0 ? "none" : waiting + ", all alive"));
      }
    } catch (IOException e) {
      findings.add(Finding.fail(CHECK, "the wait queues in " + locks.resolve(FileWaitQueue.QUEUE)
          + " cannot be read: " + Errno.describe(e), "check their owner and mode"));
    }
    findings.add(watches());
    return findings;
  }

  /** Checks one queue; returns the number of live waiters. */
  private int examine(Path queue, List<Finding> findings) throws IOException {
    int living = 0;
    int dead = 0;
    for (Ticket ticket : new TicketDirectory(queue).list()) {
      if (presence.isAlive(ticket.process())) {
        living++;
      } else {
        dead++;
      }
    }
    if (dead > 0) {
      findings.add(Finding.warn("orphan ticket", queue + " has " + dead + (dead == 1 ? " ticket" : " tickets")
          + " of dead processes", "no action needed; the next waiter there removes them"));
    }
    return living;
  }

  private Finding watches() {
    Path directory = locks;
    while (directory.getParent() != null && !Files.isDirectory(directory)) {
      directory = directory.getParent();
    }
    try (Watches.Subscription _ = Watches.listen(directory, this)) {
      return Finding.ok("inotify", "changes can be watched");
    } catch (IOException e) {
      return Finding.warn("inotify", "cannot watch changes (" + Errno.describe(e)
          + "), so waiters and followers poll instead",
          "raise fs.inotify.max_user_instances and fs.inotify.max_user_watches (sysctl)");
    }
  }

  private static List<Path> entries(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.filter(Files::isDirectory).sorted().toList();
    } catch (NoSuchFileException | NotDirectoryException noWaiters) {
      return List.of();
    }
  }

  @Override
  public void created(String file) {
    // Only whether watching works matters.
  }

  @Override
  public void deleted(String file) {
    // Only whether watching works matters.
  }

  @Override
  public void missed() {
    // Only whether watching works matters.
  }
}
