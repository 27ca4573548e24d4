package fleet.tower.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** The AOT cache that the launcher started this JVM with. */
public final class StartupCache {
  private static final List<String> OPTIONS = List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

  private StartupCache() {}

  /**
   * Deletes a cache that the JVM rejected, so that the next start trains another. A rejection under the caller's own
   * JVM options proves nothing about the file.
   */
  public static void deleteIfRejected(Map<String, String> environment) {
    @Nullable
    String cache = System.getProperty("tower.aot");
    if (cache == null || System.getProperty("java.vm.info", "sharing").contains("sharing")
        || OPTIONS.stream().anyMatch(environment::containsKey)) {
      return;
    }
    try {
      Files.deleteIfExists(Path.of(cache));
    } catch (IOException | SecurityException notOurs) {
      // Commands start without a cache, only slower.
    }
  }
}
