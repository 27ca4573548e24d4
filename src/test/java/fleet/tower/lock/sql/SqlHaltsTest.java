package fleet.tower.lock.sql;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;

import fleet.tower.lock.HaltStore;
import fleet.tower.lock.HaltStoreContract;

@DisplayName("Halts in PostgreSQL")
class SqlHaltsTest extends HaltStoreContract {
  private final SqlFixture sql = new SqlFixture();

  @AfterEach
  void close() {
    sql.close();
  }

  @Override
  protected HaltStore store() {
    return sql.halts();
  }

  @Override
  protected void reopen() {
    sql.reopened();
  }

  @Override
  protected void pass(Duration duration) {
    sql.pass(duration);
  }

  @Override
  protected Instant now() {
    return sql.clock().now();
  }

  @Override
  protected void put(String name, String document) {
    sql.clock().execute("INSERT INTO halts (name, document) VALUES ('" + name + "', '" + document + "')");
  }

  @Override
  protected List<String> stored() {
    return sql.clock().tables().look("SELECT name FROM halts");
  }
}
