package fleet.tower.run.submit;

import static fleet.tower.lease.Actors.ACTOR;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.intent.Values;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.Locks;
import fleet.tower.run.Processes;
import fleet.tower.run.Run;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.RunStatus;
import fleet.tower.run.execute.LockTerms;
import fleet.tower.run.execute.RunHandle;

class IdempotencyTest {
  @AutoClose
  private final TestExecutor works;

  IdempotencyTest(@TempDir Path directory) {
    works = new TestExecutor(directory.resolve("locks"));
    works.with(IntentBuilder.mutate("deploy").lock("prod").step("one", "true"));
  }

  private static RunRequest keyed(@Nullable String key, String app, String secret) {
    return keyed(key, "{}", Map.of("app", new Values.Given(app, Values.Given.Kind.STRING), "key",
        new Values.Given(secret, Values.Given.Kind.STRING)));
  }

  private static RunRequest keyed(@Nullable String key, String metadata, Map<String, Values.Given> params) {
    return new RunRequest("deploy", params, null, key, new Run.Origin(new Actor("alice", Door.RUN), metadata, null),
        LockTerms.PLAIN, null, null);
  }

  @Test
  @DisplayName("The same key and the same request give the same run, while it runs and afterwards")
  void same() {
    RunHandle first = works.accepted(keyed("k", "money", "s3cret"));
    works.processes.awaitStart(1);

    assertThat(works.runs.submit(keyed("k", "money", "s3cret"))).isInstanceOfSatisfying(SubmitOutcome.Accepted.class,
        again -> {
          assertThat(again.replayed()).isTrue();
          assertThat(again.handle()).isSameAs(first);
        });
    works.processes.awaitStart(1).exit(0);
    Run run = first.await();
    assertThat(works.runs.submit(keyed("k", "money", "s3cret"))).isInstanceOfSatisfying(SubmitOutcome.Accepted.class,
        again -> assertThat(again.handle().await()).isEqualTo(run));
    assertThat(works.processes.events()).containsExactly("start one", "end one");
  }

  @Test
  @DisplayName("The same key with other parameters, a secret included, is a mismatch")
  void different() {
    works.processes.plan("one", new Processes.Exited(0));
    Run run = works.accepted(keyed("k", "money", "s3cret")).await();

    assertThat(works.runs.submit(keyed("k", "honey", "s3cret"))).isEqualTo(new SubmitOutcome.Mismatch(run.requestId()));
    assertThat(works.runs.submit(keyed("k", "money", "s3crets")))
        .isEqualTo(new SubmitOutcome.Mismatch(run.requestId()));
  }

  @Test
  @DisplayName("A request whose metadata contain the text of another's parameters is a mismatch")
  void runTogether() {
    works.processes.plan("one", new Processes.Exited(0));
    String terms = LockTerms.PLAIN.withoutPatience().toString();
    Run run = works.accepted(keyed("k", "{}", Map.of("app",
        new Values.Given("y\n" + terms, Values.Given.Kind.STRING)))).await();

    assertThat(works.runs.submit(keyed("k", "{}\n" + terms + "\napp\nSTRING\ny", Map.of())))
        .isEqualTo(new SubmitOutcome.Mismatch(run.requestId()));
  }

  @Test
  @DisplayName("200 simultaneous requests with one id result in one run")
  void concurrent() throws Exception {
    works.processes.plan("one", new Processes.Exited(0));
    CountDownLatch go = new CountDownLatch(1);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Run>> answers = IntStream.range(0, 200).mapToObj(_ -> threads.submit(() -> {
        go.await();
        return works.accepted(TestExecutor.request("deploy", "r1")).await();
      })).toList();
      go.countDown();
      for (Future<Run> answer : answers) {
        assertThat(answer.get().status()).isEqualTo(RunStatus.SUCCEEDED);
      }
    }
    assertThat(works.processes.events()).containsExactly("start one", "end one");
  }

  @Test
  @DisplayName("A request that is recorded by another executor in the same moment gives its place back")
  void recordedElsewhere() {
    Runs other = works.executor("executor-2");
    List<RunHandle> there = new ArrayList<>();
    works.store.beforeBegin(() -> {
      works.store.beforeBegin(() -> {});
      assertThat(other.submit(TestExecutor.request("deploy", "r1")))
          .isInstanceOfSatisfying(SubmitOutcome.Accepted.class, accepted -> there.add(accepted.handle()));
    });

    RunHandle here = works.accepted(TestExecutor.request("deploy", "r1"));
    works.processes.awaitStart(1).exit(0);
    assertThat(there.getFirst().await().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(here.await().status()).as("read after the end: nothing else wakes its watchers before time passes")
        .isEqualTo(RunStatus.SUCCEEDED);
    assertThat(works.runs.places().taken()).isZero();
    assertThat(works.processes.events()).containsExactly("start one", "end one");
  }

  @Test
  @DisplayName("A blocked request can be repeated under its id, and runs when the lock is free")
  void blockedAgain() {
    works.processes.plan("one", new Processes.Exited(0));
    works.hold("prod", "bob-1");
    assertThat(works.runs.submit(TestExecutor.request("deploy", "r1"))).isInstanceOf(SubmitOutcome.OwnRefused.class);
    works.locks.release(ACTOR, new LeaseName("prod"), Owner.ofAnyActor(new RequestId("bob-1")), FencingToken.NONE,
        Locks.Result.SUCCESS, null);

    assertThat(works.run("deploy").status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  @DisplayName("A run that waits for its lock has a record, and one that never got its lock can be requested again")
  void waiting() {
    works.processes.plan("one", new Processes.Exited(0));
    works.hold("prod", "bob-1");
    RunRequest patient = TestExecutor.request("deploy", "r1", new LockTerms(false, Duration.ofSeconds(30)));

    RunHandle waits = works.accepted(patient);
    assertThat(waits.run().status()).isEqualTo(RunStatus.WAITING);
    works.awaitWaiter("prod");
    works.time.advance(Duration.ofSeconds(31));
    Run vain = waits.await();

    assertThat(vain.status()).isEqualTo(RunStatus.REFUSED);
    assertThat(vain.refusal()).isInstanceOfSatisfying(RunRefusal.TimedOut.class,
        timedOut -> assertThat(timedOut.obstacle()).isInstanceOfSatisfying(RunRefusal.Blocked.class,
            blocked -> assertThat(blocked.holder().requestId()).isEqualTo("bob-1")));
    assertThat(works.processes.events()).isEmpty();
    works.locks.release(ACTOR, new LeaseName("prod"), Owner.ofAnyActor(new RequestId("bob-1")), FencingToken.NONE,
        Locks.Result.SUCCESS, null);
    assertThat(works.accepted(patient).await().status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  private static RunRequest patient(Duration patience) {
    return TestExecutor.request("deploy", "r1", new LockTerms(false, patience));
  }

  @Test
  @DisplayName("A longer wait is the same request: it joins the run while that waits, and waits again "
      + "after it was refused")
  void longerWait() {
    works.hold("prod", "bob-1");
    RunHandle first = works.accepted(patient(Duration.ofSeconds(30)));
    works.awaitWaiter("prod");
    assertThat(works.accepted(patient(Duration.ofMinutes(10)))).isSameAs(first);
    works.time.advance(Duration.ofSeconds(31));
    assertThat(first.await().refusal()).isInstanceOf(RunRefusal.TimedOut.class);

    RunHandle again = works.accepted(patient(Duration.ofMinutes(10)));
    works.awaitWaiter("prod");
    works.time.advance(Duration.ofSeconds(31));
    assertThat(again.run().status()).isEqualTo(RunStatus.WAITING);
    works.locks.release(ACTOR, new LeaseName("prod"), Owner.ofAnyActor(new RequestId("bob-1")), FencingToken.NONE,
        Locks.Result.SUCCESS, null);
    works.processes.awaitStart(1).exit(0);
    Run run = again.await();

    assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(works.accepted(patient(Duration.ZERO)).run()).as("a run that started is replayed").isEqualTo(run);
    assertThat(works.processes.events()).containsExactly("start one", "end one");
  }

  @Test
  @DisplayName("A run whose executor died while it waited runs when it is repeated, even if it had left its own "
      + "lock behind")
  void diedWaiting() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").respect("flock:/x").step("one", "true"));
    works.foreigners.verdicts.put("flock:/x", ManualForeignLocks.heldByTool("tool"));
    Runs other = works.executor("executor-2");
    SubmitOutcome.Accepted _ = (SubmitOutcome.Accepted) other.submit(patient(Duration.ofMinutes(10)));
    Await.until("it holds its lock", () -> works.isLocked("prod"));
    works.deadExecutors.add("executor-2");
    works.foreigners.verdicts.clear();
    assertThat(works.runs.recover()).extracting(Run::status).containsExactly(RunStatus.INTERRUPTED);

    RunHandle again = works.accepted(patient(Duration.ofMinutes(5)));
    works.processes.awaitStart(1).exit(0);
    assertThat(again.await().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(works.processes.events()).containsExactly("start one", "end one");
  }

  @Test
  @DisplayName("An executor that was considered dead while its run waited starts no step of it, and does not change "
      + "the record of the repeated run")
  void believedDead() {
    works.hold("prod", "bob-1");
    Runs other = works.executor("executor-2");
    RunHandle waits = ((SubmitOutcome.Accepted) other.submit(patient(Duration.ofMinutes(10)))).handle();
    works.awaitWaiter("prod");
    works.deadExecutors.add("executor-2");
    assertThat(works.runs.recover()).hasSize(1);
    works.with(IntentBuilder.mutate("deploy").lock("elsewhere").step("one", "true"));
    RunHandle again = works.accepted(patient(Duration.ofMinutes(5)));

    works.locks.release(ACTOR, new LeaseName("prod"), Owner.ofAnyActor(new RequestId("bob-1")), FencingToken.NONE,
        Locks.Result.SUCCESS, null);

    assertThat(waits.await().status()).as("for its watchers").isEqualTo(RunStatus.INTERRUPTED);
    works.processes.awaitStart(1).exit(0);
    assertThat(again.await().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(works.processes.events()).containsExactly("start one", "end one");
    assertThat(works.store.find(new RequestId("r1"))).map(Run::status).contains(RunStatus.SUCCEEDED);
  }

  @Test
  @DisplayName("A run whose executor died after its wait is replayed as interrupted, and never repeated")
  void diedRunning() {
    Runs other = works.executor("executor-2");
    SubmitOutcome.Accepted _ = (SubmitOutcome.Accepted) other.submit(patient(Duration.ofMinutes(10)));
    works.processes.awaitStart(1);
    works.deadExecutors.add("executor-2");
    assertThat(works.runs.recover()).hasSize(1);

    assertThat(works.accepted(patient(Duration.ofMinutes(5))).await().status()).isEqualTo(RunStatus.INTERRUPTED);
    assertThat(works.processes.events()).containsExactly("start one");
  }
}
