package fleet.tower.lock.queue.file;

import static fleet.tower.lease.Actors.ACTOR;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.audit.AuditEvent;
import fleet.tower.harness.Await;
import fleet.tower.lease.Decision;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.FreezeRequest;
import fleet.tower.lock.FreezeStore.UnfreezeOutcome;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.Locks;
import fleet.tower.lock.RecordedAudit;
import fleet.tower.lock.TestLocks;
import fleet.tower.lock.TestRequest;
import fleet.tower.lock.file.FileLocks;
import fleet.tower.lock.queue.Wait;
import fleet.tower.lock.queue.WaitOutcome;
import fleet.tower.platform.Presence;
import fleet.tower.platform.disk.ProcessFiles;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;

@DisplayName("Waiters keep waiting through a freeze")
class FrozenWaitingTest {
  private static final LeaseName PROD = new LeaseName("prod");

  /** Decides about leases and freezes, and about the limits of waits; the timers of waits are real. */
  private final ManualTime clock = new ManualTime();
  private final Scheduler scheduler = SystemTime.scheduler();
  private final RecordedAudit audit = new RecordedAudit();
  private final Presence presence;
  private final LockStore store;
  private final Locks locks;
  private final List<String> granted = new CopyOnWriteArrayList<>();
  private final List<String> told = new CopyOnWriteArrayList<>();

  FrozenWaitingTest(@TempDir Path temp) {
    Path directory = temp.resolve("logs/locks");
    presence = new ProcessFiles(temp.resolve("state/processes")).open();
    store = new FileLocks(directory, true, clock, scheduler, audit, _ -> {}).open();
    locks = TestLocks.of(store, audit, clock,
        new WaitQueueFiles(directory, presence, AssertionError::new).open());
  }

  @AfterEach
  void end() {
    store.close();
    presence.close();
  }

  private void freeze(long seconds) {
    store.freeze(new FreezeRequest(PROD, new RequestId("req_f"), "ann", "migration", new Ttl(seconds), null));
  }

  private CompletableFuture<WaitOutcome<AcquireOutcome, Decision.Obstacle>> start(String id) {
    Wait wait = new Wait(Duration.ofMinutes(4), scheduler,
        (obstacle, _, position) -> told.add(id + " " + obstacle.getClass().getSimpleName() + " " + position));
    CompletableFuture<WaitOutcome<AcquireOutcome, Decision.Obstacle>> ended = CompletableFuture.supplyAsync(() -> {
      var outcome = locks.acquire(TestRequest.by(id, "prod").request(), wait);
      if (outcome instanceof WaitOutcome.Answered(AcquireOutcome.Granted _)) {
        granted.add(id);
        locks.release(ACTOR, PROD, Owner.ofAnyActor(new RequestId(id)), FencingToken.NONE, Locks.Result.SUCCESS, null);
      }
      return outcome;
    }, task -> Thread.ofVirtual().start(task));
    Await.until(id + " waits and knows why", () -> told.stream().anyMatch(line -> line.startsWith(id + " ")));
    return ended;
  }

  @Test
  @DisplayName("LK-B19 T19 a freeze during many waits is honoured: a release grants to none; lifting it grants "
      + "to all, in order")
  void freezeWhileWaiting() {
    locks.acquire(TestRequest.by("holder", "prod").request());
    List<CompletableFuture<WaitOutcome<AcquireOutcome, Decision.Obstacle>>> waiters = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      waiters.add(start("r" + i));
    }
    freeze(600);
    locks.release(ACTOR, PROD, Owner.ofAnyActor(new RequestId("holder")), FencingToken.NONE, Locks.Result.SUCCESS,
        null);
    // A request without a wait gets the same refusal as the first waiter.
    assertThat(locks.acquire(TestRequest.by("late", "prod").request(),
        new Wait(Duration.ZERO, scheduler, (_, _, _) -> {}, new Cancellation())))
        .isInstanceOfSatisfying(WaitOutcome.TimedOut.class,
            inVain -> assertThat(inVain.blocked()).isInstanceOf(Decision.Frozen.class));
    assertThat(granted).isEmpty();
    assertThat(locks.waiters(PROD)).isEqualTo(5);
    long lifted = SystemTime.source().nanos();
    assertThat(store.unfreeze(PROD)).isInstanceOf(UnfreezeOutcome.Unfrozen.class);

    waiters.forEach(waiter -> assertThat(waiter.join()).isInstanceOf(WaitOutcome.Answered.class));
    assertThat(granted).containsExactly("r0", "r1", "r2", "r3", "r4");
    assertThat(Duration.ofNanos(SystemTime.source().nanos() - lifted)).isLessThan(Await.LIMIT);
    assertThat(told).contains("r0 Blocked 0", "r4 Blocked 4");
    assertThat(audit.events()).filteredOn(AuditEvent.LockBlocked.class::isInstance).hasSize(6);
  }

  @Test
  @DisplayName("LK-B19 an expired freeze lets the first waiter continue, although no file is removed")
  void freezeEnds() {
    freeze(3);
    var first = start("r0");
    clock.advance(Duration.ofSeconds(4));
    assertThat(first.join()).isInstanceOf(WaitOutcome.Answered.class);
    assertThat(told).containsExactly("r0 Frozen 0");
    assertThat(granted).containsExactly("r0");
  }
}
