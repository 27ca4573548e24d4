package fleet.tower.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The text of files, for conditions and assertions. */
public final class TestFiles {
  private TestFiles() {}

  public static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The text of a file that may not exist yet: empty until it does. */
  public static String textIfAny(Path file) {
    return Files.exists(file) ? text(file) : "";
  }
}
