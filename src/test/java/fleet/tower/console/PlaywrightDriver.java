package fleet.tower.console;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.impl.driver.jar.DriverJar;

/**
 * The driver of Playwright, a Node.js program, with its Node.js. The first test of a build unpacks it into
 * {@code target}, under a lock; without that, each JVM would unpack 140 MB.
 */
final class PlaywrightDriver {
  private static final Path TARGET = Path.of(System.getProperty("project.basedir", ""), "target").toAbsolutePath();

  private PlaywrightDriver() {}

  /** Runs once in each JVM. */
  private static final class Shared {
    static final Path DIRECTORY = unpack();
  }

  /** The directory of the driver, which the library uses from now on. */
  static Path directory() {
    return Shared.DIRECTORY;
  }

  /** The Node.js of the driver. */
  static String node() {
    return directory().resolve("node").toString();
  }

  private static Path unpack() {
    String version = String.valueOf(Playwright.class.getPackage().getImplementationVersion());
    Path directory = TARGET.resolve("playwright-" + version);
    try (FileChannel file = FileChannel.open(TARGET.resolve("playwright.lock"), StandardOpenOption.CREATE,
        StandardOpenOption.WRITE); FileLock _ = file.lock()) {
      Path done = directory.resolve("unpacked");
      if (Files.notExists(done)) {
        DriverJar.installDriverTo(Files.createDirectories(directory));
        Files.createFile(done);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
    System.setProperty("playwright.cli.dir", directory.toString());
    return directory;
  }
}
