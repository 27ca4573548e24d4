package fleet.tower.lock.queue.file;

import java.nio.file.Path;
import java.util.function.Consumer;

import fleet.tower.lock.queue.WaitQueue;
import fleet.tower.platform.Examination;
import fleet.tower.platform.Presence;

/**
 * Factory of the wait queues of a lock directory.
 *
 * @param locks the directory of the locks
 *
 * @param presence decides whose tickets count; all waiters must announce themselves in the same place
 *
 * @param warnings receives a warning if changes cannot be watched, so that waiting costs more
 */
public record WaitQueueFiles(Path locks, Presence presence, Consumer<String> warnings) {

  /** Opens the queues. Touches nothing until the first waiter joins. */
  public WaitQueue open() {
    return new FileWaitQueue(locks, presence, warnings);
  }

  /** The health check of the wait queues. */
  public Examination examination() {
    return new WaitQueueExamination(locks, presence);
  }
}
