package fleet.tower.lock.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.harness.Await;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.RenewalSchedule;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.ForceReleaseOutcome;
import fleet.tower.lock.FreezeRequest;
import fleet.tower.lock.FreezeStore.FreezeOutcome;
import fleet.tower.lock.FreezeStore.UnfreezeOutcome;
import fleet.tower.lock.Halt;
import fleet.tower.lock.HoldLimit;
import fleet.tower.lock.LimitRules;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.Locks;
import fleet.tower.lock.RecordedAudit;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.lock.TestLocks;
import fleet.tower.lock.TestRequest;
import fleet.tower.lock.queue.WaitQueue;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.sql.StallingProxy;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.platform.time.TimeSource;

@DisplayName("Locks in PostgreSQL when connections break")
class SqlFaultsTest {
  private static final int MOST_KILLS = 100;
  private static final LeaseName PROD = new LeaseName("prod");
  private static final String TERMINATE = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
      + " WHERE application_name LIKE 'tower%' AND datname = current_database()";

  private static final String TERMINATE_COUNTING = "SELECT pg_terminate_backend(pid) FROM pg_locks"
      + " WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted"
      + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

  private final TimeSource time = SystemTime.source();
  private final Scheduler scheduler = SystemTime.scheduler();
  private final String plain = PostgresServer.newDatabase();
  private final StallingProxy wire = new StallingProxy(plain);
  private final LockStore store = open(wire.url());
  private final LockStore beside = open(plain);

  private LockStore open(String url) {
    return new SqlLocks(Database.at(url), time, scheduler, RenewalSchedule.DEFAULT_MAX_INTERVAL).open();
  }

  @AfterEach
  void close() {
    wire.close();
    store.close();
    beside.close();
  }

  private Lease granted(TestRequest asking) {
    return switch (store.acquire(asking.request())) {
      case AcquireOutcome.Granted(var held, var _) -> held.lease();
      case AcquireOutcome other -> throw new AssertionError("not granted: " + other);
    };
  }

  @Test
  @DisplayName("TF-1.1 a response that is lost after the commit: every command still reports the actual outcome")
  void lostAnswers() {
    granted(TestRequest.by("req_first", "warm"));
    wire.loseAnswerTo("INSERT INTO locks AS l (token, lock_version");
    Lease created = granted(TestRequest.by("req_a", "prod"));
    assertThat(held()).isEqualTo(created);

    wire.loseAnswerTo("SET request_id = NULL");
    assertThat(store.release(PROD, created.owner(), created.token()))
        .isInstanceOfSatisfying(ReleaseOutcome.Released.class,
            released -> assertThat(released.lease()).isEqualTo(created));

    wire.loseAnswerTo("UPDATE locks l SET token = GREATEST");
    Lease taken = granted(TestRequest.by("req_dead", "prod").withTtl(1));
    assertThat(held()).isEqualTo(taken);
    scheduler.pause(Duration.ofMillis(2100));
    wire.loseAnswerTo("l.last_heartbeat_at = $");
    AcquireOutcome stolen = store.acquire(TestRequest.by("req_thief", "prod").withForce().request());
    assertThat(stolen).isInstanceOfSatisfying(AcquireOutcome.Granted.class, granted -> {
      assertThat(granted.previous()).isNotNull();
      assertThat(held()).isEqualTo(granted.lease().lease());
    });

    wire.loseAnswerTo("SET request_id = NULL");
    assertThat(store.forceRelease(PROD)).isInstanceOf(ForceReleaseOutcome.Removed.class);
    wire.loseAnswerTo("freeze_created_at) SELECT");
    assertThat(store.freeze(new FreezeRequest(PROD, new RequestId("req_f"), "ann", "why", new Ttl(3600), null)))
        .isInstanceOf(FreezeOutcome.Frozen.class);
    wire.loseAnswerTo("SET freeze_request_id = NULL");
    assertThat(store.unfreeze(PROD)).isInstanceOf(UnfreezeOutcome.Unfrozen.class);
    assertThat(wire.lost()).isEqualTo(7);
  }

  @Test
  @DisplayName("A grant is given back if others may have counted the locks at the same time, because a connection was cut")
  void cutWhileCounting() {
    LockStore cut = (LockStore) Proxy.newProxyInstance(LockStore.class.getClassLoader(),
        new Class<?>[]{LockStore.class}, (_, method, arguments) -> {
          Object answer;
          try {
            answer = method.invoke(store, arguments);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
          if (method.getName().equals("acquire")) {
            assertThat(new DirectTables(plain).look(TERMINATE_COUNTING)).containsExactly("t");
          }
          return answer;
        });
    HoldLimit limit = new HoldLimit("bots", Halt.Scope.ALL, 1, true);
    Locks locks = TestLocks.of(cut, new RecordedAudit(), time, WaitQueue.NONE, new LimitRules(limit));
    assertThat(locks.acquire(TestRequest.by("req_a", "prod").request())).isInstanceOfSatisfying(
        AcquireOutcome.Undone.class, undone -> assertThat(undone.leftBehind()).isFalse());
    assertThat(beside.list()).isEmpty();
    Locks after = TestLocks.of(store, new RecordedAudit(), time, WaitQueue.NONE, new LimitRules(limit));
    assertThat(after.acquire(TestRequest.by("req_b", "prod").request())).isInstanceOf(AcquireOutcome.Granted.class);
  }

  @Test
  @DisplayName("TF-A17 a response that is lost on the owner's repetition or renewal does not cost it the lock")
  void lostAnswersOfTheOwner() {
    Lease lease = granted(TestRequest.by("req_a", "prod"));
    wire.loseAnswerTo("existing AS MATERIALIZED");
    assertThat(store.acquire(TestRequest.by("req_a", "prod").request())).isInstanceOf(AcquireOutcome.Kept.class);
    wire.loseAnswerTo("existing AS MATERIALIZED");
    assertThat(store.renew(PROD, lease.owner(), lease.token())).isInstanceOf(RenewOutcome.Renewed.class);
    assertThat(store.beat(lease)).isInstanceOf(RenewOutcome.Renewed.class);
    wire.loseAnswerTo("existing AS MATERIALIZED");
    assertThat(store.beat(lease)).isInstanceOf(RenewOutcome.Renewed.class);
    assertThat(wire.lost()).isEqualTo(3);
    assertThat(held().token()).isEqualTo(lease.token());
  }

  @Test
  @DisplayName("TF-1.1 backends killed in the middle of statements: never granted without the lock, never an error with it kept")
  @ProofsProfile
  void killedBackends() {
    granted(TestRequest.by("req_first", "warm"));
    slow();
    List<String> outcomes = new ArrayList<>();
    // On a busy machine, a statement may take longer than twelve growing pauses.
    for (int i = 0; i < 12 || (!outcomes.contains("granted") && i < MOST_KILLS); i++) {
      RequestId who = new RequestId("req_" + i);
      CompletableFuture<String> outcome = started(
          () -> switch (store.acquire(TestRequest.by(who.value(), "prod").request())) {
            case AcquireOutcome.Granted _ -> "granted";
            case AcquireOutcome.Kept _,AcquireOutcome.Refused _,AcquireOutcome.Undone _ -> "other";
          });
      scheduler.pause(Duration.ofMillis(15L * i));
      new DirectTables(plain).look(TERMINATE);
      String told = outcome.join();
      boolean isHeld = beside.view(PROD).leaseState() instanceof LeaseState.Held held
          && held.lease().requestId().equals(who);
      assertThat(told + " " + isHeld).isIn("granted true", "failed false");
      outcomes.add(told);
      beside.forceRelease(PROD);
    }
    assertThat(outcomes).contains("granted");
  }

  /** Each statement that changes a lock takes some time, most of it before it is done. */
  private void slow() {
    DirectTables tables = new DirectTables(plain);
    tables.change("CREATE FUNCTION slow() RETURNS TRIGGER LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.1);"
        + " RETURN NEW; END'");
    tables.change("CREATE TRIGGER slow BEFORE INSERT OR UPDATE ON locks FOR EACH ROW EXECUTE FUNCTION slow()");
  }

  private static CompletableFuture<String> started(Supplier<String> work) {
    CompletableFuture<String> outcome = new CompletableFuture<>();
    Thread.ofVirtual().start(() -> {
      try {
        outcome.complete(work.get());
      } catch (StorageException e) {
        outcome.complete("failed");
      } catch (RuntimeException | Error e) {
        outcome.completeExceptionally(e);
      }
    });
    return outcome;
  }

  @Test
  @DisplayName("TF-5.6 a stalled network: a heartbeat fails within half of its interval and blocks no other; it "
      + "continues when the network does")
  void stalledHeartbeats() {
    Lease lease = granted(TestRequest.by("req_a", "prod").withTtl(6));
    Lease other = granted(TestRequest.by("req_b", "other").withTtl(900));
    assertThat(beat(lease)).isInstanceOf(RenewOutcome.Renewed.class);
    wire.stall();
    long begun = time.nanos();
    assertThatThrownBy(() -> store.beat(lease)).isInstanceOf(StorageException.class);
    assertThat(Duration.ofNanos(time.nanos() - begun)).isLessThan(Await.LIMIT);
    CompletableFuture<RenewOutcome> patient = CompletableFuture.supplyAsync(() -> store.beat(other));
    scheduler.pause(Duration.ofMillis(700));
    wire.goOn();
    assertThat(patient.join()).isInstanceOf(RenewOutcome.Renewed.class);
    assertThat(beat(lease)).isInstanceOf(RenewOutcome.Renewed.class);
  }

  /** Its limit is a second, which a busy machine may exceed; then it is repeated, as the holder of a lock does. */
  private RenewOutcome beat(Lease lease) {
    List<RenewOutcome> outcomes = new ArrayList<>();
    Await.until("a heartbeat is answered", () -> answered(() -> outcomes.add(store.beat(lease))));
    return outcomes.getFirst();
  }

  private static boolean answered(Runnable call) {
    try {
      call.run();
      return true;
    } catch (StorageException late) {
      return false;
    }
  }

  @Test
  @DisplayName("Simultaneous heartbeats are one statement, and each gets its own outcome")
  void together() {
    List<Lease> leases = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      leases.add(granted(TestRequest.by("req_" + i, "lock-" + i)));
    }
    beside.forceRelease(new LeaseName("lock-7"));
    beside.forceRelease(new LeaseName("lock-9"));
    beside.acquire(TestRequest.by("req_other", "lock-9").request());
    DirectTables tables = new DirectTables(plain);
    tables.change("CREATE TABLE statements (n INT); ");
    tables.change(
        "CREATE FUNCTION counted() RETURNS TRIGGER LANGUAGE plpgsql AS 'BEGIN INSERT INTO statements VALUES (1);"
            + " RETURN NULL; END'");
    tables.change("CREATE TRIGGER counted AFTER UPDATE ON locks FOR EACH STATEMENT EXECUTE FUNCTION counted()");

    // Nothing passes until all wait, so that a busy machine cannot spread them.
    wire.stall();
    List<Thread> threads = new ArrayList<>();
    List<CompletableFuture<RenewOutcome>> beats = leases.stream().map(lease -> {
      CompletableFuture<RenewOutcome> outcome = new CompletableFuture<>();
      threads.add(Thread.ofVirtual().start(() -> outcome.complete(store.beat(lease))));
      return outcome;
    }).toList();
    Await.until("all heartbeats wait", () -> threads.stream().allMatch(SqlFaultsTest::isWaiting));
    wire.goOn();

    for (int i = 0; i < 40; i++) {
      RenewOutcome outcome = beats.get(i).join();
      switch (i) {
        case 7 -> assertThat(outcome).isEqualTo(new RenewOutcome.Gone());
        case 9 -> assertThat(outcome).isInstanceOf(RenewOutcome.Taken.class);
        default -> assertThat(outcome).isInstanceOf(RenewOutcome.Renewed.class);
      }
    }
    assertThat(tables.look("SELECT COUNT(*) FROM statements").getFirst()).isIn("1", "2", "3");
  }

  private static boolean isWaiting(Thread thread) {
    return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
  }

  @Test
  @DisplayName("An unreachable server is reported as such, within the timeout of the URL")
  void unreachable() {
    LockStore impatient = open(wire.url() + "&socketTimeout=1&connectTimeout=1");
    beside.acquire(TestRequest.by("req_first", "tables").request());
    // On a busy machine, the server may not answer within a second at first.
    Await.until("it is connected",
        () -> answered(() -> impatient.acquire(TestRequest.by("req_first", "warm").request())));
    wire.stall();
    assertThatThrownBy(() -> impatient.acquire(TestRequest.by("req_a", "prod").request()))
        .isInstanceOf(StorageException.class).hasMessageContaining("cannot be reached")
        .hasMessageContaining("whether it was done is unknown");
    wire.goOn();
    impatient.close();
  }

  private Lease held() {
    return ((LeaseState.Held) beside.view(PROD).leaseState()).lease();
  }
}
