package fleet.tower.lock;

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
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.Installation;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.ServiceProcess;
import fleet.tower.harness.TestHome;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.service.config.TestService;

@DisplayName("A holder that was killed is gone in every view, and its lock is handled as its intent says")
class GoneHolderProcessTest {
  private static final String RELEASE = "tower force-release %s --reason 'its holder is gone'";
  private final Installation tower;
  private final TestHome home;
  private final Path directory;
  private final List<Process> processes = new ArrayList<>();
  private String url = "";

  GoneHolderProcessTest(@TempDir Path directory) {
    this.directory = directory;
    tower = new Installation(directory.resolve("release"));
    // On the host of the processes, whose deaths no other host notices.
    home = new TestHome(tower.home()).with("TOWER_HOST_ID", "");
  }

  @AfterEach
  void stop() {
    processes.forEach(Await::kill);
  }

  /** An intent whose first run hangs. */
  private void declare(String name, String mode, String controls, String more) {
    TestService.declare(tower.home(), name, """
        mode: %s
        controls: { lock: %s%s }
        steps:
          - name: hold
            script: |
              echo "$TOWER_REQUEST_ID $$" >>"$TOWER_HOME/begun"
              [ "$(wc -l <"$TOWER_HOME/begun")" -gt 1 ] || sleep 300
        %s""".formatted(mode, name, controls, more));
  }

  private Process start(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(tower.launcher().toString()));
    command.addAll(List.of(arguments));
    int number = processes.size();
    Process started = tower.start(command, directory.resolve("out" + number), directory.resolve("err" + number));
    processes.add(started);
    return started;
  }

  private Process serve() throws IOException {
    Process started = start("serve", "--port", "0");
    int number = processes.size() - 1;
    url = ServiceProcess.awaitReady(started, directory.resolve("out" + number), directory.resolve("err" + number))
        .group(1);
    return started;
  }

  private List<String> begun() {
    Path path = tower.home().resolve("begun");
    return Files.exists(path) ? TestHome.text(path).lines().toList() : List.of();
  }

  private String awaitBegun() {
    Await.until("the step runs", () -> !begun().isEmpty());
    return begun().getFirst().split(" ", -1)[0];
  }

  private static void kill(Process victim) throws InterruptedException {
    victim.destroyForcibly().waitFor();
  }

  private HttpResponse<String> call(String method, String path) throws IOException, InterruptedException {
    return call(method, path, "");
  }

  private HttpResponse<String> call(String method, String path, String body)
      throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      return client.send(HttpRequest.newBuilder(URI.create(url + path))
          .header("Authorization", "Bearer " + token()).header("Content-Type", "application/json")
          .method(method, BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
    }
  }

  private String token() {
    return TestHome.text(tower.home().resolve("state/token")).strip();
  }

  private static JsonObject data(Installation.Result result) {
    return TestHome.json(result.out().strip()).object("data").orElseThrow(() -> new AssertionError(result));
  }

  @Test
  @DisplayName("A run of a killed service: why, check, locks, plan, run, doctor, HTTP, and the command that helps")
  @ProofsProfile
  void views() throws Exception {
    declare("hold", "mutate", "", "");
    Process service = serve();
    tower.with("TOWER_TOKEN", token());
    Process client = start("run", "hold", "--server", url);
    String run = awaitBegun();
    assertThat(tower.tower("why", "hold").out()).as("alive").contains("last heartbeat").doesNotContain("gone");
    assertThat(tower.tower("locks", "hold", "--json").out()).doesNotContain("\"holder\":");

    kill(service);
    kill(client);

    Installation.Result why = tower.tower("why", "hold");
    assertThat(why.exit()).isEqualTo(2);
    assertThat(why.out()).startsWith("held: held by operator on ")
        .contains("; its process is gone, so the lock becomes "
            + "stale after 20", "see how far it got: tower runs " + run,
            "\n  try: " + RELEASE.formatted("hold") + "\n  try: tower runs " + run + "\n")
        .doesNotContain("tower lock hold");
    JsonObject json = data(tower.tower("why", "hold", "--json"));
    assertThat(json.text("state")).hasValue("active");
    assertThat(json.text("holder")).hasValue("gone");
    assertThat(json.text("expires_at")).isPresent();
    assertThat(TestHome.texts(json, "next_actions", "command")).containsExactly(RELEASE.formatted("hold"),
        "tower runs " + run);
    Installation.Result check = tower.tower("check", "hold");
    assertThat(check.out()).isEqualTo("active\n");
    assertThat(check.err()).contains("its process is gone");
    assertThat(data(tower.tower("check", "hold", "--json")).text("holder")).hasValue("gone");
    assertThat(tower.tower("locks").out()).contains(" active,gone ");
    assertThat(tower.tower("locks", "hold").out()).contains("its process is gone");
    assertThat(data(tower.tower("plan", "hold", "--json")).text("holder")).hasValue("gone");
    Installation.Result refused = tower.tower("run", "hold", "--json");
    assertThat(refused.exit()).isEqualTo(2);
    assertThat(TestHome.json(refused.out().strip()).object("error_context").orElseThrow().text("holder"))
        .hasValue("gone");
    assertThat(tower.tower("doctor").out()).contains("gone holder", "interrupted run", "tower runs " + run);

    serve();
    assertThat(call("GET", "/locks/hold").body()).contains("\"state\":\"active\"", "\"holder\":\"gone\"");
    assertThat(call("GET", "/locks").body()).contains("\"holder\":\"gone\"");
    assertThat(tower.tower("why", "hold", "--server", url).out()).contains("its process is gone",
        "  ask an operator to run: " + RELEASE.formatted("hold"));
    HttpResponse<String> blocked = call("POST", "/intents/hold");
    assertThat(blocked.statusCode()).isEqualTo(409);
    assertThat(blocked.body()).contains("\"error\":\"lock_blocked\"", "\"holder\":\"gone\"", "tower runs " + run,
        "\"next_actions\":[{\"method\":\"POST\",\"href\":\"/locks/hold/force-release\",\"body\":{\"reason\":\"its holder is gone\"}");
    assertThat(TestHome.json(call("GET", "/runs/" + run).body()).objects("steps").getFirst().integer("duration_ms")
        .orElse(0)).isPositive();
    assertThat(tower.tower("force-release", "hold", "--reason", "its holder is gone").exit()).isZero();
    assertThat(tower.tower("run", "hold").exit()).isZero();
  }

  @Test
  @DisplayName("Decision 17 the lock of a killed run is neither renewed nor released by the run's id, only by force")
  @ProofsProfile
  void lockOfInterruptedRun() throws Exception {
    declare("hold", "mutate", "", "");
    Process service = serve();
    tower.with("TOWER_TOKEN", token());
    Process client = start("run", "hold", "--server", url);
    String run = awaitBegun();
    kill(service);
    kill(client);
    serve();
    String held = TestHome.text(tower.home().resolve("logs/locks/hold.lock"));

    for (String options : List.of("", " --server " + url)) {
      for (String command : List.of("heartbeat", "unlock")) {
        String line = command + " hold --json --request-id " + run + options;
        Installation.Result refused = tower.tower(line.split(" ", -1));
        assertThat(refused.exit()).as(line + ": " + refused).isEqualTo(4);
        assertThat(refused.out()).as(line).contains("\"error\":\"lock_of_run\"");
      }
    }
    for (HttpResponse<String> refused : List.of(
        call("POST", "/locks/hold/heartbeat", "{\"request_id\":\"" + run + "\"}"),
        call("DELETE", "/locks/hold?request_id=" + run))) {
      assertThat(refused.statusCode()).as(refused.body()).isEqualTo(409);
      assertThat(refused.body()).contains("\"error\":\"lock_of_run\"");
    }
    assertThat(TestHome.text(tower.home().resolve("logs/locks/hold.lock"))).isEqualTo(held);

    assertThat(call("POST", "/locks/hold/force-release", "{\"reason\":\"its service was killed\"}").statusCode())
        .isEqualTo(200);
    assertThat(tower.tower("run", "hold").exit()).isZero();
  }

  @Test
  @DisplayName("on_interrupted: release: a killed service releases the lock when it restarts, and its schedule "
      + "continues")
  @ProofsProfile
  void released() throws Exception {
    declare("tidy", "reconcile", ", on_interrupted: release", "schedule: \"* * * * * *\"\n");
    Process service = serve();
    String run = awaitBegun();
    kill(service);
    assertThat(tower.home().resolve("logs/locks/tidy.lock")).exists();

    serve();

    Await.until("the schedule goes on", () -> begun().size() > 2);
    assertThat(begun().stream().skip(1)).noneMatch(line -> line.startsWith(run + " "));
    assertThat(tower.tower("audit", "--request-id", run).out().lines().map(TestHome::json)
        .map(event -> event.text("event").orElse("") + " " + event.text("result").orElse("")).toList())
        .contains("lock_released aborted", "run_finished aborted").doesNotContain("lock_stolen ");
    assertThat(tower.tower("runs", run).out()).startsWith(run + ": interrupted\n");
  }

  @Test
  @DisplayName("on_interrupted: release: the next run of the home releases the lock of a killed command")
  void next() throws Exception {
    declare("tidy", "reconcile", ", on_interrupted: release", "");
    Process command = start("run", "tidy", "--request-id", "first");
    awaitBegun();
    kill(command);

    Await.until("the lock is free", () -> home.tower("run tidy").exit() == 0);
    assertThat(tower.tower("runs").out()).contains("first ").contains("interrupted");
  }

  @Test
  @DisplayName("A killed guard is gone; a client's lock without a process is never called gone")
  void guard() throws Exception {
    Process guard = start("guard", "nightly", "--", "sleep", "300");
    Await.until("the guard has its lock", () -> home.tower("exists nightly").exit() == 0);
    assertThat(tower.tower("lock", "mine").exit()).isZero();
    kill(guard);

    assertThat(tower.tower("why", "nightly").out()).contains("its process is gone")
        .contains("  try: " + RELEASE.formatted("nightly") + "\n").doesNotContain("tower runs");
    assertThat(tower.tower("why", "mine").out()).doesNotContain("gone")
        .contains("  try: tower lock mine --wait 10m\n  ask ");
  }
}
