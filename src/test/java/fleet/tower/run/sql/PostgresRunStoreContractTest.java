package fleet.tower.run.sql;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;

import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.run.RunStore;
import fleet.tower.run.RunStoreContract;

@DisplayName("The PostgreSQL run store keeps the contract of every run store")
class PostgresRunStoreContractTest extends RunStoreContract {
  private final SqlRuns runs = new SqlRuns(PostgresServer.newMigratedDatabase());
  private final RunStore store = runs.open();

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
