package fleet.tower.service.web;

import java.nio.file.Path;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.service.config.TestService;

/** A test of runs over HTTP, on one service that all tests of the class share. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SharedRunServiceTest {
  private final String[] settings;
  @AutoClose
  protected TestRunService bench;
  protected TestService service;

  SharedRunServiceTest(String... settings) {
    this.settings = settings;
  }

  @BeforeAll
  void start(@TempDir Path home) {
    prepare(home);
    bench = new TestRunService(home, settings);
    service = bench.service;
  }

  /** Adds to the home before the service starts. */
  void prepare(Path home) {}
}
