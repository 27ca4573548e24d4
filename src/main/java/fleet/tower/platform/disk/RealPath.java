package fleet.tower.platform.disk;

import java.io.IOException;
import java.nio.file.Path;

/** Resolves the symbolic links of a path, so that a directory has one path even before it exists. */
public final class RealPath {
  private RealPath() {}

  /** The path with the links of its existing part resolved. */
  public static Path of(Path path) {
    Path parent = path.getParent();
    try {
      return path.toRealPath();
    } catch (IOException notThereYet) {
      return parent == null ? path : of(parent).resolve(path.getFileName());
    }
  }
}
