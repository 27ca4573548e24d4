package fleet.tower.home;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.check.Examination;
import fleet.tower.platform.check.Finding;

/**
 * The Java that runs this, and whether it can keep what makes it start quickly; the launcher does that, and this looks where it
 * does.
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
            : Finding.warn("java", version + " is newer than the " + NEEDED + " that this program is tested with",
                "set JAVA_HOME to a JDK " + NEEDED + " if something does not work");
    return List.of(java, cache());
  }

  private Finding cache() {
    if (settings.apply("TOWER_AOT").filter("off"::equals).isPresent()) {
      return Finding.ok(CACHE, "off (TOWER_AOT)");
    }
    if (!classPath.matches("[^:]*\\.jar")) {
      return Finding.ok(CACHE, "none: this was not started by the launcher");
    }
    Path beside = Path.of(classPath).toAbsolutePath().resolveSibling("aot");
    Path own = settings.apply("XDG_CACHE_HOME").map(Path::of)
        .orElseGet(() -> Path.of(settings.apply("HOME").orElse("/nonexistent"), ".cache")).resolve("tower-executor");
    if (isWritable(beside)) {
      return Finding.ok(CACHE, beside.toString());
    }
    return isWritable(own)
        ? Finding.ok(CACHE, own.toString())
        : Finding.warn(CACHE, "it can be written neither to " + beside + " nor to " + own
            + ", so every command takes a second to start", "set XDG_CACHE_HOME to a directory that can be written");
  }

  /** Whether a directory can be written, or made where it is not there. */
  private static boolean isWritable(Path directory) {
    @Nullable
    Path there = directory.toAbsolutePath();
    while (there != null && !Files.exists(there)) {
      there = there.getParent();
    }
    return there != null && Files.isDirectory(there) && Files.isWritable(there);
  }
}
