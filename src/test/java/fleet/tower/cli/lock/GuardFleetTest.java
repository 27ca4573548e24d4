package fleet.tower.cli.lock;

import static fleet.tower.lease.Actors.ACTOR;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.lease.keepalive.Renewal;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.LockClient;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.RecordedAudit;
import fleet.tower.lock.TestLocks;
import fleet.tower.lock.TestRequest;
import fleet.tower.lock.sql.SqlLocks;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.SystemTime;

@DisplayName("Guards of a fleet")
class GuardFleetTest {

  @Test
  @DisplayName("Simultaneous heartbeats of guards are sent together, on the connections for heartbeats")
  void together() {
    String url = PostgresServer.newDatabase();
    RecordedAudit audit = new RecordedAudit();
    try (LockStore store = new SqlLocks(Database.at(url), SystemTime.source(), SystemTime.scheduler(),
        Duration.ofSeconds(30)).open()) {
      LockClient locks = TestLocks.of(store, audit, SystemTime.source());
      List<Renewal> renewals = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        if (locks
            .acquire(
                TestRequest.by("req_" + i, "lock-" + i).request()) instanceof AcquireOutcome.Granted(var held, var _)) {
          renewals.add(locks.renewal(ACTOR, held.lease()));
        }
      }
      DirectTables tables = new DirectTables(url);
      tables.change("CREATE TABLE statements (n INT); ");
      tables.change(
          "CREATE FUNCTION counted() RETURNS TRIGGER LANGUAGE plpgsql AS 'BEGIN INSERT INTO statements VALUES (1);"
              + " RETURN NULL; END'");
      tables.change("CREATE TRIGGER counted AFTER UPDATE ON locks FOR EACH STATEMENT EXECUTE FUNCTION counted()");

      List<CompletableFuture<Renewal.Result>> beats = renewals.stream().map(renewal -> {
        CompletableFuture<Renewal.Result> result = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> result.complete(renewal.renew()));
        return result;
      }).toList();

      assertThat(beats).hasSize(40).allSatisfy(beat -> assertThat(beat.join()).isInstanceOf(Renewal.Renewed.class));
      // Separate calls would be forty; a busy machine may need more than one batch.
      assertThat(Integer.parseInt(tables.look("SELECT COUNT(*) FROM statements").getFirst())).isLessThan(20);
    }
  }
}
