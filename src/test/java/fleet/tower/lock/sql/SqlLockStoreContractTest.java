package fleet.tower.lock.sql;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;

import fleet.tower.lock.LockOwnerContract;
import fleet.tower.lock.LockStore;

@DisplayName("Locks in PostgreSQL fulfil the contract of every lock store")
class SqlLockStoreContractTest extends LockOwnerContract {
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
  protected LockStore reopened() {
    return sql.reopened();
  }

  @Override
  protected void pass(Duration duration) {
    sql.pass(duration);
  }

  @Override
  protected long nanos() {
    return sql.clock().time().nanos();
  }
}
