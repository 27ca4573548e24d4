package fleet.tower.service.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * The files of the console, as the build made them: one page, and scripts and styles whose names contain their hashes.
 */
final class ConsolePages {
  /** The addresses of pages; the page itself reads the rest of the address. */
  private static final Pattern PAGES = Pattern.compile(
      "/console/(?:(?:runs|approvals|locks|intents|tasks|mailboxes)(?:/[^/]+)?|audit|hosts)?");
  private static final Pattern ASSET = Pattern.compile("/console/assets/([A-Za-z0-9_.-]+\\.(?:js|css))");

  private final Map<String, File> files = new ConcurrentHashMap<>();

  /** A file, plain and compressed. */
  record File(byte[] plain, byte[] compressed) {}

  /** Whether an address is that of a page; others get the same page, which reports that. */
  static boolean isPage(String path) {
    return PAGES.matcher(path).matches();
  }

  /** The page of every address. */
  File page() {
    return file("index.html").orElseThrow(() -> new IllegalStateException("this build has no console"));
  }

  /** A script or a style. */
  Optional<File> asset(String path) {
    var asset = ASSET.matcher(path);
    return asset.matches() ? file("assets/" + asset.group(1)) : Optional.empty();
  }

  /** The media type of an asset. */
  static String type(String path) {
    return path.endsWith(".css") ? "text/css;charset=utf-8" : "text/javascript;charset=utf-8";
  }

  /** Only files that exist are kept. */
  private Optional<File> file(String name) {
    File known = files.get(name);
    if (known != null) {
      return Optional.of(known);
    }
    try (InputStream plain = ConsolePages.class.getResourceAsStream("page/" + name);
        InputStream compressed = ConsolePages.class.getResourceAsStream("page/" + name + ".gz")) {
      if (plain == null || compressed == null) {
        return Optional.empty();
      }
      File file = new File(plain.readAllBytes(), compressed.readAllBytes());
      files.put(name, file);
      return Optional.of(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
