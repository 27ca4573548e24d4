package fleet.tower.run.file;

import java.nio.file.Path;

import fleet.tower.platform.Presence;
import fleet.tower.run.OutsideBeats;

/**
 * Opens the heartbeats of runs, in a directory of files.
 *
 * @param presence shows which executors are alive; every process that receives heartbeats here must be present there
 */
public record BeatFiles(Path directory, Presence presence) {

  /** Opens the directory; nothing is read or written before the first call. */
  public OutsideBeats open() {
    return new BeatDirectory(directory, presence);
  }
}
