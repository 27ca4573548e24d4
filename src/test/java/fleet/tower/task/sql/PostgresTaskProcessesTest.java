package fleet.tower.task.sql;

import org.junit.jupiter.api.DisplayName;

import fleet.tower.harness.ProofsProfile;
import fleet.tower.platform.sql.PostgresServer;

@DisplayName("Tasks in PostgreSQL, with real processes on one server")
@ProofsProfile
class PostgresTaskProcessesTest extends TaskProcessesContract {
  private final TaskDatabase database = new TaskDatabase(PostgresServer.newDatabase());

  @Override
  protected TaskDatabase database() {
    return database;
  }
}
