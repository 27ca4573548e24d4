package fleet.tower.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import fleet.tower.platform.time.SystemTime;

/** The caches of {@code bin/tower}, one for each kind of command. */
final class AotCaches {
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(200);
  private static final int MOST_LOOKS = 300;

  private AotCaches() {}

  /** The first command creates the cache in the background; one that finds it is as fast as all later ones. */
  static void await(Path project, String kind) throws IOException {
    for (int i = 0; i < MOST_LOOKS && !isMade(project, kind); i++) {
      SystemTime.scheduler().pause(BETWEEN_LOOKS);
    }
    LockBench.expect(isMade(project, kind));
  }

  private static boolean isMade(Path project, String kind) throws IOException {
    Path caches = project.resolve("target/aot");
    if (!Files.isDirectory(caches)) {
      return false;
    }
    try (var files = Files.list(caches)) {
      return files.anyMatch(file -> file.toString().endsWith("-" + kind + ".aot"));
    }
  }
}
