package fleet.tower.lock.file.mutant;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A plausible bug in one file of the lock.
 *
 * @param file the source file below {@code fleet/tower}
 *
 * @param only the one promise that it must break, or null for any
 */
record Mutant(String name, String file, List<Edit> edits, @Nullable String only) {
  private static final Path SOURCES = Path.of(System.getProperty("project.basedir", "."), "src/main/java/fleet/tower");

  /** A piece of the source, and its replacement. */
  record Edit(String original, String mutated) {}

  Mutant(String name, String file, String original, String mutated) {
    this(name, file, List.of(new Edit(original, mutated)), null);
  }

  /** The name of the class that is changed. */
  String className() {
    return "fleet.tower." + file.replace('/', '.');
  }

  /** The source with the bug in it; each piece must be there exactly once, so that no mutant dies unnoticed. */
  String source() throws IOException {
    String source = Files.readString(SOURCES.resolve(file + ".java"));
    for (Edit edit : edits) {
      int at = source.indexOf(edit.original());
      if (at < 0 || source.indexOf(edit.original(), at + 1) >= 0) {
        throw new IllegalStateException(
            name + ": " + file + " must hold exactly once, but does not:\n" + edit.original());
      }
      source = source.replace(edit.original(), edit.mutated());
    }
    return source;
  }

  @Override
  public String toString() {
    return name;
  }
}
