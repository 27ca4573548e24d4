package fleet.tower.platform.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.FreezeState;
import fleet.tower.lock.FreezeStore.UnfreezeOutcome;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.TestRequest;
import fleet.tower.lock.sql.SqlLocks;
import fleet.tower.platform.time.SystemTime;

@DisplayName("Locks in PostgreSQL that an earlier version wrote")
class LocksMigrationTest {
  private static final String NOW = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) AS BIGINT)";
  private static final LeaseName FROZEN = new LeaseName("frozen");
  private static final LeaseName HELD = new LeaseName("held");

  private final String url = PostgresServer.newDatabase();
  private final DirectTables tables = new DirectTables(url);

  /** The tables of the version in which check constraints validated rows. */
  LocksMigrationTest() {
    Migrations before = new Migrations(Migrations.ALL.scripts().subList(0, 6));
    try (Database database = new Database(new Postgres(url, 5000), before)) {
      assertThat(database.read(session -> session.query("SELECT name FROM locks", row -> row.getString(1))))
          .hasValueSatisfying(names -> assertThat(names).isEmpty());
    }
    tables.change("INSERT INTO locks (name, token, lock_version, freeze_request_id, freeze_actor, freeze_reason,"
        + " freeze_created_at, freeze_ttl_seconds) VALUES ('frozen', 0, 'v1', 'req_f', 'ann', 'why', " + NOW
        + ", 600)");
    tables
        .change("INSERT INTO locks (name, token, lock_version, request_id, actor, intent, intent_version, host_id, pid,"
            + " created_at, last_heartbeat_at, ttl_seconds, metadata) VALUES ('held', 7, 'v1', 'req_old', 'ann', 'deploy', '1',"
            + " 'here', 4, " + NOW + ", " + NOW + ", 900, '{}')");
  }

  private LockStore open() {
    return new SqlLocks(Database.at(url), SystemTime.source(), SystemTime.scheduler(), Duration.ofSeconds(30)).open();
  }

  @Test
  @DisplayName("A holder continues and releases its lock; a freeze of a name that was never locked remains")
  void upgrade() {
    try (LockStore store = open()) {
      assertThat(store.view(HELD).leaseState()).isInstanceOfSatisfying(LeaseState.Held.class, held -> {
        Lease lease = held.lease();
        assertThat(lease.requestId()).isEqualTo(new RequestId("req_old"));
        assertThat(lease.token()).isEqualTo(new FencingToken(7));
        assertThat(lease.holder().intent()).isEqualTo("deploy");
      });
      assertThat(store.view(HELD).freeze()).isInstanceOf(FreezeState.None.class);
      assertThat(store.release(HELD, Owner.ofAnyActor(new RequestId("req_old")), new FencingToken(7)))
          .isInstanceOf(ReleaseOutcome.Released.class);

      assertThat(store.view(FROZEN).leaseState()).isInstanceOf(LeaseState.Vacant.class);
      assertThat(store.acquire(TestRequest.by("req_a", "frozen").request())).isInstanceOf(AcquireOutcome.Refused.class);
      assertThat(store.unfreeze(FROZEN)).isInstanceOf(UnfreezeOutcome.Unfrozen.class);
      assertThat(store.acquire(TestRequest.by("req_a", "frozen").request())).isInstanceOfSatisfying(
          AcquireOutcome.Granted.class,
          granted -> assertThat(granted.lease().lease().token()).isEqualTo(new FencingToken(1_000_000_000_001L)));
      assertThat(store.release(FROZEN, Owner.ofAnyActor(new RequestId("req_a")), FencingToken.NONE))
          .isInstanceOf(ReleaseOutcome.Released.class);
    }
  }

  @Test
  @DisplayName("The server still rejects a row with a missing value, although there is no check constraint")
  void whole() {
    try (LockStore store = open()) {
      assertThat(store.list()).hasSize(2);
    }
    assertThatIllegalStateException().isThrownBy(() -> tables.change("UPDATE locks SET actor = NULL"));
    assertThatIllegalStateException().isThrownBy(() -> tables.change("UPDATE locks SET freeze_reason = NULL"));
    assertThat(tables.look("SELECT COUNT(*) FROM pg_constraint WHERE conrelid = 'locks'::regclass AND contype = 'c'"))
        .containsExactly("0");
  }
}
