package fleet.tower.console;

import java.nio.file.Path;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A test in real Chromium of the console of one service, which all tests of the class share. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ConsoleTest extends BrowserTest {
  protected ConsoleHome home;

  @BeforeAll
  void start(@TempDir Path directory) {
    home = new ConsoleHome(directory);
  }

  @AfterAll
  void stop() {
    // Without a browser, nothing was started.
    if (home != null) {
      home.close();
    }
  }
}
