package fleet.tower.guard.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The environment of the caller, byte for byte, without the variables that the launcher has set for Java.
 *
 * @param entries {@code NAME=value} by name
 */
record CallerEnvironment(Map<String, byte[]> entries) {
  /** The variables that the launcher has changed: {@code NAME=value} as it was, or {@code NAME} if it was not set. */
  private static final String CHANGED = "tower.locale";

  /** The environment of this process. */
  static CallerEnvironment ofProcess() {
    Map<String, byte[]> entries = new LinkedHashMap<>();
    try {
      for (String entry : Files.readString(Path.of("/proc/self/environ"), StandardCharsets.ISO_8859_1).split("\0",
          -1)) {
        put(entries, entry.getBytes(StandardCharsets.ISO_8859_1));
      }
    } catch (IOException notShown) {
      System.getenv().forEach((name, value) -> put(entries, (name + "=" + value).getBytes(StandardCharsets.UTF_8)));
    }
    String changed = System.getProperty(CHANGED, "");
    if (changed.indexOf('=') > 0) {
      entries.put(changed.substring(0, changed.indexOf('=')), changed.getBytes(StandardCharsets.UTF_8));
    } else {
      entries.remove(changed);
    }
    return new CallerEnvironment(entries);
  }

  private static void put(Map<String, byte[]> entries, byte[] entry) {
    String text = new String(entry, StandardCharsets.ISO_8859_1);
    int equals = text.indexOf('=', 1);
    if (equals > 0) {
      entries.putIfAbsent(text.substring(0, equals), entry);
    }
  }

  /** All entries with some additions, and a mark after the marks of outer processes. */
  List<byte[]> with(Map<String, String> additions, String markVariable, String mark) {
    Map<String, byte[]> all = new LinkedHashMap<>(entries);
    additions.forEach((name, value) -> all.put(name, (name + "=" + value).getBytes(StandardCharsets.UTF_8)));
    byte[] outer = entries.get(markVariable);
    String marks = outer == null
        ? markVariable + "=" + mark
        : new String(outer, StandardCharsets.ISO_8859_1) + "," + mark;
    all.put(markVariable, marks.getBytes(StandardCharsets.ISO_8859_1));
    return List.copyOf(all.values());
  }

  /** The variable {@code PATH} alone. */
  List<byte[]> path() {
    byte[] path = entries.get("PATH");
    return path == null ? List.of() : List.of(path);
  }
}
