package fleet.tower.waiting.file;

import java.nio.file.Path;
import java.util.function.Consumer;

import fleet.tower.doctor.Examination;
import fleet.tower.presence.Presence;
import fleet.tower.waiting.Line;

/**
 * Opens the lines of those who wait for the locks of a directory.
 *
 * @param locks the directory of the locks
 * @param presence tells whose tickets count; everybody who waits here has to show himself in the same place
 * @param warnings told when changes cannot be watched, so that waiting costs more
 */
public record LineFiles(Path locks, Presence presence, Consumer<String> warnings) {

  /** The lines. Nothing is touched before somebody joins one. */
  public Line open() {
    return new FileLine(locks, presence, warnings);
  }

  /** What the doctor looks at here. */
  public Examination examination() {
    return new LineExamination(locks, presence);
  }
}
