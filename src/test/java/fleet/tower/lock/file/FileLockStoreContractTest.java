package fleet.tower.lock.file;

import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.lock.LockOwnerContract;
import fleet.tower.lock.LockStore;

@DisplayName("Locks on files fulfil the contract of every lock store")
class FileLockStoreContractTest extends LockOwnerContract {
  private FileFixture files = new FileFixture(Path.of("not-yet"));

  @TempDir
  private Path temp = Path.of("not-yet");

  @BeforeEach
  void open() {
    files = new FileFixture(temp.resolve("locks"));
  }

  @AfterEach
  void close() {
    files.close();
  }

  @Override
  protected LockStore store() {
    return files.store();
  }

  @Override
  protected LockStore reopened() {
    files.close();
    return files.store();
  }

  @Override
  protected void pass(Duration duration) {
    files.time().advance(duration);
  }

  @Override
  protected long nanos() {
    return files.time().nanos();
  }
}
