package fleet.tower.task.sql;

import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.platform.time.ManualTime;
import fleet.tower.task.TaskStore;
import fleet.tower.task.TaskStoreContract;

@DisplayName("Tasks in SQLite fulfil the contract of every task store")
class SqliteTaskStoreContractTest extends TaskStoreContract {
  private final TaskDatabase database;
  private final TaskStore store;

  SqliteTaskStoreContractTest(@TempDir Path home) {
    database = new TaskDatabase("jdbc:sqlite:" + home.resolve("state/tower.db"));
    store = new SqlTasks(database.url(), new ManualTime()).open();
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Override
  protected TaskStore store() {
    return store;
  }

  @Override
  protected void pass(Duration duration) {
    database.pass(duration);
  }
}
