package fleet.tower.run.submit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.Installation;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.ServiceProcess;
import fleet.tower.harness.TestHome;
import fleet.tower.service.config.TestService;

@DisplayName("Runs in a service that is killed or stopped")
class ServiceRunsTest {
  private static final int SIGTERM_EXIT = 143;

  private final Installation tower;
  private final Path directory;
  private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private Process service;
  private String url = "";
  private int starts;

  ServiceRunsTest(@TempDir Path directory) throws IOException {
    this.directory = directory;
    tower = new Installation(directory.resolve("release"));
    TestService.declare(tower.home(), "hold", """
        mode: mutate
        controls: { lock: hold }
        steps:
          - name: hold
            script: |
              echo "$TOWER_REQUEST_ID $$" >>"$TOWER_HOME/begun"
              trap 'echo ended >>"$TOWER_HOME/ended"; exit 1' TERM
              sleep 300 & wait
            rollback: [bash, -c, 'echo undone >>"$TOWER_HOME/ended"']
        """);
    Files.writeString(Files.createDirectories(tower.home().resolve("config")).resolve("application.yaml"),
        "tower.shutdown.grace: 5s\n");
    service = start();
  }

  @AfterEach
  void stop() {
    Await.kill(service);
    client.shutdownNow();
  }

  private Process start() throws IOException {
    starts++;
    Path out = directory.resolve("out" + starts);
    Process started = tower.start(List.of(tower.launcher().toString(), "serve", "--port", "0"), out, err());
    url = ServiceProcess.awaitReady(started, out, err()).group(1);
    return started;
  }

  private Path err() {
    return directory.resolve("err" + starts);
  }

  private CompletableFuture<HttpResponse<String>> post(String... headers) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + "/intents/hold"))
        .header("Authorization", "Bearer " + TestHome.text(tower.home().resolve("state/token")).strip())
        .POST(BodyPublishers.noBody());
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.sendAsync(request.build(), BodyHandlers.ofString());
  }

  private List<CompletableFuture<HttpResponse<String>>> posts(int number) {
    return IntStream.range(0, number).mapToObj(_ -> post("Idempotency-Key", "once")).toList();
  }

  private List<String> lines(String file) {
    Path path = tower.home().resolve(file);
    return Files.exists(path) ? TestHome.text(path).lines().toList() : List.of();
  }

  private void awaitBegun() {
    Await.until("the step runs", () -> !lines("begun").isEmpty());
  }

  @Test
  @DisplayName("SIGKILL during 200 calls with one key: the run started once, all see it interrupted, its step is gone, "
      + "its lock left")
  void killed() throws Exception {
    List<CompletableFuture<HttpResponse<String>>> calls = posts(200);
    awaitBegun();
    service.destroyForcibly().waitFor();
    assertThat(calls).allSatisfy(call -> assertThat(call.handle((_, failure) -> failure).get()).isNotNull());

    service = start();
    String run = lines("begun").getFirst().split(" ", -1)[0];
    long step = Long.parseLong(lines("begun").getFirst().split(" ", -1)[1]);
    assertThat(TestHome.text(err())).contains("tower: warning: run " + run
        + " of hold was interrupted when its executor died; nothing was rolled back; its lock hold goes stale by itself;"
        + " GET /runs/" + run + " shows how far it got\n");
    for (CompletableFuture<HttpResponse<String>> replay : posts(200)) {
      // The service closes a connection on which no request comes for long; a request with a key may be repeated.
      HttpResponse<String> answer = replay.exceptionallyCompose(_ -> post("Idempotency-Key", "once")).get();
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("Idempotency-Replayed")).contains("true");
      assertThat(answer.body()).startsWith("{\"request_id\":\"" + run + "\"").contains(
          "\"status\":\"interrupted\",\"result\":\"aborted\"",
          "\"next_actions\":[{\"method\":\"GET\",\"href\":\"/locks/hold\"");
    }
    Await.until("the step is gone", () -> ProcessHandle.of(step).filter(ProcessHandle::isAlive).isEmpty());
    assertThat(lines("begun")).hasSize(1);
    assertThat(tower.home().resolve("logs/locks/hold.lock")).exists();
    assertThat(lines("ended")).doesNotContain("undone");
  }

  @Test
  @DisplayName("SIGTERM: runs continue for the grace period, are then ended and rolled back, and their waiters "
      + "are answered")
  @ProofsProfile
  void told() throws Exception {
    CompletableFuture<HttpResponse<String>> call = post();
    awaitBegun();
    service.destroy();
    Await.until("new calls are refused", () -> {
      HttpResponse<String> refused = post().handle((answer, _) -> answer).join();
      return refused != null && refused.statusCode() == 503 && refused.body().contains("\"error\":\"shutting_down\"");
    });
    assertThat(call.isDone()).isFalse();

    assertThat(call.get().statusCode()).isEqualTo(200);
    assertThat(call.get().body()).contains("\"status\":\"cancelled\",\"result\":\"aborted\"");
    assertThat(Await.exitOf(service)).isEqualTo(SIGTERM_EXIT);
    assertThat(lines("ended")).containsExactly("ended", "undone");
    assertThat(tower.home().resolve("logs/locks/hold.lock")).doesNotExist();
    assertThat(TestHome.text(err()).lines().filter(line -> !line.contains(" is on "))).isEmpty();
  }
}
