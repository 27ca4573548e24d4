package fleet.tower.platform.disk;

import java.io.IOException;
import java.nio.file.Path;

/** A path as all links on the way to it have it, so that one directory has one, also before it exists. */
public final class RealPath {
  private RealPath() {}

  /** The path without links, as far as it is there. */
  public static Path of(Path path) {
    Path parent = path.getParent();
    try {
      return path.toRealPath();
    } catch (IOException notThereYet) {
      return parent == null ? path : of(parent).resolve(path.getFileName());
    }
  }
}
