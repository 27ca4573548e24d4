package fleet.tower.lock.queue.file;

import java.nio.file.Path;
import java.util.function.Consumer;

import fleet.tower.lock.queue.WaitQueue;
import fleet.tower.platform.check.Examination;
import fleet.tower.platform.presence.Presence;

/**
 * Opens the lines of those who wait for the locks of a directory.
 *
 * @param locks the directory of the locks
 * @param presence tells whose tickets count; everybody who waits here has to show himself in the same place
 * @param warnings told when changes cannot be watched, so that waiting costs more
 */
public record WaitQueueFiles(Path locks, Presence presence, Consumer<String> warnings) {

  /** The lines. Nothing is touched before somebody joins one. */
  public WaitQueue open() {
    return new FileWaitQueue(locks, presence, warnings);
  }

  /** What the doctor looks at here. */
  public Examination examination() {
    return new WaitQueueExamination(locks, presence);
  }
}
