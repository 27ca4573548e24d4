package fleet.tower.run.submit;

import static fleet.tower.lease.Actors.ACTOR;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.answer.ForeignLockText;
import fleet.tower.answer.PlanJson;
import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.Origin;
import fleet.tower.foreign.ForeignLockJson;
import fleet.tower.foreign.ForeignLockState;
import fleet.tower.foreign.ForeignWait;
import fleet.tower.harness.Await;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.Locks;
import fleet.tower.run.ManualProcesses;
import fleet.tower.run.Processes;
import fleet.tower.run.Run;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.RunStatus;
import fleet.tower.run.execute.LockTerms;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.submit.Runs.PlanOutcome;

@DisplayName("A run and other tools' locks")
class ForeignRunsTest {
  private static final String BEADS = "beads:/srv/project/.beads";
  private static final String FLOCK = "flock:/var/lock/backup";
  @AutoClose
  private final TestExecutor works;

  ForeignRunsTest(@TempDir Path directory) {
    works = new TestExecutor(directory.resolve("locks"));
  }

  private List<String> events() {
    return works.audit.events().stream().map(event -> event.getClass().getSimpleName()).toList();
  }

  private SubmitOutcome.ForeignRefused refused(RunRequest request) {
    return switch (works.runs.submit(request)) {
      case SubmitOutcome.ForeignRefused foreign -> foreign;
      case SubmitOutcome.Accepted _,SubmitOutcome.Refusal _ ->
        throw new AssertionError("not refused because of a tool");
    };
  }

  @Test
  @DisplayName("A lock to hold is checked, then taken after the run's own lock, and released before it, after the steps")
  void order() {
    works.with(IntentBuilder.mutate("sync").lock("prod").respect(FLOCK).exclusive(BEADS).step("one", "true"));
    RunHandle handle = works.accepted(TestExecutor.request("sync", "r1"));
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    assertThat(works.foreigners.asked).containsExactly("check " + FLOCK, "look " + BEADS, "check " + FLOCK,
        "hold " + BEADS);
    one.exit(0);

    assertThat(handle.await().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(works.foreigners.asked.getLast()).isEqualTo("release " + BEADS);
    assertThat(events()).containsExactly("LockAcquired", "LockActor", "ForeignLockAcquired", "RunStarted",
        "ForeignLockReleased",
        "LockReleased", "LockActor", "RunFinished");
    assertThat(works.audit.events().get(2)).isEqualTo(new AuditEvent.ForeignLockAcquired(new RequestId("r1"),
        works.time.now(), BEADS, "tower/sync", 4711,
        new Origin(new Actor("alice", Door.RUN), "sync", "tower-01", 4711L, null)));
  }

  @Test
  @DisplayName("A run whose foreign lock must be free and is held is refused with its holder; nothing is started, "
      + "recorded, locked or audited")
  void respected() {
    works.with(IntentBuilder.mutate("sync").lock("prod").respect(BEADS).step("one", "true"));
    works.foreigners.verdicts.put(BEADS, ManualForeignLocks.heldByTool("vc-executor"));

    SubmitOutcome.ForeignRefused foreign = refused(TestExecutor.request("sync", "r1"));

    assertThat(ForeignLockJson.refusal(foreign.refusal()).end()).isEqualTo("{\"error\":\"foreign_lock\","
        + "\"foreign_lock\":\"beads:/srv/project/.beads\",\"holder\":\"vc-executor\",\"held_by\":{\"holder\":"
        + "\"vc-executor\",\"pid\":12,\"hostname\":\"dev-1\"},\"suggestion\":\"Wait until it is released; if its "
        + "holder is on another host and gone, remove /srv/project/.beads/.exclusive-lock by hand\"}");
    assertThat(works.isLocked("prod")).isFalse();
    assertThat(works.processes.events()).isEmpty();
    assertThat(events()).isEmpty();
    works.foreigners.verdicts.clear();
    works.processes.plan("one", new Processes.Exited(0));
    assertThat(works.accepted(TestExecutor.request("sync", "r1")).await().status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  @DisplayName("A doubtful lock refuses a run like a held one")
  void doubtful() {
    works.with(IntentBuilder.observe("look").respect(BEADS).step("one", "true"));
    works.foreigners.verdicts.put(BEADS, new ForeignLockState.Doubtful("malformed lock file: empty", null));

    assertThat(ForeignLockText.sentence(refused(TestExecutor.request("look", "r1")).refusal()))
        .isEqualTo("foreign lock " + BEADS
            + " is in doubt, which counts as held: malformed lock file: empty");
  }

  @Test
  @DisplayName("A foreign lock taken between the check and the run's own lock refuses the run; its own lock is released")
  void comesBetween() {
    works.with(IntentBuilder.mutate("sync").lock("prod").respect(BEADS).exclusive(FLOCK)
        .undoable("one").rollback("all"));
    works.foreigners.beforeCheck.put(2,
        () -> works.foreigners.verdicts.put(BEADS, ManualForeignLocks.heldByTool("vc-executor")));

    refused(TestExecutor.request("sync", "r1"));

    assertThat(works.isLocked("prod")).isFalse();
    assertThat(works.processes.events()).isEmpty();
    assertThat(works.foreigners.asked).doesNotContain("hold " + FLOCK);
    assertThat(works.runs.find(new RequestId("r1"))).isEmpty();
    assertThat(events()).containsExactly("LockAcquired", "LockActor", "LockReleased", "LockActor");
    works.foreigners.verdicts.clear();
    works.processes.plan("one", new Processes.Exited(0));
    assertThat(works.run("sync").status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  @DisplayName("If the second of two cannot be taken, the first and the run's own lock are released")
  void allOrNothing() {
    works.with(IntentBuilder.mutate("sync").lock("prod").exclusive(FLOCK).exclusive(BEADS).step("one", "true"));
    works.foreigners.beforeHold.put(BEADS,
        () -> works.foreigners.verdicts.put(BEADS, ManualForeignLocks.heldByTool("vc-executor")));

    assertThat(refused(TestExecutor.request("sync", "r1")).refusal().name()).hasToString(BEADS);

    assertThat(works.foreigners.asked.getLast()).isEqualTo("release " + FLOCK);
    assertThat(works.isLocked("prod")).isFalse();
    assertThat(events()).containsExactly("LockAcquired", "LockActor", "ForeignLockAcquired", "ForeignLockReleased",
        "LockReleased", "LockActor");
  }

  @Test
  @DisplayName("BD-7 it is held through the rollback, and released however the run ends")
  void givenBackWhenItFails() {
    works.with(IntentBuilder.mutate("sync").lock("prod").exclusive(BEADS).undoable("one"));
    RunHandle handle = works.accepted(TestExecutor.request("sync", "r1"));
    works.processes.awaitStart(1).exit(3);
    ManualProcesses.Hand undoing = works.processes.awaitStart(2);
    assertThat(works.foreigners.verdicts).containsKey(BEADS);
    undoing.exit(0);

    assertThat(handle.await().status()).isEqualTo(RunStatus.FAILED);
    assertThat(works.foreigners.verdicts).isEmpty();

    RunHandle second = works.accepted(TestExecutor.request("sync", "r2"));
    works.processes.awaitStart(3);
    works.delete("prod");
    works.hold("prod", "thief");
    works.time.advance(Duration.ofSeconds(31));
    assertThat(second.await().status()).isEqualTo(RunStatus.LOCK_LOST);
    assertThat(works.foreigners.verdicts).isEmpty();
  }

  @Test
  @DisplayName("A lock that was lost before its release is a warning of the run")
  void lost() {
    works.with(IntentBuilder.mutate("sync").exclusive(BEADS).step("one", "true"));
    RunHandle handle = works.accepted(TestExecutor.request("sync", "r1"));
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    works.foreigners.verdicts.clear();
    one.exit(0);

    assertThat(handle.await().warnings())
        .contains("foreign lock " + BEADS + " was removed by another program before its release");
    assertThat(events()).containsExactly("ForeignLockAcquired", "RunStarted", "RunFinished");
  }

  @Test
  @DisplayName("A run that waits for its own lock checks foreign locks after the wait: the previous holder may hold them too")
  void waits() {
    works.with(IntentBuilder.mutate("sync").lock("prod").respect(BEADS).exclusive(BEADS).step("one", "true"));
    RunHandle first = works.accepted(TestExecutor.request("sync", "r1"));
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    RunHandle second = works.accepted(
        TestExecutor.request("sync", "r2", new LockTerms(false, Duration.ofMinutes(10))));
    works.awaitWaiter("prod");
    one.exit(0);

    assertThat(first.await().status()).isEqualTo(RunStatus.SUCCEEDED);
    works.processes.awaitStart(2).exit(0);
    assertThat(second.await().status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  @DisplayName("A run that waited and then finds a foreign lock held is refused, and its own lock released")
  void waitedInVain() {
    works.with(IntentBuilder.mutate("sync").lock("prod").respect(BEADS).step("one", "true"));
    works.hold("prod", "bob-1");
    works.foreigners.verdicts.put(BEADS, ManualForeignLocks.heldByTool("vc-executor"));
    RunHandle handle = works.accepted(TestExecutor.request("sync", "r1",
        new LockTerms(false, Duration.ofMinutes(10))));
    works.awaitWaiter("prod");
    works.locks.release(ACTOR, new LeaseName("prod"), Owner.ofAnyActor(new RequestId("bob-1")), FencingToken.NONE,
        Locks.Result.SUCCESS, null);
    awaitWaitingForTool(handle);
    assertThat(works.isLocked("prod")).as("it keeps its place while it waits").isTrue();
    works.time.advance(Duration.ofMinutes(11));

    Run run = handle.await();
    assertThat(run.status()).isEqualTo(RunStatus.REFUSED);
    assertThat(run.refusal()).isInstanceOfSatisfying(RunRefusal.ForeignLocked.class,
        locked -> assertThat(locked.refusal().why().holder()).isEqualTo("vc-executor"));
    assertThat(works.isLocked("prod")).isFalse();
    assertThat(works.processes.events()).isEmpty();
  }

  private void awaitWaitingForTool(RunHandle handle) {
    Await.until("it waits for the tool, with a timer for its next attempt",
        () -> handle.waiting().orElse(null) instanceof RunHandle.WaitingForTool
            && works.time.pendingDelays().contains(ForeignWait.BETWEEN_ATTEMPTS));
  }

  @Test
  @DisplayName("A run with a wait limit waits for a foreign lock, keeps its own lock alive meanwhile, and runs when it "
      + "is free")
  void waitsForTool() {
    works.with(IntentBuilder.mutate("sync").lock("prod").exclusive(BEADS).step("one", "true"));
    works.foreigners.verdicts.put(BEADS, ManualForeignLocks.heldByTool("vc-executor"));
    RunHandle handle = works.accepted(TestExecutor.request("sync", "r1",
        new LockTerms(false, Duration.ofMinutes(60))));
    awaitWaitingForTool(handle);

    assertThat(handle.run().status()).isEqualTo(RunStatus.WAITING);
    assertThat(handle.position()).as("it is no longer in any queue").isEmpty();
    assertThat(works.runs.submit(TestExecutor.request("sync", "r2"))).isInstanceOfSatisfying(
        SubmitOutcome.OwnRefused.class, refused -> assertThat(refused.lock()).hasToString("prod"));
    for (int minute = 0; minute < 30; minute++) {
      works.time.advance(Duration.ofMinutes(1));
      awaitWaitingForTool(handle);
    }
    assertThat(works.locks.view(new LeaseName("prod")).state()).as("a ttl of 15 minutes was renewed")
        .isEqualTo(LeaseState.State.ACTIVE);

    works.foreigners.verdicts.clear();
    works.time.advance(ForeignWait.BETWEEN_ATTEMPTS);
    works.processes.awaitStart(1).exit(0);
    assertThat(handle.await().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(works.isLocked("prod")).isFalse();
    assertThat(events()).containsOnlyOnce("LockReleased", "ForeignLockReleased", "RunStarted");
  }

  @Test
  @DisplayName("A run without a lock of its own also waits for a foreign lock, and without a wait limit is refused at "
      + "once")
  void waitsWithoutLock() {
    works.with(IntentBuilder.observe("look").respect(BEADS).step("one", "true"));
    works.foreigners.verdicts.put(BEADS, new ForeignLockState.Doubtful("malformed lock file: empty", null));
    refused(TestExecutor.request("look", "r1"));
    RunHandle handle = works.accepted(TestExecutor.request("look", "r1",
        new LockTerms(false, Duration.ofMinutes(10))));
    awaitWaitingForTool(handle);

    works.foreigners.verdicts.clear();
    works.time.advance(ForeignWait.BETWEEN_ATTEMPTS);
    works.processes.awaitStart(1).exit(0);

    assertThat(handle.await().status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  @DisplayName("A run that is cancelled while it waits for a foreign lock releases its own lock, and starts nothing")
  void cancelledWhileWaiting() {
    works.with(IntentBuilder.mutate("sync").lock("prod").respect(BEADS).step("one", "true"));
    works.foreigners.verdicts.put(BEADS, ManualForeignLocks.heldByTool("vc-executor"));
    RunHandle handle = works.accepted(TestExecutor.request("sync", "r1",
        new LockTerms(false, Duration.ofMinutes(10))));
    awaitWaitingForTool(handle);

    assertThat(works.runs.cancel(new RequestId("r1"))).isEqualTo(new Runs.CancelOutcome.Requested());

    assertThat(handle.await().status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(works.isLocked("prod")).isFalse();
    assertThat(works.processes.events()).isEmpty();
  }

  @Test
  @DisplayName("A run whose own lock is lost while it waits for a foreign lock is refused, and leaves the lock to its new holder")
  void lostWhileWaiting() {
    works.with(IntentBuilder.mutate("sync").lock("prod").respect(BEADS).step("one", "true"));
    works.foreigners.verdicts.put(BEADS, ManualForeignLocks.heldByTool("vc-executor"));
    RunHandle handle = works.accepted(TestExecutor.request("sync", "r1",
        new LockTerms(false, Duration.ofMinutes(10))));
    awaitWaitingForTool(handle);
    works.delete("prod");
    works.hold("prod", "thief");

    Await.until("the loss is seen", () -> {
      works.time.advance(Duration.ofSeconds(31));
      return handle.run().status().isFinished();
    });

    assertThat(handle.run().refusal()).isInstanceOfSatisfying(RunRefusal.StorageUnavailable.class,
        lost -> assertThat(lost.problem()).isEqualTo("it was lost while the run waited for foreign lock " + BEADS));
    assertThat(works.isLocked("prod")).isTrue();
    assertThat(works.processes.events()).isEmpty();
  }

  @Test
  @DisplayName("A plan shows the state of each, and changes none; its hash depends on their names")
  void planned() {
    works.with(IntentBuilder.mutate("sync").lock("prod").respect("terraform:/infra/${params.app}").exclusive(BEADS)
        .step("one", "true"), IntentBuilder.mutate("other").lock("prod").step("one", "true"));
    works.foreigners.verdicts.put(BEADS, ManualForeignLocks.heldByTool("vc-executor"));

    PlanOutcome planning = works.runs.plan(TestExecutor.request("sync", "r1"));

    assertThat(planning).isInstanceOfSatisfying(PlanOutcome.Planned.class,
        planned -> assertThat(PlanJson.plan(planned.plan()).end())
            .contains("\"foreign_locks\":[{\"use\":\"respect\",\"foreign_lock\":\"terraform:/infra/money\",\"state\":"
                + "\"free\"},{\"use\":\"exclusive\",\"foreign_lock\":\"" + BEADS + "\",\"state\":\"held\",\"held_by\":"
                + "{\"holder\":\"vc-executor\",\"pid\":12,\"hostname\":\"dev-1\"}}],\"steps\""));
    assertThat(works.foreigners.asked).containsExactly("look terraform:/infra/money", "look " + BEADS);
  }

  @Test
  @DisplayName("A path that a parameter makes invalid is rejected before anything is checked")
  void badPath() {
    works.with(IntentBuilder.mutate("sync").respect("flock:${params.app}").step("one", "true"));

    assertThat(works.runs.submit(new RunRequest("sync",
        Map.of("app", new fleet.tower.intent.Values.Given("", fleet.tower.intent.Values.Given.Kind.STRING)),
        new RequestId("r1"), null, new Run.Origin(new Actor("alice", Door.RUN), "{}", null), LockTerms.PLAIN,
        null, null)))
        .isInstanceOfSatisfying(SubmitOutcome.InvalidLockName.class,
            invalid -> assertThat(invalid.problem()).isEqualTo("'flock:' names no FILE; write flock:FILE"));
  }
}
