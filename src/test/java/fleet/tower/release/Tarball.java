package fleet.tower.release;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The generated tarball. */
public final class Tarball {
  static final Path BASE = Path.of(System.getProperty("project.basedir", "")).toAbsolutePath();
  static final String VERSION = System.getProperty("project.version", "");

  /** The directory that contains everything in it. */
  public static final String DIRECTORY = "tower-executor-" + VERSION;

  private Tarball() {}

  public static Path file() {
    return BASE.resolve("target").resolve(DIRECTORY + ".tar.gz");
  }

  /** Unpacks it as a user does, and returns the release's directory. */
  public static Path unpack(Path into) throws IOException {
    Files.createDirectories(into);
    CommandEnvironment.Result result = new CommandEnvironment(into).run(List.of("tar", "-xzf", file().toString()));
    if (result.exit() != 0) {
      throw new AssertionError(result);
    }
    return into.resolve(DIRECTORY);
  }
}
