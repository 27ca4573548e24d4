package fleet.tower.run.submit;

import static fleet.tower.lease.Actors.ACTOR;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.audit.AuditEvent;
import fleet.tower.foreign.ForeignLockState;
import fleet.tower.intent.Intent;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.Halt;
import fleet.tower.lock.Locks;
import fleet.tower.run.ManualProcesses;
import fleet.tower.run.Processes;
import fleet.tower.run.RunListener;
import fleet.tower.run.RunStatus;

class SchedulesTest {
  private final TestExecutor works;
  private final Schedules schedules;
  private final Map<String, Integer> blocked = new HashMap<>();
  private final RunListener listener = new RunListener() {
    @Override
    public void scheduled(String intent, int times, @Nullable Boolean isDrifted) {
      blocked.put(intent, times);
    }
  };

  /** Every full minute. */
  static final class EveryMinute implements Intent.Schedule {
    @Override
    public Optional<Instant> after(Instant moment) {
      return Optional.of(Instant.ofEpochSecond((moment.getEpochSecond() / 60 + 1) * 60));
    }

    @Override
    public String text() {
      return "0 * * * * *";
    }
  }

  SchedulesTest(@TempDir Path directory) {
    works = new TestExecutor(directory.resolve("locks"));
    works.with(IntentBuilder.reconcile("tidy").lock("prod").step("one", "true").schedule(new EveryMinute()),
        IntentBuilder.reconcile("idle").step("one", "true"));
    schedules = new Schedules(works.catalogue, works.runs, works.audit, works.time, works.time, works.log::add,
        listener);
    schedules.start();
  }

  @AfterEach
  void close() {
    schedules.stop();
    works.close();
  }

  @Test
  @DisplayName("A scheduled intent runs when it is due, under an id with that time")
  void due() {
    works.time.advance(Duration.ofSeconds(59));
    assertThat(works.processes.events()).isEmpty();
    works.time.advance(Duration.ofSeconds(2));
    works.processes.awaitStart(1).exit(0);

    RequestId id = new RequestId("schedule:tidy:2026-01-01T10:01:00Z");
    assertThat(works.runs.find(id)).hasValueSatisfying(handle -> {
      assertThat(handle.await().status()).isEqualTo(RunStatus.SUCCEEDED);
      assertThat(handle.run().header().origin().actor())
          .isEqualTo(new Actor("schedule", Door.SCHEDULE));
    });
    works.time.advance(Duration.ofSeconds(60));
    works.processes.awaitStart(2).exit(0);
  }

  @Test
  @DisplayName("A halted intent is skipped, which is recorded once, and runs when due after the halt is lifted")
  void halted() {
    works.halt(Halt.Level.ADMIT, Halt.Scope.ALL);
    works.time.advance(Duration.ofSeconds(61));
    works.time.advance(Duration.ofMinutes(1));
    assertThat(reasons()).containsExactly("halted");
    assertThat(works.processes.events()).isEmpty();

    works.halts.clear();
    works.time.advance(Duration.ofMinutes(1));
    works.processes.awaitStart(1).exit(0);
  }

  @Test
  @DisplayName("BD-2 BD-3 another tool's lock is checked when the intent is due: it is skipped, with a log line, and "
      + "runs when due later")
  void respectsOtherTools() {
    String beads = "beads:/srv/project/.beads";
    works.with(IntentBuilder.reconcile("tidy").lock("prod").respect(beads).step("one", "true")
        .schedule(new EveryMinute()));
    works.foreigners.verdicts.put(beads, ManualForeignLocks.heldByTool("vc-executor"));
    works.time.advance(Duration.ofSeconds(61));
    works.foreigners.verdicts.put(beads, new ForeignLockState.Doubtful("malformed lock file: unexpected EOF", null));
    works.time.advance(Duration.ofMinutes(1));

    assertThat(reasons()).containsExactly("foreign_lock", "foreign_lock");
    assertThat(works.log).containsExactly("intent tidy: Skipping database (locked by vc-executor)",
        "intent tidy: Skipping database (lock check failed: malformed lock file: unexpected EOF)");
    assertThat(works.isLocked("prod")).isFalse();
    works.foreigners.verdicts.put(beads,
        new ForeignLockState.Cleared(new ForeignLockState.Occupant("vc-executor", 12, "dev-1", null)));
    works.time.advance(Duration.ofMinutes(1));
    ManualProcesses.Hand step = works.processes.awaitStart(1);
    assertThat(works.log).contains("Removed stale lock (vc-executor), proceeding with sync");
    works.foreigners.verdicts.put(beads, ManualForeignLocks.heldByTool("late-tool"));
    works.time.advance(Duration.ofSeconds(30));
    assertThat(step.isStopped()).isFalse();
    step.exit(0);
    works.runs.find(new RequestId("schedule:tidy:2026-01-01T10:03:00Z")).orElseThrow().await();
  }

  @Test
  @DisplayName("An intent that is still running, or is blocked, is skipped with an audit event, and the skipped run is "
      + "not made up")
  void skipped() {
    works.time.advance(Duration.ofSeconds(61));
    works.processes.awaitStart(1);
    works.time.advance(Duration.ofMinutes(3));
    assertThat(reasons()).containsExactly("still_running");
    works.processes.awaitStart(1).exit(0);
    works.runs.find(new RequestId("schedule:tidy:2026-01-01T10:01:00Z")).orElseThrow().await();
    works.hold("prod", "bob-1");
    works.time.advance(Duration.ofMinutes(2));

    assertThat(reasons()).containsExactly("still_running", "lock_blocked");
    assertThat(blocked).as("a live holder is no alert").containsExactly(Map.entry("tidy", 0));
    works.locks.release(ACTOR, new LeaseName("prod"), Owner.ofAnyActor(new RequestId("bob-1")), FencingToken.NONE,
        Locks.Result.SUCCESS, null);
    works.processes.plan("one", new Processes.Exited(0));
    works.time.advance(Duration.ofMinutes(1));
    works.processes.awaitStart(2);
    assertThat(works.processes.events()).filteredOn(event -> event.startsWith("start")).hasSize(2);
  }

  @Test
  @DisplayName("A stale lock causes only one audit event and a growing count until its cause changes")
  void blocked() {
    works.hold("prod", "bob-1");
    works.time.advance(Duration.ofSeconds(901));
    assertThat(reasons()).containsExactly("lock_blocked");
    works.time.advance(Duration.ofMinutes(3));

    assertThat(reasons()).containsExactly("lock_blocked", "lock_stale");
    assertThat(works.audit.events()).filteredOn(AuditEvent.LockBlocked.class::isInstance).isEmpty();
    assertThat(blocked).containsExactly(Map.entry("tidy", 3));

    works.with(IntentBuilder.reconcile("tidy").lock("prod").takeStale().step("one", "true")
        .schedule(new EveryMinute()));
    works.time.advance(Duration.ofMinutes(1));
    works.processes.awaitStart(1).exit(0);
    assertThat(blocked).containsExactly(Map.entry("tidy", 0));
    assertThat(works.audit.events()).filteredOn(AuditEvent.LockStolen.class::isInstance).hasSize(1);
    works.intents.remove("tidy");
    works.time.advance(Duration.ofSeconds(1));
    assertThat(blocked).containsExactly(Map.entry("tidy", 0));
  }

  @Test
  @DisplayName("LK-30 an intent that is due while its lock is frozen is skipped, and the audit log says why")
  void frozen() {
    works.freeze("prod");
    works.time.advance(Duration.ofSeconds(61));
    assertThat(reasons()).containsExactly("lock_frozen");
    assertThat(works.processes.events()).isEmpty();
  }

  @Test
  @DisplayName("Of two executors of one home, only one runs it; setting the clock back makes nothing due again")
  void once() {
    works.processes.plan("one", new Processes.Exited(0));
    Schedules other = new Schedules(works.catalogue, works.runs, works.audit, works.time, works.time, works.log::add,
        listener);
    other.start();
    works.time.advance(Duration.ofSeconds(61));
    works.runs.find(new RequestId("schedule:tidy:2026-01-01T10:01:00Z")).orElseThrow().await();
    works.time.stepWallClock(Duration.ofSeconds(-30));
    works.time.advance(Duration.ofSeconds(31));
    other.stop();

    assertThat(works.processes.events()).containsExactly("start one", "end one");
  }

  private List<String> reasons() {
    return works.audit.events().stream().filter(AuditEvent.RunSkipped.class::isInstance)
        .map(event -> ((AuditEvent.RunSkipped) event).reason()).toList();
  }
}
