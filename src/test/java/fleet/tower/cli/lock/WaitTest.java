package fleet.tower.cli.lock;

import static fleet.tower.lease.Actors.ACTOR;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.audit.jsonl.AuditFiles;
import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.Locks;
import fleet.tower.lock.TestLocks;
import fleet.tower.lock.file.FileLocks;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.platform.time.Timestamps;

class WaitTest {
  private final TestHome home;
  private final Scheduler scheduler = SystemTime.scheduler();

  WaitTest(@TempDir Path directory) {
    home = new TestHome(directory.resolve("home"));
  }

  @Test
  @DisplayName("A waiter gets the released lock, and writes one lock_blocked event")
  void released() {
    home.tower("lock prod --request-id first");

    CompletableFuture<Outcome> waiter = CompletableFuture
        .supplyAsync(() -> home.tower("lock prod --request-id second --wait 2m"));
    awaitEvents(3);
    try (LockStore store = secondStore()) {
      TestLocks.of(store, new AuditFiles(home.root().resolve("logs/audit"), scheduler, AssertionError::new).log(),
          SystemTime.source()).release(ACTOR, new LeaseName("prod"), Owner.ofAnyActor(new RequestId("first")),
              FencingToken.NONE,
              Locks.Result.SUCCESS, null);
    }
    Outcome outcome = waiter.join();

    assertThat(outcome.exit()).isZero();
    assertThat(outcome.out()).isEqualTo("second\n");
    assertThat(outcome.err().lines().toList()).satisfiesExactly(
        waiting -> assertThat(waiting).matches("tower: lock prod is held by alice on tower-01 \\(intent manual, request"
            + " first\\), waited for \\d+s, next in line"),
        got -> assertThat(got).startsWith("lock prod acquired, fencing token 2, until "));
    assertThat(home.events()).startsWith("lock_acquired", "lock_actor", "lock_blocked")
        .containsExactlyInAnyOrder("lock_acquired", "lock_actor", "lock_blocked", "lock_released", "lock_actor",
            "lock_acquired", "lock_actor");
  }

  @Test
  @DisplayName("Queries show the number of waiters; after the wait nothing is left of it, and the doctor finds nothing")
  void waitersAreSeen() {
    home.tower("lock prod --request-id first");
    assertThat(home.tower("check prod --json").data().integer("waiters")).hasValue(0);
    assertThat(home.tower("locks prod").out()).doesNotContain("waiting");

    CompletableFuture<Outcome> waiter = CompletableFuture
        .supplyAsync(() -> home.tower("lock prod --request-id second --wait 2m"));
    while (home.tower("check prod --json").data().integer("waiters").orElse(0) == 0) {
      scheduler.pause(Duration.ofMillis(2));
    }
    assertThat(home.tower("locks --json").out()).contains("\"waiters\":1");
    assertThat(home.tower("locks prod").out()).contains("\n  waiting    1\n");
    assertThat(home.tower("locks --names").out()).isEqualTo("prod\n");
    assertThat(home.tower("why prod").out()).contains("waiting: 1 request is waiting for it; you would be number 2\n");
    assertThat(home.tower("doctor").out()).doesNotContain(".queue");
    home.tower("unlock prod --request-id first");

    assertThat(waiter.join().out()).isEqualTo("second\n");
    assertThat(home.tower("check prod --json").data().integer("waiters")).hasValue(0);
    assertThat(home.locks().resolve(".queue")).isEmptyDirectory();
    assertThat(home.root().resolve("state/processes")).isEmptyDirectory();
  }

  @Test
  @DisplayName("A wait that times out: exit 2, lock_wait_timeout, one lock_blocked event, nothing changed")
  void timesOut() {
    home.tower("lock prod --request-id first");
    String before = home.lockText("prod");

    Outcome outcome = home.tower("lock prod --request-id second --wait 60ms --json");

    assertThat(outcome.exit()).isEqualTo(2);
    assertThat(outcome.errorCode()).isEqualTo("lock_wait_timeout");
    assertThat(outcome.context().text("error")).hasValue("lock_wait_timeout");
    assertThat(outcome.context().text("blocked_by")).hasValue("lock_blocked");
    assertThat(outcome.context().object("held_by").orElseThrow().text("request_id")).hasValue("first");
    assertThat(outcome.json().text("error").orElse("")).matches("lock prod was not free within \\ds: held by alice .*");
    assertThat(home.lockText("prod")).isEqualTo(before);
    assertThat(home.events()).containsExactly("lock_acquired", "lock_actor", "lock_blocked");
    assertThat(home.tower("lock prod --wait 0s").exit()).isEqualTo(2);
  }

  @Test
  @DisplayName("A stale lock ends the wait at once with exit 5, or is taken with force")
  void staleEndsTheWait() {
    home.foreignLock("prod", Instant.parse("2026-01-01T10:00:00Z"), 900);

    assertThat(home.tower("lock prod --wait 1h").exit()).isEqualTo(5);
    assertThat(home.tower("lock prod --wait 1h --force-lock --request-id r").out()).isEqualTo("r\n");
    assertThat(home.events()).containsExactly("lock_blocked", "lock_stolen", "lock_actor", "lock_acquired",
        "lock_actor");
  }

  @Test
  @DisplayName("A lock that goes stale during the wait ends it with exit 5")
  void goesStale() {
    home.foreignLock("prod", Timestamps.wholeSecond(TestHome.now()), 1);

    Outcome outcome = home.tower("lock prod --wait 10s --json");

    assertThat(outcome.exit()).isEqualTo(5);
    assertThat(outcome.errorCode()).isEqualTo("lock_stale");
    assertThat(outcome.context().integer("age_seconds").orElse(0)).isBetween(2L, 9L);
  }

  @Test
  @DisplayName("A wait without a duration lasts ten minutes, and a free lock needs no wait")
  void free() {
    assertThat(home.tower("lock prod --wait --request-id r").out()).isEqualTo("r\n");
    assertThat(home.tower("lock prod --wait --request-id r").exit()).isZero();
    assertThat(home.tower("lock prod --wait 61m").exit()).isEqualTo(64);
    assertThat(home.tower("lock prod --wait 1h --request-id r").exit()).isZero();
  }

  private LockStore secondStore() {
    return new FileLocks(home.locks(), true, SystemTime.source(), scheduler, _ -> true, _ -> {}).open();
  }

  private void awaitEvents(int count) {
    while (home.audit().size() < count) {
      scheduler.pause(Duration.ofMillis(2));
    }
  }
}
