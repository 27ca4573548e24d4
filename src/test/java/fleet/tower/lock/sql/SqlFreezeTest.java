package fleet.tower.lock.sql;

import java.time.Duration;
import java.time.Instant;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;

import fleet.tower.lock.FreezeStoreContract;
import fleet.tower.lock.LockStore;

@DisplayName("A name that is frozen in PostgreSQL gets no new holder")
class SqlFreezeTest extends FreezeStoreContract {
  private final SqlFixture sql = new SqlFixture();

  @AfterEach
  void close() {
    sql.close();
  }

  @Override
  protected LockStore store() {
    return sql.store();
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
}
