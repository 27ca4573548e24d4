package fleet.tower.task.sql;

import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Tasks in SQLite, with real processes on one file")
class SqliteTaskProcessesTest extends TaskProcessesContract {
  private final TaskDatabase database;

  SqliteTaskProcessesTest(@TempDir Path home) {
    database = new TaskDatabase("jdbc:sqlite:" + home.resolve("state/tower.db"));
  }

  @Override
  protected TaskDatabase database() {
    return database;
  }
}
