package fleet.tower.lock.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.harness.Await;
import fleet.tower.lock.Halt;
import fleet.tower.lock.HaltSource;
import fleet.tower.lock.HaltStore;
import fleet.tower.lock.HaltStoreContract;
import fleet.tower.lock.LockStore;

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
  protected LockStore locks() {
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

  @Override
  protected void put(String name, String document) {
    sql.clock().execute("INSERT INTO halts (name, document) VALUES ('" + name + "', '" + document + "')");
  }

  @Test
  @DisplayName("A halt is placed only when each grant that was judged without it is committed")
  void waitsForGrants() throws Exception {
    store().inForce();
    try (Connection grant = DriverManager.getConnection(sql.clock().url());
        Statement statement = grant.createStatement()) {
      grant.setAutoCommit(false);
      statement.execute("SELECT halts_version()");
      CompletableFuture<HaltStore.PlaceOutcome> placing = CompletableFuture
          .supplyAsync(() -> store().place(request("night", Halt.Scope.ALL, null)));
      Await.until("the change waits for the grant", () -> !sql.clock().tables()
          .look("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted").isEmpty());
      assertThat(store().inForce().halts()).hasSize(1);
      assertThat(placing).isNotDone();
      grant.commit();
      assertThat(placing.get(1, TimeUnit.MINUTES)).isInstanceOf(HaltStore.PlaceOutcome.Placed.class);
    }
  }

  @Override
  protected LockStore locks(HaltSource halts) {
    return sql.open(halts);
  }

  @Override
  protected List<String> stored() {
    return sql.clock().tables().look("SELECT name FROM halts");
  }
}
