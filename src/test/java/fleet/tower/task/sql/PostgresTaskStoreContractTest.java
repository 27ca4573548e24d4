package fleet.tower.task.sql;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;

import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.task.TaskStore;
import fleet.tower.task.TaskStoreContract;

@DisplayName("Tasks in PostgreSQL fulfil the contract of every task store")
class PostgresTaskStoreContractTest extends TaskStoreContract {
  private final TaskDatabase database = new TaskDatabase(PostgresServer.newMigratedDatabase());
  private final TaskStore store = new SqlTasks(database.url(), new ManualTime()).open();

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
