package fleet.tower.answer;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.answer.LockEstimates.Estimate;
import fleet.tower.harness.Await;
import fleet.tower.lease.LeaseName;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.ManualProcesses;
import fleet.tower.run.execute.LockTerms;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.submit.IntentBuilder;
import fleet.tower.run.submit.TestExecutor;

class LockEstimatesTest {
  private static final LeaseName PROD = new LeaseName("prod");
  private static final LockTerms PATIENT = new LockTerms(false, Duration.ofHours(1));

  private final TestExecutor works;
  private final LockEstimates estimates;

  LockEstimatesTest(@TempDir Path directory) {
    works = new TestExecutor(directory.resolve("locks"));
    works.with(IntentBuilder.mutate("deploy").lock("prod").step("ship", "cp"),
        IntentBuilder.mutate("repair").lock("prod").step("mend", "cp"));
    estimates = new LockEstimates(works.locks, works.runs, works.time);
  }

  @AfterEach
  void close() {
    works.close();
  }

  /** A run of deploy that took half a minute. */
  private void past() {
    RunHandle run = works.accepted(TestExecutor.request("deploy", "past"));
    ManualProcesses.Hand ship = works.processes.awaitStart(1);
    works.time.advance(Duration.ofSeconds(30));
    ship.exit(0);
    run.await();
  }

  private RunHandle running() {
    RunHandle run = works.accepted(TestExecutor.request("deploy", "holder"));
    works.processes.awaitStart(2);
    return run;
  }

  private RunHandle waiting(String intent, String id, int position) {
    RunHandle run = works.accepted(TestExecutor.request(intent, id, PATIENT));
    Await.until(id + " has its place", () -> run.position().orElse(-1) == position - 1);
    return run;
  }

  private static Optional<Estimate> estimate(int position, long seconds) {
    return Optional.of(new Estimate(position, OptionalLong.of(seconds)));
  }

  private static Optional<Estimate> none(int position) {
    return Optional.of(new Estimate(position, OptionalLong.empty()));
  }

  @Test
  @DisplayName("The rest of the holder's usual time, and the usual time of each request ahead, by its own intent")
  void queue() {
    past();
    RunHandle holder = running();
    works.time.advance(Duration.ofSeconds(10));
    assertThat(estimates.now(PROD)).isEqualTo(estimate(1, 20));

    RunHandle first = waiting("deploy", "first", 1);
    RunHandle second = waiting("repair", "second", 2);
    RunHandle third = waiting("deploy", "third", 3);

    assertThat(estimates.now(PROD)).as("repair has no usual time").isEqualTo(estimate(4, 20 + 30 + 30));
    assertThat(estimates.of(first.run(), first)).isEqualTo(estimate(1, 20));
    assertThat(estimates.of(second.run(), second)).isEqualTo(estimate(2, 50));
    assertThat(estimates.of(third.run(), third)).isEqualTo(estimate(3, 50));
    assertThat(estimates.of(holder.run(), holder)).as("it does not wait").isEmpty();
  }

  @Test
  @DisplayName("U4 no estimate once the holder's usual time has passed, however few wait")
  void overdue() {
    past();
    running();
    works.time.advance(Duration.ofSeconds(29));
    assertThat(estimates.now(PROD)).as("never less than two seconds").isEqualTo(estimate(1, 2));
    works.time.advance(Duration.ofSeconds(2));
    assertThat(estimates.now(PROD)).as("within a second, which may be rounding").isEqualTo(estimate(1, 2));

    works.time.advance(Duration.ofSeconds(1));
    assertThat(estimates.now(PROD)).isEqualTo(none(1));
    works.time.advance(Duration.ofMinutes(5));
    waiting("deploy", "first", 1);

    assertThat(estimates.now(PROD)).isEqualTo(none(2));
    Estimate estimate = estimates.now(PROD).orElseThrow();
    assertThat(estimate.sentence()).isEqualTo("Its holder takes longer than usual.");
    assertThat(estimate.addTo(JsonWriter.line()).end()).isEqualTo("{\"position\":2}");
  }

  @Test
  @DisplayName("A holder without past runs has a third of its ttl, at most a minute; so has a freeze its rest")
  void guesses() {
    works.hold("prod", "by-hand");
    assertThat(estimates.now(PROD)).isEqualTo(estimate(1, 60));
    assertThat(estimates.now(PROD).orElseThrow().sentence()).isEqualTo("The lock may be free in about 60 s.");
    works.time.advance(Duration.ofSeconds(901));
    assertThat(estimates.now(PROD)).as("waiting for a stale lock does not help").isEmpty();

    works.freeze("ice");
    assertThat(estimates.now(new LeaseName("ice"))).isEqualTo(estimate(1, 60));
    works.time.advance(Duration.ofSeconds(1781));
    assertThat(estimates.now(new LeaseName("ice"))).isEqualTo(estimate(1, 19));
    works.time.advance(Duration.ofSeconds(18));
    assertThat(estimates.now(new LeaseName("ice"))).isEqualTo(estimate(1, 2));
  }

  @Test
  @DisplayName("A lock that is free again is worth a try at once; one whose store is broken has no estimate")
  void free() {
    works.hold("other", "by-hand");
    assertThat(estimates.now(PROD)).isEqualTo(estimate(1, 2));
    works.breakDirectory();
    assertThat(estimates.now(PROD)).isEmpty();
  }
}
