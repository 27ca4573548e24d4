package fleet.tower.lock.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.lease.Decision;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.ForceReleaseOutcome;
import fleet.tower.lock.FreezeState;
import fleet.tower.lock.PreviousLock;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.lock.TestRequest;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.PostgresServer;

@DisplayName("Properties specific to locks in PostgreSQL")
class SqlLockTest {
  private static final LeaseName PROD = new LeaseName("prod");

  private final SqlFixture sql = new SqlFixture();

  @AfterEach
  void close() {
    sql.close();
  }

  @Test
  @DisplayName("TF-5.5 metadata is kept byte for byte, with the token in front, even over heartbeats")
  void metadata() {
    Map<String, String> members = Map.of("note", "{ \"a\" :1.10, \"ü\\u0000\": [1e400,12345678901234567890] }");
    AcquireRequest request = TestRequest.of(PROD, new RequestId("req_a"), TestRequest.HOLDER, Ttl.DEFAULT, false,
        new AcquireRequest.Metadata(members));
    sql.store().acquire(request);
    sql.pass(Duration.ofSeconds(10));
    sql.store().renew(PROD, request.owner(), FencingToken.NONE);

    assertThat(held().metadata())
        .isEqualTo("{\"fencing_token\":1000000000001,\"note\":" + members.get("note") + "}");
  }

  @Test
  @DisplayName("A lock's address has host, database and name, but no password")
  void path() {
    String path = sql.open(sql.clock().url().replace("user=postgres", "user=postgres&password=hush")).pathOf(PROD);
    assertThat(path).matches("postgresql://localhost:\\d+/tower_\\d+#locks/prod");
  }

  @Test
  @DisplayName("Decision 7 a failover begins a new timeline, and every later token is greater than all earlier ones")
  void timelines() {
    long first = sql.granted(TestRequest.by("req_a", "prod")).token().value();
    sql.store().release(PROD, TestRequest.owner(new RequestId("req_a")), FencingToken.NONE);
    sql.clock().beginTimeline(3);
    long afterFailover = sql.granted(TestRequest.by("req_b", "prod")).token().value();
    sql.store().release(PROD, TestRequest.owner(new RequestId("req_b")), FencingToken.NONE);
    sql.clock().beginTimeline(1);
    long restoredElsewhere = sql.granted(TestRequest.by("req_c", "prod")).token().value();

    assertThat(List.of(first, afterFailover, restoredElsewhere))
        .containsExactly(1_000_000_000_001L, 3_000_000_000_001L, 3_000_000_000_002L);
  }

  @Test
  @DisplayName("TF-A11 a lock of a newer version cannot be stolen, renewed or released, but a force release removes it")
  void newer() {
    Lease lease = sql.granted(TestRequest.by("req_a", "prod"));
    sql.clock().execute("UPDATE locks SET lock_version = 'v2'");
    sql.pass(Duration.ofHours(1));

    assertThat(sql.store().view(PROD).leaseState()).isEqualTo(new LeaseState.Unsupported("v2"));
    assertThat(sql.store().acquire(TestRequest.by("req_b", "prod").withForce().request()))
        .isEqualTo(new AcquireOutcome.Refused(new Decision.Unsupported("v2")));
    assertThat(sql.store().acquire(TestRequest.by("req_a", "prod").request()))
        .isEqualTo(new AcquireOutcome.Refused(new Decision.Unsupported("v2")));
    assertThat(sql.store().renew(PROD, lease.owner(), lease.token()))
        .isEqualTo(new RenewOutcome.Refused(new Decision.Unsupported("v2")));
    assertThat(sql.store().release(PROD, lease.owner(), lease.token()))
        .isEqualTo(new ReleaseOutcome.Refused(new Decision.Unsupported("v2")));
    assertThat(sql.store().list()).hasSize(1);
    assertThat(sql.store().forceRelease(PROD)).isInstanceOfSatisfying(ForceReleaseOutcome.Removed.class, removed -> {
      assertThat(removed.previous().lease()).isNull();
      assertThat(removed.previous().hash()).startsWith("sha256:");
    });
    assertThat(sql.granted(TestRequest.by("req_b", "prod")).token()).isGreaterThan(lease.token());
  }

  @Test
  @DisplayName("The server rejects a row with a missing value, although there is no check constraint")
  void whole() {
    String url = PostgresServer.newMigratedDatabaseOfTwoUsers().owner();
    DirectTables tables = new DirectTables(url);
    tables.change("INSERT INTO locks (name, token, lock_version) VALUES ('prod', 0, 'v1')");

    assertThatIllegalStateException().isThrownBy(() -> tables.change("UPDATE locks SET actor = NULL"));
    assertThatIllegalStateException().isThrownBy(() -> tables.change("UPDATE locks SET freeze_reason = NULL"));
    assertThat(tables.look("SELECT COUNT(*) FROM pg_constraint WHERE conrelid = 'locks'::regclass AND contype = 'c'"))
        .containsExactly("0");
  }

  @Test
  @DisplayName("Decision 3 an invalid row is corrupt, never stolen, and removed by force only; the same for a freeze")
  void corrupt() {
    sql.granted(TestRequest.by("req_a", "prod"));
    sql.clock().execute("UPDATE locks SET actor = '', ttl_seconds = -5");
    sql.pass(Duration.ofHours(1));

    assertThat(sql.store().acquire(TestRequest.by("req_b", "prod").withForce().request()))
        .isInstanceOfSatisfying(AcquireOutcome.Refused.class,
            refused -> assertThat(refused.refusal()).isInstanceOf(Decision.Corrupt.class));
    assertThat(sql.store().forceRelease(PROD)).isInstanceOf(ForceReleaseOutcome.Removed.class);
    sql.clock().execute("UPDATE locks SET freeze_request_id = '../x', freeze_actor = 'a', freeze_reason = 'r',"
        + " freeze_created_at = 9999999999, freeze_ttl_seconds = 1");
    assertThat(sql.store().acquire(TestRequest.by("req_b", "prod").request()))
        .isInstanceOfSatisfying(AcquireOutcome.Refused.class,
            refused -> assertThat(refused.refusal()).isInstanceOf(Decision.FrozenUnreadably.class));
    assertThat(sql.store().freezeState(PROD)).isInstanceOf(FreezeState.Corrupt.class);
    sql.store().unfreeze(PROD);
    assertThat(sql.store().acquire(TestRequest.by("req_b", "prod").request()))
        .isInstanceOf(AcquireOutcome.Granted.class);
  }

  @Test
  @DisplayName("A server's warning on a grant means that it may be lost: it is withdrawn, and not ours")
  void warned() {
    sql.granted(TestRequest.by("req_dead", "prod"));
    Lease dead = held();
    sql.pass(Duration.ofHours(1));
    warn();

    AcquireOutcome stolen = sql.store().acquire(TestRequest.by("req_b", "prod").withForce().request());
    AcquireOutcome created = sql.store().acquire(TestRequest.by("req_b", "prod").request());

    assertThat(stolen).isInstanceOfSatisfying(AcquireOutcome.Undone.class, undone -> {
      assertThat(undone.previous()).isNotNull().extracting(PreviousLock::lease).isEqualTo(dead);
      assertThat(undone.leftBehind()).isFalse();
      assertThat(undone.error()).contains("canceling wait for synchronous replication");
    });
    assertThat(created).isInstanceOfSatisfying(AcquireOutcome.Undone.class,
        undone -> assertThat(undone.previous()).isNull());
    assertThat(sql.store().view(PROD).leaseState()).isEqualTo(new LeaseState.Vacant());
  }

  /** The warning of a server whose standby does not respond, and which is told to continue. */
  private void warn() {
    sql.clock()
        .execute("CREATE FUNCTION warn() RETURNS TRIGGER LANGUAGE plpgsql AS 'BEGIN IF NEW.request_id IS NOT NULL"
            + " THEN RAISE WARNING ''canceling wait for synchronous replication due to user request''; END IF;"
            + " RETURN NEW; END'");
    sql.clock().execute("CREATE TRIGGER warned AFTER INSERT OR UPDATE ON locks FOR EACH ROW EXECUTE FUNCTION warn()");
  }

  @Test
  @DisplayName("A server clock that goes back shortens no lease; one far ahead is corrected by the next heartbeat")
  void clockSteps() {
    Lease lease = sql.granted(TestRequest.by("req_a", "prod"));
    sql.clock().step(Duration.ofSeconds(-30));
    sql.store().renew(PROD, lease.owner(), lease.token());
    assertThat(held().lastHeartbeatAt()).isEqualTo(lease.lastHeartbeatAt());
    sql.clock().step(Duration.ofMinutes(-5));
    sql.store().renew(PROD, lease.owner(), lease.token());
    assertThat(held().lastHeartbeatAt()).isEqualTo(lease.lastHeartbeatAt().minusSeconds(330));
  }

  @Test
  @DisplayName("A refusal locks no row, so it waits for neither the disk nor the row's owner")
  void refusalsTouchNothing() {
    sql.granted(TestRequest.by("req_a", "prod"));
    String before = sql.clock().tables().look("SELECT xmin || ' ' || xmax || ' ' || ctid FROM locks").getFirst();
    sql.store().acquire(TestRequest.by("req_b", "prod").request());
    sql.store().acquire(TestRequest.by("req_b", "prod").withForce().request());
    sql.store().view(PROD);
    sql.store().list();

    assertThat(sql.clock().tables().look("SELECT xmin || ' ' || xmax || ' ' || ctid FROM locks"))
        .containsExactly(before);
  }

  private Lease held() {
    return ((LeaseState.Held) sql.store().view(PROD).leaseState()).lease();
  }
}
