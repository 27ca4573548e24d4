package fleet.tower.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** What this build leaves out, a line each, in a file that the build prints at its end. */
final class LeftOut {
  private LeftOut() {}

  static void add(String test, String what) {
    String file = System.getProperty("proofs.left-out");
    if (file == null) {
      return;
    }
    try {
      Files.writeString(Path.of(file), test + (what.isEmpty() ? "" : ": " + what) + "\n", StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
