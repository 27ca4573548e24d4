package fleet.tower.home;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.Examination;
import fleet.tower.platform.Finding;

/**
 * Checks the Java version, and that the launcher can write its start-up cache; looks in the same directories as the
 * launcher.
 */
final class JavaExamination implements Examination {
  static final int NEEDED = 25;
  private static final String CACHE = "start-up cache";

  private final Runtime.Version version;
  private final String classPath;
  private final Function<String, Optional<String>> settings;

  JavaExamination(Runtime.Version version, String classPath, Function<String, Optional<String>> settings) {
    this.version = version;
    this.classPath = classPath;
    this.settings = settings;
  }

  @Override
  public List<Finding> examine() {
    Finding java = version.feature() < NEEDED
        ? Finding.fail("java", version + " is older than " + NEEDED, "set JAVA_HOME to a JDK " + NEEDED)
        : version.feature() == NEEDED
            ? Finding.ok("java", version.toString())
            : Finding.warn("java", version + " is newer than " + NEEDED + ", which this program is tested with",
                "set JAVA_HOME to a JDK " + NEEDED + " if something does not work");
    return List.of(java, cache());
  }

  private Finding cache() {
    if (settings.apply("TOWER_AOT").filter("off"::equals).isPresent()) {
      return Finding.ok(CACHE, "off (TOWER_AOT)");
    }
    if (!classPath.matches("[^:]*\\.jar")) {
      return Finding.ok(CACHE, "none: not started by the launcher");
    }
    Path beside = Path.of(classPath).toAbsolutePath().resolveSibling("aot");
    Path own = settings.apply("XDG_CACHE_HOME").map(Path::of)
        .orElseGet(() -> Path.of(settings.apply("HOME").orElse("/nonexistent"), ".cache")).resolve("tower-executor");
    if (isWritable(beside)) {
      return Finding.ok(CACHE, beside.toString());
    }
    return isWritable(own)
        ? Finding.ok(CACHE, own.toString())
        : Finding.warn(CACHE, "neither " + beside + " nor " + own + " is writable"
            + ", so every command takes a second to start", "set XDG_CACHE_HOME to a writable directory");
  }

  /** Whether a directory is writable, or can be created. */
  private static boolean isWritable(Path directory) {
    @Nullable
    Path existing = directory.toAbsolutePath();
    while (existing != null && !Files.exists(existing)) {
      existing = existing.getParent();
    }
    return existing != null && Files.isDirectory(existing) && Files.isWritable(existing);
  }
}
