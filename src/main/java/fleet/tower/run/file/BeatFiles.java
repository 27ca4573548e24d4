package fleet.tower.run.file;

import java.nio.file.Path;

import fleet.tower.platform.presence.Presence;
import fleet.tower.run.OutsideBeats;

/**
 * Opens the place where beats of runs are left, in a directory of files.
 *
 * @param presence tells whose runs are at work still; everybody who takes beats here has to show himself in the same place
 */
public record BeatFiles(Path directory, Presence presence) {

  /** The place. Nothing is touched before somebody takes beats or leaves one. */
  public OutsideBeats open() {
    return new BeatDirectory(directory, presence);
  }
}
