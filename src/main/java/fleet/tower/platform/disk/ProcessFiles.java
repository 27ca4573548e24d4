package fleet.tower.platform.disk;

import java.nio.file.Path;

import fleet.tower.platform.Presence;

/** The factory of presences that are files in a directory. */
public record ProcessFiles(Path directory) {

  /** The presence of this process; its id is published on first use. */
  public Presence open() {
    return new FilePresence(ProcessDirectory.share(directory));
  }
}
