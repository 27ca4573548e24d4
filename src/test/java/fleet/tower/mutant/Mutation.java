package fleet.tower.mutant;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A plausible bug in one source file of the product.
 *
 * @param file the file below {@code fleet/tower}
 */
public record Mutation(String name, String file, List<Edit> edits) {
  private static final Path BASE = Path.of(System.getProperty("project.basedir", "."));
  private static final String MAIN = "src/main/java/fleet/tower";

  /** A piece of the source, and its replacement. */
  public record Edit(String original, String mutated) {}

  /** The name of the class that is changed. */
  String className() {
    return className(file);
  }

  static String className(String file) {
    return "fleet.tower." + file.replace('/', '.');
  }

  /** The source with the bug in it; each piece must be there exactly once, so that no mutant dies unnoticed. */
  String source() throws IOException {
    String source = source(file);
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

  private static String source(String file) throws IOException {
    return Files.readString(BASE.resolve(MAIN).resolve(file + ".java"));
  }

  /** The other sources of the package, also of its tests, that name the class and so may have copied its constants. */
  List<Path> users() throws IOException {
    Pattern use = Pattern.compile("\\b" + className().replaceFirst(".*\\.", "") + "\\.");
    List<Path> users = new ArrayList<>();
    for (String tree : List.of(MAIN, "src/test/java/fleet/tower")) {
      Path changed = BASE.resolve(tree).resolve(file + ".java");
      if (Files.isDirectory(changed.resolveSibling(""))) {
        try (Stream<Path> files = Files.list(changed.resolveSibling(""))) {
          files.filter(it -> it.toString().endsWith(".java") && !it.equals(changed)).sorted().forEach(users::add);
        }
      }
    }
    users.removeIf(it -> !use.matcher(text(it)).find());
    return users;
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
