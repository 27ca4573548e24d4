package fleet.tower.run.sql;

import java.nio.file.Path;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.run.RunStore;
import fleet.tower.run.RunStoreContract;

@DisplayName("The SQLite run store fulfils the contract of every run store")
class SqliteRunStoreContractTest extends RunStoreContract {
  private final SqlRuns runs;
  private final RunStore store;

  SqliteRunStoreContractTest(@TempDir Path home) {
    runs = new SqlRuns("jdbc:sqlite:" + home.resolve("state/tower.db"));
    store = runs.open();
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Override
  protected RunStore store() {
    return store;
  }

  @Override
  protected RunStore another() {
    return runs.open();
  }
}
