package fleet.tower.lock.sql;

import static fleet.tower.lease.Actors.ACTOR;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.harness.Await;
import fleet.tower.lease.Decision;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RenewalSchedule;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.FreezeRequest;
import fleet.tower.lock.LockClient.ForcedRelease;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.Locks;
import fleet.tower.lock.TestLocks;
import fleet.tower.lock.TestRequest;
import fleet.tower.lock.queue.Wait;
import fleet.tower.lock.queue.WaitOutcome;
import fleet.tower.lock.queue.WaitQueue.WaitingRequest;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.sql.StallingProxy;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;

@DisplayName("Waiters for a lock in PostgreSQL, on several hosts")
class FleetWaitingTest {
  private static final Duration LONG = Duration.ofMinutes(4);
  /** The limit of a notification, which takes milliseconds. */
  private static final Duration NOTIFIED = Duration.ofSeconds(30);
  private static final LeaseName PROD = new LeaseName("prod");
  private static final String EARS = "SELECT COUNT(*) FROM pg_stat_activity a JOIN pg_locks l ON l.pid = a.pid"
      + " WHERE l.locktype = 'advisory' AND a.datname = current_database()";

  /** Decides about the limits of waits, and when a waiter overtakes one that is only slow: never. */
  private final ManualTime clock = new ManualTime();
  private final Scheduler scheduler = SystemTime.scheduler();
  private final String url = PostgresServer.newDatabase();
  private final DirectTables tables = new DirectTables(url);
  private final List<String> granted = new CopyOnWriteArrayList<>();
  private final List<String> warnings = new CopyOnWriteArrayList<>();
  private final List<LockStore> stores = new ArrayList<>();
  private final Locks here = host(url);
  private final Locks there = host(url);

  @AfterEach
  void close() {
    stores.forEach(LockStore::close);
  }

  private Locks host(String through) {
    return host(through, "an executor without an entry");
  }

  private Locks host(String through, String executor) {
    Database database = Database.at(through);
    LockStore store = new SqlLocks(database, SystemTime.source(), scheduler, RenewalSchedule.DEFAULT_MAX_INTERVAL)
        .open();
    stores.add(store);
    return TestLocks.of(store, _ -> true, clock, SqlLocks.queue(database, scheduler, () -> executor, warnings::add));
  }

  private CompletableFuture<WaitOutcome<AcquireOutcome, Decision.Obstacle>> start(Locks host, String who, Wait wait) {
    CompletableFuture<WaitOutcome<AcquireOutcome, Decision.Obstacle>> ended = new CompletableFuture<>();
    Thread.ofVirtual().start(() -> {
      try {
        var outcome = host.acquire(TestRequest.by(who, "prod").request(), wait);
        if (outcome instanceof WaitOutcome.Answered(AcquireOutcome.Granted _)) {
          granted.add(who);
        }
        ended.complete(outcome);
      } catch (RuntimeException | Error e) {
        ended.completeExceptionally(e);
      }
    });
    return ended;
  }

  private Wait upTo(Duration limit) {
    return new Wait(limit, scheduler, (_, _, _) -> {}, new Cancellation());
  }

  private void hold() {
    assertThat(here.acquire(TestRequest.by("req_holder", "prod").request())).isInstanceOf(AcquireOutcome.Granted.class);
  }

  private void release(String who) {
    here.release(ACTOR, PROD, Owner.ofAnyActor(new RequestId(who)), FencingToken.NONE, Locks.Result.SUCCESS, null);
  }

  @Test
  @DisplayName("A waiter whose executor counts as dead is skipped and not shown, although its connection is open; it "
      + "gets its place back when it is alive again")
  void deadExecutor() {
    Locks stopped = host(url, "executor-3");
    hold();
    entry("executor-3", "+");
    CompletableFuture<?> first = start(stopped, "req_first", upTo(LONG));
    Await.until("the first waiter", () -> here.waiters(PROD) == 1);
    CompletableFuture<?> second = start(there, "req_second", upTo(LONG));
    Await.until("the second waiter", () -> here.waiters(PROD) == 2);

    entry("executor-3", "-");
    assertThat(here.waiters(PROD)).isEqualTo(1);
    assertThat(here.queue(PROD)).extracting(WaitingRequest::requestId).containsExactly(new RequestId("req_second"));

    entry("executor-3", "+");
    Await.until("the place of the first", () -> here.queue(PROD).stream().map(WaitingRequest::requestId).toList()
        .equals(List.of(new RequestId("req_first"), new RequestId("req_second"))));
    release("req_holder");
    first.join();
    release("req_first");
    second.join();
    assertThat(granted).containsExactly("req_first", "req_second");
  }

  /** The entry of an executor that is alive for an hour, or has been dead for one. */
  private void entry(String executor, String sign) {
    tables.change("INSERT INTO executors (id, host_id, machine, home, pid, kind, version, entered_at, seen_at,"
        + " alive_until) VALUES ('" + executor + "', 'tower-03', 'm', '/h', 1, 'service', '1', 0, 0,"
        + " EXTRACT(EPOCH FROM clock_timestamp()) * 1000 " + sign + " 3600000)"
        + " ON CONFLICT (id) DO UPDATE SET alive_until = EXCLUDED.alive_until");
  }

  @Test
  @DisplayName("LK-B19 waiters of several hosts are served in order of arrival, woken by the server; each host "
      + "listens while it has waiters")
  void inOrder() {
    hold();
    // Their timers never fire, so each of them is woken by a notification.
    Wait notified = new Wait(LONG, new ManualTime(), (_, _, _) -> {});
    List<CompletableFuture<?>> waiting = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      int before = i;
      waiting.add(start(i % 2 == 0 ? here : there, "req_" + i, notified));
      Await.until("the waiters", () -> here.waiters(PROD) == before + 1);
    }
    assertThat(tables.look(EARS)).containsExactly("2");
    assertThat(there.waiters(PROD)).isEqualTo(6);
    assertThat(there.awaited()).containsExactly(PROD);
    String holder = "req_holder";
    for (int i = 0; i < 6; i++) {
      int served = i + 1;
      release(holder);
      Await.until("the next grant", () -> granted.size() == served);
      holder = granted.getLast();
    }
    waiting.forEach(CompletableFuture::join);
    assertThat(granted).containsExactly("req_0", "req_1", "req_2", "req_3", "req_4", "req_5");
    Await.until("the listening connections", () -> tables.look(EARS).equals(List.of("0")));
    assertThat(tables.look("SELECT COUNT(*) FROM lock_waiters")).containsExactly("0");
    assertThat(warnings).isEmpty();
  }

  @Test
  @DisplayName("A forced release wakes the next waiter on another host")
  void forcedRelease() {
    hold();
    // Its timer never fires, so it is woken by a notification.
    ManualTime timer = new ManualTime();
    var waiting = start(there, "req_next", new Wait(LONG, timer, (_, _, _) -> {}));
    Await.until("the waiter sleeps", () -> here.waiters(PROD) == 1 && !timer.pendingDelays().isEmpty());

    here.forceRelease(ACTOR, PROD, new ForcedRelease(new RequestId("req_force"), "its holder is gone", false));

    assertThat(waiting).succeedsWithin(NOTIFIED).isInstanceOfSatisfying(WaitOutcome.Answered.class,
        it -> assertThat(it.answer()).isInstanceOf(AcquireOutcome.Granted.class));
  }

  @Test
  @DisplayName("A waiter whose host disappeared silently delays no other, and its place is removed")
  void deadHosts() {
    hold();
    try (StallingProxy wire = new StallingProxy(url)) {
      var cutOff = start(host(wire.url()), "req_cut_off", upTo(LONG));
      Await.until("the waiters", () -> here.waiters(PROD) == 1);
      String ear = tables.look("SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND database ="
          + " (SELECT oid FROM pg_database WHERE datname = current_database())").getFirst();
      var next = start(there, "req_next", upTo(LONG));
      Await.until("the waiters", () -> here.waiters(PROD) == 2);
      wire.stall();
      // What the server does when a host does not answer its keepalives.
      tables.look("SELECT pg_terminate_backend(" + ear + ")");
      assertThat(cutOff).isNotDone();
      release("req_holder");
      assertThat(next.join()).isInstanceOf(WaitOutcome.Answered.class);
    }
    assertThat(granted).contains("req_next");
  }

  @Test
  @DisplayName("A waiter keeps its place when all connections are cut, and is woken on the new one")
  void cutConnections() {
    hold();
    var first = start(there, "req_first", upTo(LONG));
    Await.until("the waiters", () -> here.waiters(PROD) == 1);
    var second = start(here, "req_second", upTo(LONG));
    Await.until("the waiters", () -> here.waiters(PROD) == 2);
    for (int i = 0; i < 3; i++) {
      // It waits for their end, so that none of them counts below.
      tables.look("SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = current_database()"
          + " AND application_name LIKE 'tower%'");
      scheduler.pause(Duration.ofMillis(300));
    }
    Await.until("the listening connections", () -> tables.look(EARS).equals(List.of("2")));
    Await.until("the places under them", () -> here.waiters(PROD) == 2);
    release("req_holder");
    first.join();
    release("req_first");
    second.join();
    assertThat(granted).containsExactly("req_first", "req_second");
  }

  @Test
  @DisplayName("Every host lists the requests of all hosts in order, with the server's time; a removed place is "
      + "restored as it was; a row without details has its id only")
  void listed() {
    hold();
    Instant before = serverTime();
    var waiting = List.of(start(there, "req_1", upTo(LONG)));
    Await.until("the first", () -> here.queue(PROD).size() == 1);
    var second = start(here, "req_2", upTo(LONG));
    Await.until("the second", () -> here.queue(PROD).size() == 2);
    tables.look("UPDATE lock_waiters SET since = 1700000000 WHERE request_id = 'req_1' RETURNING 1");
    tables.look("UPDATE lock_waiters SET actor = NULL, intent = NULL, since = NULL WHERE request_id = 'req_2'"
        + " RETURNING 1");

    List<WaitingRequest> queue = there.queue(PROD);
    assertThat(queue).isEqualTo(here.queue(PROD)).containsExactly(
        new WaitingRequest(new RequestId("req_1"), "claude-code", "deploy-app", Instant.ofEpochSecond(1_700_000_000)),
        new WaitingRequest(new RequestId("req_2"), null, null, null));

    Instant now = serverTime();
    tables.look("DELETE FROM lock_waiters WHERE request_id = 'req_1' RETURNING 1");
    Await.until("it is restored", () -> here.queue(PROD).size() == 2);
    assertThat(here.queue(PROD).getFirst()).satisfies(restored -> {
      assertThat(restored.requestId()).isEqualTo(new RequestId("req_1"));
      assertThat(restored.actor()).isEqualTo("claude-code");
      assertThat(restored.since()).isBetween(before, now);
    });
    release("req_holder");
    waiting.forEach(CompletableFuture::join);
    release("req_1");
    second.join();
    assertThat(here.queue(PROD)).isEmpty();
  }

  private Instant serverTime() {
    return Instant.ofEpochSecond(Long.parseLong(tables.look(
        "SELECT CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp())) AS BIGINT)").getFirst()));
  }

  @Test
  @DisplayName("A cancelled wait ends at once; one at its limit names the holder; a lifted freeze wakes the "
      + "next; the 101st is refused")
  void ends() {
    hold();
    Cancellation cancellation = new Cancellation();
    var cancelled = start(there, "req_cancelled", new Wait(LONG, scheduler, (_, _, _) -> {}, cancellation));
    Await.until("the waiters", () -> here.waiters(PROD) == 1);
    cancellation.cancel();
    assertThat(cancelled.join()).isInstanceOf(WaitOutcome.Cancelled.class);
    var inVain = start(there, "req_vain", upTo(Duration.ofSeconds(1)));
    Await.until("the waiters", () -> here.waiters(PROD) == 1);
    clock.advance(Duration.ofSeconds(1));
    assertThat(inVain.join())
        .isInstanceOfSatisfying(WaitOutcome.TimedOut.class,
            vain -> assertThat(vain.blocked()).isInstanceOf(Decision.Blocked.class));
    assertThat(here.waiters(PROD)).isZero();

    stores.getFirst().freeze(new FreezeRequest(PROD, new RequestId("req_f"), "ann", "why", new Ttl(3600), null));
    release("req_holder");
    var frozen = start(there, "req_frozen", upTo(LONG));
    Await.until("the waiters", () -> here.waiters(PROD) == 1);
    stores.getFirst().unfreeze(PROD);
    assertThat(frozen.join()).isInstanceOf(WaitOutcome.Answered.class);

    Cancellation all = new Cancellation();
    List<CompletableFuture<?>> crowd = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      crowd.add(start(i % 2 == 0 ? here : there, "req_" + i, new Wait(LONG, scheduler, (_, _, _) -> {}, all)));
    }
    Await.until("the waiters", () -> here.waiters(PROD) == 100);
    assertThat(start(here, "req_too_many", upTo(LONG)).join()).isEqualTo(new WaitOutcome.TooManyWaiters<>(100));
    all.cancel();
    crowd.forEach(CompletableFuture::join);
    assertThat(here.waiters(PROD)).isZero();
  }
}
