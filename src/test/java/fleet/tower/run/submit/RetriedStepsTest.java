package fleet.tower.run.submit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.harness.Await;
import fleet.tower.intent.Repetition;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.Halt;
import fleet.tower.run.ManualProcesses;
import fleet.tower.run.Processes;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.StepRecord;
import fleet.tower.run.execute.RunHandle;

@DisplayName("A step that is tried again")
class RetriedStepsTest {
  private static final Repetition THREE = new Repetition(2, Duration.ofSeconds(100), 3);
  private static final Processes.Exit OK = new Processes.Exited(0);
  @AutoClose
  private final TestExecutor works;

  RetriedStepsTest(@TempDir Path directory) {
    works = new TestExecutor(directory.resolve("locks"));
  }

  private static IntentBuilder deploy() {
    return IntentBuilder.mutate("deploy").lock("prod").undoable("one").repeated(THREE).undoable("two");
  }

  private RunHandle begin(IntentBuilder intent) {
    works.with(intent);
    works.processes.plan("one.rollback", OK).plan("two.rollback", OK).plan("two", OK);
    return works.accepted(TestExecutor.request("deploy", "r1"));
  }

  private static StepRecord one(RunHandle handle) {
    return handle.run().progress().steps().getFirst();
  }

  private void awaitWait(int tries) {
    Await.until("the next try is awaited", () -> works.runs.find(new RequestId("r1")).orElseThrow().run().progress()
        .steps().getFirst().tries().size() == tries && works.time.pendingDelays().contains(THREE.delayAfter(tries)));
  }

  @Test
  @DisplayName("It is tried after growing delays under the same lock, which is renewed; its record has every try")
  void mends() {
    RunHandle handle = begin(deploy());
    ManualProcesses.Hand first = works.processes.awaitStart(1);
    works.time.advance(Duration.ofSeconds(7));
    first.exit(3);
    awaitWait(1);
    assertThat(one(handle).status()).isEqualTo(StepRecord.Status.RUNNING);
    works.time.advance(Duration.ofSeconds(100));
    works.processes.awaitStart(2).print("second\n");
    works.processes.awaitStart(2).exit(4);
    awaitWait(2);
    works.time.advance(Duration.ofSeconds(299));
    assertThat(works.processes.events()).containsExactly("start one", "end one", "start one", "end one");
    assertThat(works.locks.view(new LeaseName("prod")).state()).hasToString("active");
    assertThat(handle.lastHeartbeat())
        .hasValueSatisfying(at -> assertThat(at).isAfter(works.time.now().minusSeconds(31)));
    works.time.advance(Duration.ofSeconds(1));
    works.processes.awaitStart(3).exit(0);
    Run run = handle.await();

    assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
    StepRecord one = run.progress().steps().getFirst();
    assertThat(one.exitCode()).isZero();
    assertThat(one.durationMillis()).isEqualTo(407_000);
    assertThat(one.tries()).containsExactly(new StepRecord.Try(StepRecord.Status.FAILED, 3, 7000, null),
        new StepRecord.Try(StepRecord.Status.FAILED, 4, 0, null),
        new StepRecord.Try(StepRecord.Status.SUCCEEDED, 0, 0, null));
    assertThat(works.processes.tail(run.requestId(), "one")).isEqualTo("""
        [tower] try 1 of 3 failed with exit code 3; the next one begins in 1m 40s
        second
        [tower] try 2 of 3 failed with exit code 4; the next one begins in 5m
        """);
    assertThat(run.progress().steps().getLast().tries()).isEmpty();
  }

  @Test
  @DisplayName("A signal and the timeout of the step are tried again; after the last try it is rolled back once")
  void failsForGood() {
    RunHandle handle = begin(deploy());
    works.processes.awaitStart(1);
    works.time.advance(Duration.ofMinutes(10));
    awaitWait(1);
    works.time.advance(Duration.ofSeconds(100));
    works.processes.awaitStart(2).stop();
    awaitWait(2);
    works.time.advance(Duration.ofMinutes(5));
    works.processes.awaitStart(3).exit(5);
    Run run = handle.await();

    assertThat(run.status()).isEqualTo(RunStatus.FAILED);
    assertThat(run.progress().failureStep()).isEqualTo("one");
    assertThat(run.progress().steps().getFirst().tries()).extracting(StepRecord.Try::describe).containsExactly(
        "timed out with exit code 143", "failed, ended by signal 15", "failed with exit code 5");
    assertThat(works.processes.events()).filteredOn(event -> event.startsWith("start")).containsExactly("start one",
        "start one", "start one", "start one.rollback");
  }

  static Stream<Arguments> ends() {
    return Stream.of(
        end("a cancellation", works -> works.runs.cancel(new RequestId("r1")), RunStatus.CANCELLED),
        end("the timeout of the run", works -> works.time.advance(Duration.ofHours(1)), RunStatus.TIMED_OUT),
        end("a halt that drains", works -> {
          works.halt(Halt.Level.DRAIN, Halt.Scope.ALL);
          works.time.advance(Duration.ofMillis(500));
        }, RunStatus.CANCELLED),
        end("the loss of the lock", works -> {
          works.delete("prod");
          works.hold("prod", "thief");
          works.time.advance(Duration.ofSeconds(31));
        }, RunStatus.LOCK_LOST));
  }

  private static Arguments end(String what, Consumer<TestExecutor> event, RunStatus status) {
    return Arguments.of(what, event, status);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("ends")
  @DisplayName("What ends the run ends the wait for the next try at once")
  void waitEnds(String what, Consumer<TestExecutor> event, RunStatus status) {
    Repetition slow = new Repetition(1, Duration.ofHours(1), 2);
    RunHandle handle = begin(IntentBuilder.mutate("deploy").lock("prod").undoable("one").repeated(slow));
    works.processes.awaitStart(1).exit(1);
    Await.until("the next try is awaited", () -> works.time.pendingDelays().contains(Duration.ofHours(1)));
    event.accept(works);
    Run run = handle.await();

    assertThat(run.status()).as(what).isEqualTo(status);
    StepRecord one = run.progress().steps().getFirst();
    assertThat(one.status()).hasToString(status.toString());
    assertThat(one.note()).isEqualTo("not tried again");
    assertThat(one.exitCode()).isEqualTo(1);
    assertThat(one.tries()).hasSize(1);
    assertThat(works.processes.events()).containsOnlyOnce("start one");
    assertThat(works.processes.events().contains("start one.rollback")).isEqualTo(status != RunStatus.LOCK_LOST);
  }

  @ParameterizedTest
  @ValueSource(ints = {126, 127})
  @DisplayName("A program that cannot be started is not tried again")
  void notStarted(int code) {
    works.processes.plan("one", new Processes.NotStarted(code, "no such program"));

    Run run = begin(deploy()).await();

    assertThat(run.status()).isEqualTo(RunStatus.FAILED);
    assertThat(run.progress().steps().getFirst().tries()).isEmpty();
    assertThat(run.progress().rollback()).isEmpty();
  }

  @Test
  @DisplayName("A program that was started once, and then cannot be, is rolled back")
  void vanishes() {
    RunHandle handle = begin(deploy());
    ManualProcesses.Hand first = works.processes.awaitStart(1);
    works.processes.plan("one", new Processes.NotStarted(127, "no such program"));
    first.exit(1);
    awaitWait(1);
    works.time.advance(Duration.ofSeconds(100));

    assertThat(handle.await().progress().rollback()).extracting(StepRecord::name).containsExactly("one");
  }

  @Test
  @DisplayName("With heartbeat: progress the wait for the next try keeps the lock")
  void progress() {
    RunHandle handle = begin(deploy().ttl(60).provingProgress());
    works.processes.awaitStart(1).exit(1);
    awaitWait(1);
    works.time.advance(Duration.ofSeconds(99));
    assertThat(works.locks.view(new LeaseName("prod")).state()).hasToString("active");
    works.time.advance(Duration.ofSeconds(1));
    works.processes.awaitStart(2).exit(0);

    assertThat(handle.await().status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  @DisplayName("Delays grow by the factor, to at most an hour")
  void delays() {
    assertThat(Stream.of(1, 2, 3, 10).map(new Repetition(10, Duration.ofSeconds(5), 10)::delayAfter))
        .isEqualTo(
            List.of(Duration.ofSeconds(5), Duration.ofSeconds(50), Duration.ofSeconds(500), Duration.ofHours(1)));
    assertThat(new Repetition(10, Duration.ofSeconds(5), 1).delayAfter(9)).isEqualTo(Duration.ofSeconds(5));
  }
}
