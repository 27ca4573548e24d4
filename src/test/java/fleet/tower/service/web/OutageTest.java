package fleet.tower.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.platform.sql.DedicatedServer;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.service.config.TestService.Answer;

@DisplayName("An outage of the database of two services, with a PostgreSQL server that is really killed")
@ProofsProfile
class OutageTest {
  private static final Duration OUTAGE = Duration.ofSeconds(7);
  /** 200 calls that wait for connections or locks take minutes; on a busy machine, those that do not take seconds. */
  private static final Duration SOON = Duration.ofSeconds(45);

  private final TimeSource time = SystemTime.source();
  private final DedicatedServer server;
  private final TestRunService one;
  private final TestRunService two;

  OutageTest(@TempDir Path temp) {
    server = DedicatedServer.begin(temp.resolve("postgres"));
    one = service(temp.resolve("one"), "tower-01");
    two = service(temp.resolve("two"), "tower-02");
  }

  private TestRunService service(Path home, String host) {
    return new TestRunService(home, "--tower.database.url=" + server.url(), "--tower.host-id=" + host,
        "--tower.queue.workers=2", "--tower.heartbeat.max-interval=1s");
  }

  @AfterEach
  void close() {
    server.start();
    two.close();
    one.close();
    server.close();
  }

  @Test
  @DisplayName("is one line when the database goes down and one when it is back; calls fail at once, waiting calls "
      + "continue")
  void calm() throws Exception {
    CompletableFuture<Answer> running = one.begin("busy", "run-1");
    one.service.post("/locks/prod", "{\"request_id\":\"r1\",\"ttl_seconds\":600}");
    CompletableFuture<Answer> message = two.service.later("/mailboxes/jobs/receive", "{\"wait_time_seconds\":300}");
    CompletableFuture<Answer> lock = two.service.later("/locks/prod",
        "{\"request_id\":\"r2\",\"wait_seconds\":300}");
    CompletableFuture<Answer> end = CompletableFuture
        .supplyAsync(() -> two.service.call("GET", "/runs/run-1", "", "Prefer", "wait=300"));
    Await.until("the lock has a waiter", () -> one.service.get("/locks/prod").body().contains("\"waiters\":1"));
    assertThat(up(one)).isEqualTo("1.0");

    server.kill();
    long begun = time.nanos();
    Await.until("both know it", () -> Stream.of(one, two).allMatch(it -> up(it).equals("0.0")));
    requireRefusals();
    CompletableFuture<Answer> late = two.service.later("/mailboxes/late/receive", "{\"wait_time_seconds\":300}");
    Answer tooShort = two.service.post("/mailboxes/jobs/receive", "{\"wait_time_seconds\":1}");
    assertThat(tooShort.status()).as(tooShort.body()).isEqualTo(503);
    one.service.get("/actuator/health/readiness");
    Await.until("it has lasted long enough", () -> time.nanos() - begun > OUTAGE.toNanos());
    assertThat(List.of(message, lock, end, running, late)).noneMatch(CompletableFuture::isDone);

    server.start();
    Await.until("both know it", () -> Stream.of(one, two).allMatch(it -> up(it).equals("1.0")));
    one.service.post("/mailboxes/jobs/messages", "{\"body\":\"after\"}");
    one.service.post("/mailboxes/late/messages", "{\"body\":\"late\"}");
    assertThat(message.get().body()).contains("\"body\":\"after\"");
    assertThat(late.get().body()).contains("\"body\":\"late\"");
    one.service.call("DELETE", "/locks/prod?request_id=r1", "");
    assertThat(lock.get()).returns(201, Answer::status);
    one.letGo("busy");
    assertThat(running.get().body()).contains("\"status\":\"succeeded\"");
    assertThat(end.get().body()).contains("\"status\":\"succeeded\"");
    for (TestRunService each : List.of(one, two)) {
      assertThat(linesAfterStart(each)).satisfiesExactly(
          gone -> assertThat(gone).startsWith("tower: warning: the database postgresql://127.0.0.1:")
              .contains("cannot be reached"),
          back -> assertThat(back).matches("tower: the database postgresql://\\S+ answers again after \\d+ s"));
    }
  }

  private void requireRefusals() {
    long begun = time.nanos();
    List<Answer> answers = IntStream.range(0, 200).parallel()
        .mapToObj(i -> one.service.get(List.of("/runs", "/locks/prod", "/tasks", "/mailboxes/jobs").get(i % 4)))
        .toList();
    assertThat(Duration.ofNanos(time.nanos() - begun)).isLessThan(SOON);
    assertThat(answers).allSatisfy(answer -> {
      assertThat(answer.status()).isEqualTo(503);
      assertThat(answer.header("Retry-After")).matches("[1-3]");
      assertThat(answer.body()).contains("\"error\":\"storage_unavailable\"", "the database cannot be reached",
          "\"next_actions\"").doesNotContain("127.0.0.1", "postgres", "tower-runs", "SELECT", "[08");
    });
  }

  private static String up(TestRunService of) {
    return of.service.get("/actuator/prometheus").body().lines().filter(line -> line.startsWith("tower_database_up"))
        .map(line -> line.substring(line.lastIndexOf(' ') + 1)).findFirst().orElse("");
  }

  private static List<String> linesAfterStart(TestRunService of) {
    return of.service.printed().stream().dropWhile(line -> !line.startsWith("tower: ready on ")).skip(1)
        .filter(
            line -> !line.matches("tower: warning: not ready: the .* does not answer; .*|tower: the .* works again"))
        .toList();
  }
}
