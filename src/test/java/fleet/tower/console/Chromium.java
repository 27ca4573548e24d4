package fleet.tower.console;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;

/** The Chromium of this machine, started once in each JVM. Playwright ends it with the JVM. */
final class Chromium {
  /** First the one without windows, which needs 40 % less processor time for the same pages. */
  private static final List<String> NAMES = List.of("chromium-headless-shell", "chromium", "chromium-browser",
      "google-chrome-stable", "google-chrome");

  private Chromium() {}

  /** Runs once in each JVM. */
  private static final class Shared {
    static final Optional<Browser> BROWSER = executable().map(Chromium::start);
  }

  /** The browser; skips the test if this machine has none, or fails it in continuous integration. */
  static Browser installed() {
    return Shared.BROWSER.orElseGet(Chromium::missing);
  }

  private static Browser missing() {
    String reason = "no Chromium for the tests of the console; install it: apt-get install chromium-headless-shell";
    if (isRequired(System.getenv())) {
      throw new AssertionError(reason);
    }
    return abort(reason);
  }

  /** Whether a missing browser is a failure. */
  static boolean isRequired(Map<String, String> environment) {
    return environment.containsKey("CI");
  }

  private static Optional<Path> executable() {
    return find(System.getenv().getOrDefault("PATH", "/usr/bin"));
  }

  /** The browser in the directories of a search path. */
  static Optional<Path> find(String path) {
    List<Path> directories = Stream.of(path.split(File.pathSeparator, -1)).map(Path::of).toList();
    return NAMES.stream().flatMap(name -> directories.stream().map(directory -> directory.resolve(name)))
        .filter(Files::isExecutable).findFirst();
  }

  private static Browser start(Path executable) {
    PlaywrightDriver.directory();
    Playwright playwright = Playwright
        .create(new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    List<String> arguments = new ArrayList<>(List.of("--disable-gpu", "--enable-precise-memory-info"));
    if (System.getProperty("user.name").equals("root")) {
      arguments.add("--no-sandbox");
    }
    return playwright.chromium().launch(new BrowserType.LaunchOptions().setExecutablePath(executable)
        .setArgs(arguments));
  }
}
