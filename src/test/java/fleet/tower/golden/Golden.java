package fleet.tower.golden;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A comparison with a file of the project, which is rewritten if the build has {@code -Dgolden.update=true}. */
public final class Golden {
  private static final Path BASE = Path.of(System.getProperty("project.basedir", "")).toAbsolutePath();
  private static final boolean UPDATES = Boolean.getBoolean("golden.update");

  private Golden() {}

  /** Asserts that the whole file is this text. */
  public static void isWhole(String file, String text) {
    Path golden = BASE.resolve(file);
    if (UPDATES) {
      write(golden, text);
    }
    assertThat(golden).as("written by -Dgolden.update=true").exists();
    assertThat(text).as(hint(file)).isEqualTo(read(golden));
  }

  /** Asserts that this text is between the comments that begin and end a part of a page. */
  public static void isPart(String file, String part, String text) {
    Path golden = BASE.resolve(file);
    String page = read(golden);
    String begin = "<!-- " + part + ": made by a test -->\n";
    String end = "<!-- end of " + part + " -->\n";
    assertThat(page).contains(begin, end);
    int from = page.indexOf(begin) + begin.length();
    int to = page.indexOf(end);
    if (UPDATES) {
      write(golden, page.substring(0, from) + text + page.substring(to));
    } else {
      assertThat(page.substring(from, to)).as(hint(file)).isEqualTo(text);
    }
  }

  private static String hint(String file) {
    return file
        + " is not what is made now; look at the difference, and if it is meant: ./mvnw test -Dgolden.update=true";
  }

  private static void write(Path file, String text) {
    try {
      Files.createDirectories(file.resolveSibling(""));
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
