package fleet.tower.run.sql;

import java.nio.file.Path;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.lock.file.FileLocks;
import fleet.tower.platform.disk.RecordedFiles;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.run.RunStore;
import fleet.tower.run.RunStoreContract;

@DisplayName("The SQLite run store with a journal fulfils the contract of every run store")
class RecordedRunStoreContractTest extends RunStoreContract {
  private final SqlRuns runs;
  private final FileLocks.Opened locks;
  private final RunStore store;

  RecordedRunStoreContractTest(@TempDir Path home) {
    runs = new SqlRuns("jdbc:sqlite:" + home.resolve("state/tower.db"));
    locks = new FileLocks(home.resolve("logs/locks"), true, SystemTime.source(), SystemTime.scheduler(), _ -> true,
        _ -> {}).open(RecordedFiles.NONE);
    store = runs.open(locks.recorder());
  }

  @AfterEach
  void close() {
    store.close();
    locks.store().close();
  }

  @Override
  protected RunStore store() {
    return store;
  }

  @Override
  protected RunStore another() {
    return runs.open(locks.recorder());
  }
}
