package fleet.tower.lock.file;

import java.nio.file.Path;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.lease.LeaseName;
import fleet.tower.lock.TestRequest;

/** A test of a lock file that another program wrote, in a directory that the Tower has used already. */
abstract class LockFileTest {
  protected static final LeaseName PROD = new LeaseName("prod");

  @TempDir
  protected Path temp = Path.of("not-yet");
  protected FileFixture files = new FileFixture(Path.of("not-yet"));

  @BeforeEach
  void open() {
    files = new FileFixture(temp.resolve("locks"));
    files.granted(TestRequest.by("req_1", "other"));
  }

  @AfterEach
  void close() {
    files.close();
  }
}
