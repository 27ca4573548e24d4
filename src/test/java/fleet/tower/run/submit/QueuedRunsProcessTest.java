package fleet.tower.run.submit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.Installation;
import fleet.tower.harness.Installation.Result;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestHome;
import fleet.tower.service.config.TestService;

@DisplayName("Queued runs in services of one home that are killed")
class QueuedRunsProcessTest {
  private final Installation tower;
  private final TestHome home;
  private final Path directory;
  private final List<Process> services = new ArrayList<>();

  QueuedRunsProcessTest(@TempDir Path directory) throws IOException {
    this.directory = directory;
    tower = new Installation(directory.resolve("release"));
    home = new TestHome(tower.home());
    TestService.declare(tower.home(), "work", """
        mode: mutate
        params:
          lock: { type: string, required: true }
        controls: { lock: "${params.lock}" }
        steps:
          - name: work
            script: |
              echo "$TOWER_REQUEST_ID $PPID" >>"$TOWER_HOME/begun"
              until [ -e "$TOWER_HOME/go" ]; do sleep 0.05; done
        """);
    Files.writeString(Files.createDirectories(tower.home().resolve("config")).resolve("application.yaml"), """
        tower:
          heartbeat: { max-interval: 1s }
          queue: { lease: 3s, workers: 1 }
          shutdown: { grace: 1s }
        """);
  }

  @AfterEach
  void stop() {
    services.forEach(Await::kill);
  }

  private Process service() throws IOException {
    Process started = tower.serve(directory.resolve("out" + services.size()),
        directory.resolve("err" + services.size()));
    services.add(started);
    return started;
  }

  private void queue(String id, String lock, String... more) {
    List<String> line = new ArrayList<>(List.of("run", "work", "--queue", "--request-id", id, "-p", "lock=" + lock));
    line.addAll(List.of(more));
    Result result = tower.tower(line.toArray(String[]::new));
    assertThat(result.exit()).as(result.err()).isZero();
    assertThat(result.out()).isEqualTo(id + "\n");
  }

  private String status(String id) {
    String out = home.tower("runs " + id + " --json").out();
    return Pattern.compile("\"status\":\"([a-z_]+)\"").matcher(out).results().findFirst()
        .map(found -> found.group(1)).orElseThrow(() -> new AssertionError(out));
  }

  private boolean isWaiting() {
    return home.tower("locks prod --json").out().contains("\"waiters\":1");
  }

  private List<String> begun() {
    Path file = tower.home().resolve("begun");
    return Files.exists(file) ? TestHome.text(file).lines().map(line -> line.split(" ", -1)[0]).toList() : List.of();
  }

  private void letGo() throws IOException {
    Files.writeString(tower.home().resolve("go"), "");
  }

  @Test
  @DisplayName("A run queued without a service waits for one; if that is killed while waiting for the lock, the "
      + "next one runs it")
  @ProofsProfile
  void killedBefore() throws Exception {
    home.tower("lock prod --request-id gate");
    queue("q-1", "prod", "--wait", "10m");
    assertThat(status("q-1")).isEqualTo("waiting");
    Process first = service();
    Await.until("it waits for its lock", this::isWaiting);

    first.destroyForcibly().waitFor();
    service();
    assertThat(status("q-1")).isEqualTo("waiting");
    home.tower("unlock prod --request-id gate");

    Await.until("another executor runs it", () -> begun().contains("q-1"));
    letGo();
    Await.until("it has ended", () -> status("q-1").equals("succeeded"));
    assertThat(begun()).containsExactly("q-1");
  }

  @Test
  @DisplayName("A run killed after a step began is interrupted and never repeated, and the next in the queue runs")
  void killedAfter() throws Exception {
    queue("q-1", "one");
    queue("q-2", "two");
    Process first = service();
    Await.until("the first runs", () -> begun().contains("q-1"));

    first.destroyForcibly().waitFor();
    letGo();
    service();

    Await.until("the second has ended", () -> status("q-2").equals("succeeded"));
    assertThat(status("q-1")).isEqualTo("interrupted");
    assertThat(begun()).containsExactly("q-1", "q-2");
    Await.until("the file of the first is deleted too",
        () -> home.tower("mailbox count tower-runs --json")
            .out().contains("\"messages\":0"));
    assertThat(begun()).containsExactly("q-1", "q-2");
  }

  @Test
  @DisplayName("WI-18 a stopping service returns unstarted runs at once, and another service runs them")
  @ProofsProfile
  void told() throws Exception {
    home.tower("lock prod --request-id gate");
    queue("q-1", "prod", "--wait", "10m");
    Process first = service();
    Await.until("it waits for its lock", this::isWaiting);

    assertThat(tower.run(List.of("bash", "-c", "kill -TERM " + first.pid())).exit()).isZero();
    first.waitFor();

    assertThat(status("q-1")).isEqualTo("waiting");
    assertThat(home.tower("mailbox count tower-runs --json").out()).contains("\"ready\":1", "\"leased\":0");
    home.tower("unlock prod --request-id gate");
    letGo();
    service();
    Await.until("it has ended", () -> status("q-1").equals("succeeded"));
    assertThat(begun()).containsExactly("q-1");
  }
}
