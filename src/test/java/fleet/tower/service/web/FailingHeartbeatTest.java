package fleet.tower.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.RenewedLock;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;

/** Tests a lock that cannot be renewed, because a directory blocks the path of its new text, in a real service. */
@DisplayName("A run over HTTP whose lock cannot be renewed")
class FailingHeartbeatTest {
  @AutoClose
  private final TestService service;
  private final Path home;

  FailingHeartbeatTest(@TempDir Path home) {
    this.home = home;
    declare("patient", 300);
    declare("brief", 8);
    service = new TestService(home, "--tower.heartbeat.max-interval=1s", "--tower.shutdown.grace=2m");
  }

  private void declare(String name, int ttl) {
    TestService.declare(home, name, """
        mode: mutate
        controls: { lock: %s }
        timeouts: { lock_ttl: %d }
        steps:
          - name: work
            script: |
              touch "$TOWER_HOME/begun"
              until [ -e "$TOWER_HOME/go" ]; do sleep 0.05; done
            rollback: [touch, undone]
        """.formatted(name, ttl));
  }

  private CompletableFuture<Answer> begin(String intent) {
    CompletableFuture<Answer> run = service.later("/intents/" + intent, "{\"request_id\":\"r1\"}");
    Await.until("it runs", () -> Files.exists(home.resolve("begun")));
    return run;
  }

  private void block(String lock) {
    RenewedLock.block(home.resolve("logs/locks"), lock);
  }

  private void heal(String lock) {
    RenewedLock.unblock(home.resolve("logs/locks"), lock);
  }

  private String measure(String name) {
    return service.get("/actuator/prometheus").body().lines().filter(line -> line.startsWith(name + " ")).findFirst()
        .orElse("none");
  }

  private void awaitFailingLeases(int number) {
    Await.until(number + " failing leases",
        () -> measure("tower_leases_failing").equals("tower_leases_failing " + number + ".0"));
  }

  /** The answers of a service show a heartbeat at different moments. */
  private void awaitAnswer(String path, String expression) {
    Pattern expected = Pattern.compile(expression);
    Await.until(path + " has " + expression, () -> expected.matcher(service.get(path).body()).find());
  }

  private List<String> events() {
    return service.get("/audit?request_id=r1").body().lines()
        .flatMap(body -> Pattern.compile("\"event\":\"(\\w+)\"").matcher(body).results()
            .map(match -> match.group(1)))
        .toList();
  }

  @Test
  @DisplayName("TF-5.6 TF-5.8 it is reported everywhere while it lasts, and the run continues and succeeds afterwards")
  void recovers() throws Exception {
    CompletableFuture<Answer> run = begin("patient");
    Await.until("a heartbeat", () -> service.get("/locks/patient").body().matches(
        ".*\"heartbeats\":\\{\"beats\":[1-9]\\d*,\"failures\":0,\"consecutive_failures\":0,\"last_error\":null}}"));
    awaitFailingLeases(0);

    block("patient");
    Await.until("the third failure", () -> service.get("/locks/patient").body().matches(
        ".*\"heartbeats\":\\{\"beats\":\\d+,\"failures\":(\\d\\d|[3-9]),\"consecutive_failures\":(\\d\\d|[3-9]),"
            + "\"last_error\":\"[^\"]*ENOTEMPTY[^\"]*\"}}"));

    awaitAnswer("/locks", "\"failures\":\\d+,\"failing\":1}}");
    awaitAnswer("/runs/r1", "\"heartbeat_failures\":(\\d\\d|[3-9]),.*"
        + "\"warnings\":\\[\"the lock was not renewed: lock patient: ENOTEMPTY.*"
        + "\"the lock could not be renewed 3 times in a row: lock patient: ENOTEMPTY");
    awaitAnswer("/overview",
        "\"heartbeat_failures\":\\{\"consecutive\":(\\d\\d|[3-9]),\"last_error\":\"lock patient: ENOTEMPTY");
    awaitAnswer("/actuator/health/readiness",
        "\"heartbeats\":\\{\"details\":\\{\"failing\":1},\"status\":\"UP\"}");
    awaitFailingLeases(1);
    Await.until("it is in the log", () -> service.printed().stream().anyMatch(
        line -> line.startsWith("tower: warning: run r1, the lock was not renewed: lock patient: ENOTEMPTY")));
    assertThat(streamed("heartbeat_failed")).containsPattern(
        "\\{\"at\":\"[^\"]+\",\"consecutive_failures\":\\d+,\"error\":\"lock patient: ENOTEMPTY[^\"]*\"}");

    heal("patient");
    Await.until("it is renewed again", () -> service.get("/locks/patient").body()
        .contains("\"consecutive_failures\":0,\"last_error\":null"));
    awaitFailingLeases(0);
    Await.until("it is logged as renewed", () -> service.printed()
        .contains("tower: warning: run r1, the lock was renewed again"));
    Await.until("the overview shows no failure",
        () -> !service.get("/overview").body().contains("heartbeat_failures"));
    Files.createFile(home.resolve("go"));

    assertThat(run.get().body()).contains("\"status\":\"succeeded\"").containsPattern("\"heartbeat_failures\":[1-9]");
    assertThat(service.get("/runs/r1").body()).containsPattern("\"heartbeat_failures\":[1-9]");
    assertThat(events()).containsExactlyInAnyOrder("lock_acquired", "lock_actor", "run_started",
        "heartbeat_failed", "lock_actor", "lock_released", "lock_actor", "run_finished");
    awaitFailingLeases(0);
    assertThat(service.get("/actuator/prometheus").body()).as("no measures of ten ticks a second")
        .doesNotContain("tasks_scheduled");
    assertThat(service.get("/actuator/scheduledtasks").status()).isEqualTo(404);
  }

  /** The first event of a name in the stream of the run's events. */
  private String streamed(String name) throws Exception {
    try (InputStream body = service.client().send(service.request("/runs/r1/events")
        .header("Authorization", "Bearer " + service.token()).build(), BodyHandlers.ofInputStream()).body();
        BufferedReader lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.equals("event: " + name)) {
          return lines.readLine();
        }
      }
      throw new AssertionError("no event " + name);
    }
  }

  @Test
  @DisplayName("TF-A5 TF-8.2 if it lasts the run is stopped, heartbeat_failed and lock_lost have the reason, and "
      + "the lock is free")
  @ProofsProfile
  void givesUp() throws Exception {
    CompletableFuture<Answer> run = begin("brief");
    block("brief");

    Answer answer = run.get();

    assertThat(answer.body()).contains("\"status\":\"lock_lost\"", "the run is stopped before others can take it");
    assertThat(events()).containsSubsequence("heartbeat_failed", "lock_lost", "lock_released", "run_finished");
    assertThat(service.get("/audit?request_id=r1&event=lock_lost").body()).contains("\"error\":\"", "ENOTEMPTY");
    assertThat(service.get("/audit?request_id=r1&event=lock_released").body())
        .contains("\"result\":\"failure\",\"failure_step\":\"work\"");
    assertThat(service.get("/locks/brief").status()).isEqualTo(404);
    assertThat(home.resolve("undone")).doesNotExist();
  }

  @Test
  @DisplayName("TF-5.1 while a stopping service lets its runs end, their locks are renewed")
  void whileStopping() throws Exception {
    CompletableFuture<Answer> run = begin("patient");
    Path lock = home.resolve("logs/locks/patient.lock");
    Thread closing = Thread.ofPlatform().start(service::close);
    Await.until("it was told to stop", service::isClosing);
    for (int i = 0; i < 4; i++) {
      String before = Files.readString(lock);
      Await.until("one more heartbeat", () -> !text(lock).equals(before));
    }
    Files.createFile(home.resolve("go"));
    closing.join();

    assertThat(run.isCompletedExceptionally()).isFalse();
    assertThat(run.get().body()).contains("\"status\":\"succeeded\"");
    assertThat(lock).doesNotExist();
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return "";
    }
  }
}
