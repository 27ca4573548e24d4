package fleet.tower.run.submit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import fleet.tower.harness.Await;
import fleet.tower.harness.Installation;
import fleet.tower.harness.Programs;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.ServiceProcess;
import fleet.tower.harness.Strace;
import fleet.tower.harness.TestFiles;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.service.config.TestService;

@DisplayName("An approved run of which something has changed starts no process, says strace")
@ProofsProfile
class ApprovedRunProcessTest {
  private static final String INTENT = """
      mode: mutate
      params:
        app: { type: string, required: true }
        pw: { type: string, secret: true, required: true }
      controls: { lock: gate }
      approve: { n: 1 }
      probe: { run: [cat, state.json] }
      steps: [{ name: act, run: ["bin/act.sh", "${params.app}"], env: { PW: "${params.pw}" } }]
      """;

  @AutoClose
  private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Installation tower;
  private final Path home;
  private final Strace strace;
  private Process service;
  private String url = "";
  private String token = "";

  ApprovedRunProcessTest(@TempDir Path directory) throws IOException {
    tower = new Installation(directory.resolve("release")).with("TOWER_HOST_ID", "tower-01");
    home = tower.home();
    strace = new Strace(directory.resolve("trace"));
    TestService.declare(home, "act", INTENT);
    script("true");
    make(Change.NOTHING);
    service = start("first");
  }

  private Process start(String output) throws IOException {
    Path out = tower.root().resolveSibling(output + ".out");
    Path err = tower.root().resolveSibling(output + ".err");
    Process started = tower.start(strace.of("execve", List.of(tower.launcher().toString(), "serve", "--port", "0")),
        out,
        err);
    url = ServiceProcess.awaitReady(started, out, err).group(1);
    return started;
  }

  @BeforeEach
  void createToken() {
    Installation.Result created = tower.tower("token", "create", "ada", "--role", "operator", "--approve", "*");
    assertThat(created.exit()).as(created.err()).isZero();
    token = created.out().strip();
  }

  @AfterEach
  void stop() {
    Await.kill(service);
  }

  private void script(String line) throws IOException {
    Programs.write(Files.createDirectories(home.resolve("bin")).resolve("act.sh"), "#!/bin/sh\n" + line + "\n");
  }

  /** What changes between the vote, or what the voter was shown, and the start. */
  enum Change {
    NOTHING, PARAMETER, SECRET, SCRIPT, STEP, LABEL, POLICY, PROBE
  }

  private void make(Change change) throws IOException {
    switch (change) {
      case NOTHING, PARAMETER, SECRET -> Files.writeString(home.resolve("state.json"), "{\"version\":1}");
      case PROBE -> Files.writeString(home.resolve("state.json"), "{\"version\":2}");
      case SCRIPT -> script("rm -rf /nowhere");
      case STEP -> TestService.declare(home, "act", INTENT.replace("\"${params.app}\"", "\"-f\", \"${params.app}\""));
      case LABEL -> TestService.declare(home, "act", "runs_on: [tower-01]\n" + INTENT);
      case POLICY -> Files.writeString(home.resolve("config/policy.yaml"),
          "approve: [{ intents: [act], n: 1, within: 1h }]\n");
    }
  }

  /** Changes what no caller can change: the record, which whoever can write the files can. */
  private void forge(Change change) {
    if (change == Change.PARAMETER) {
      new DirectTables("jdbc:sqlite:" + home.resolve("state/tower.db"))
          .change("UPDATE runs SET document = REPLACE(document, 'as-shown', 'another')");
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("It is refused, with the lock free again; without a change it begins")
  void changed(Change change) throws Exception {
    String request = "{\"request_id\":\"r1\",\"params\":{\"app\":\"as-shown\",\"pw\":\"one\"},\"wait_seconds\":600}";
    call("POST", "/locks/gate", "{\"request_id\":\"first\"}");
    JsonObject asked = call("POST", "/intents/act", request);
    assertThat(asked.text("status")).as(asked.raw()).contains("awaiting_approval");
    forge(change);
    if (change == Change.SECRET) {
      assertThat(call("POST", "/intents/act", request.replace("one", "two")).text("error"))
          .contains("idempotency_mismatch");
    }
    vote("r1", asked);
    if (change != Change.PARAMETER) {
      Await.until("it waits for its lock", () -> status().equals("waiting"));
    }
    make(change);
    call("DELETE", "/locks/gate?request_id=first", "");
    Await.until("its end", () -> call("GET", "/runs/r1", "").text("finished_at").isPresent());
    JsonObject run = call("GET", "/runs/r1", "");
    boolean isSame = change == Change.NOTHING || change == Change.SECRET;
    assertThat(run.text("status")).contains(isSame ? "succeeded" : "refused");
    assertThat(TestFiles.text(strace.trace()).contains("bin/act.sh")).isEqualTo(isSame);
    assertThat(call("GET", "/locks/gate", "").text("error")).contains("lock_not_found");
    if (!isSame) {
      assertThat(run.text("error")).contains("plan_changed");
    }
  }

  @Test
  @DisplayName("A service that was down until the time of a vote, or of the start, was over begins nothing when it is back")
  void down() throws Exception {
    TestService.declare(home, "late", INTENT.replace("{ n: 1 }", "{ within: 1s }"));
    TestService.declare(home, "stale", """
        mode: mutate
        controls: { lock: gate }
        approve: { valid: 1s }
        steps: [{ name: act, run: ["bin/act.sh"] }]
        """);
    call("POST", "/locks/gate", "{\"request_id\":\"first\"}");
    Await.until("the intents are read", () -> call("GET", "/intents/stale", "").text("name").isPresent());
    call("POST", "/intents/late", "{\"request_id\":\"late\",\"params\":{\"app\":\"a\",\"pw\":\"b\"}}");
    vote("stale", call("POST", "/intents/stale",
        "{\"request_id\":\"stale\",\"wait_seconds\":600}"));
    Await.kill(service);
    assertThat(tower.tower("force-release", "gate", "--reason", "its service is gone").exit()).isZero();
    service = start("second");
    for (String id : List.of("late", "stale")) {
      Await.until("the end of " + id, () -> call("GET", "/runs/" + id, "").text("finished_at").isPresent());
      JsonObject run = call("GET", "/runs/" + id, "");
      assertThat(run.text("status")).as(run.raw()).contains("refused");
      assertThat(run.text("error")).contains("approval_expired");
    }
    assertThat(TestFiles.text(strace.trace())).contains("execve(").doesNotContain("bin/act.sh");
  }

  private String status() {
    return call("GET", "/runs/r1", "").requiredText("status");
  }

  /** Votes as somebody else than the requester. */
  private void vote(String id, JsonObject asked) {
    String hash = asked.object("approval").orElseThrow(() -> new AssertionError(asked.raw())).requiredText("plan_hash");
    Installation.Result voter = tower.tower("token", "create", "bob", "--role", "viewer", "--approve", "*");
    String requester = token;
    token = voter.out().strip();
    assertThat(call("POST", "/approvals/" + id + "/votes", "{\"decision\":\"approve\",\"plan_hash\":\"" + hash + "\"}")
        .text("error")).isEmpty();
    token = requester;
  }

  private JsonObject call(String method, String path, String body) {
    try {
      return JsonReader.readObject(http.send(HttpRequest.newBuilder(URI.create(url + path))
          .header("Authorization", "Bearer " + token).header("Content-Type", "application/json")
          .header("Prefer", "respond-async")
          .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body)).build(),
          BodyHandlers.ofString()).body());
    } catch (IOException | JsonException e) {
      throw new AssertionError(method + " " + path, e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
