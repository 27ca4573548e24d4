package fleet.tower.platform.presence.file;

import java.nio.file.Path;

import fleet.tower.platform.presence.Presence;

/** Opens the presence of this process in a directory of files. */
public record ProcessFiles(Path directory) {

  /** The presence of this process; nothing is touched before its id is asked for. */
  public Presence open() {
    return new FilePresence(ProcessDirectory.share(directory));
  }
}
