package fleet.tower.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.fleet.ServiceFleet.Host;
import fleet.tower.harness.Await;
import fleet.tower.harness.Extent;
import fleet.tower.harness.Installation;
import fleet.tower.harness.Strace;
import fleet.tower.harness.TestFiles;
import fleet.tower.lock.ConcurrentCalls;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.service.config.TestService;

@DisplayName("Two voters race for the last vote at two services, and one service is killed meanwhile")
class LastVoteTest {
  private static final int ROUNDS = Extent.of(2, 10, 200);
  private static final long SEED = Long.getLong("fleet.seed", 20261128);
  private static final String CALLS = "read,write,sendto,recvfrom,sendmsg,recvmsg,pwrite64,fdatasync,openat";
  private static final int MOST_CALLS = 40;
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(20);

  @AutoClose
  private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Random random = new Random(SEED);
  private final Map<String, String> tokens = new HashMap<>();
  private final Map<String, Integer> ends = new TreeMap<>();
  private int kills;

  @TempDir
  private Path temp = Path.of("not-yet");

  private void prepare(Path home) {
    TestService.declare(home, "gate", """
        mode: observe
        approve: { n: 2 }
        steps: [{ name: note, script: 'echo "$TOWER_REQUEST_ID" >>BEGUN' }]
        """.replace("BEGUN", begun().toString()));
  }

  private Path begun() {
    return temp.resolve("begun");
  }

  private long begun(String id) {
    return TestFiles.textIfAny(begun()).lines().filter(id::equals).count();
  }

  private void createToken(Host host, String name, String... more) {
    List<String> line = new ArrayList<>(List.of("token", "create", name));
    line.addAll(List.of(more));
    Installation.Result created = host.tower().tower(line.toArray(String[]::new));
    assertThat(created.exit()).as(created.err()).isZero();
    tokens.put(name, created.out().strip());
  }

  @Test
  @Timeout(7200)
  @DisplayName("Each request begins at most once, only with all votes, and none is lost")
  void killed() throws Exception {
    try (ServiceFleet fleet = new ServiceFleet(temp, SEED,
        Collections.nCopies(2, PostgresServer.newDatabase()), this::prepare)) {
      Host victim = fleet.hosts().getFirst();
      Host other = fleet.hosts().getLast();
      createToken(other, "claude", "--role", "agent", "--intents", "gate");
      for (String voter : List.of("ada", "bob", "carol")) {
        createToken(other, voter, "--role", "viewer", "--approve", "*");
      }
      for (int round = 0; round < ROUNDS; round++) {
        round("vote-" + round, victim, other);
      }
    }
    System.out.println(ROUNDS + " races for the last vote, " + kills + " kills before both were answered, " + ends);
    assertThat(kills).isGreaterThanOrEqualTo(ROUNDS / 10);
  }

  private void round(String id, Host victim, Host other) throws Exception {
    JsonObject asked = JsonReader.readObject(answer(other, "claude", "POST", "/intents/gate",
        "{\"request_id\":\"" + id + "\"}"));
    assertThat(asked.text("status")).as(asked.raw()).contains("awaiting_approval");
    String hash = asked.object("approval").orElseThrow().requiredText("plan_hash");
    assertThat(vote(other, "ada", id, hash)).isTrue();
    Process strace = new Strace(temp.resolve("trace-" + id)).killAt(victim.process().pid(), CALLS,
        1 + random.nextInt(MOST_CALLS));
    List<Boolean> answered;
    try {
      answered = ConcurrentCalls.call(List.of(() -> vote(victim, "bob", id, hash),
          () -> vote(other, "carol", id, hash)));
    } finally {
      Await.kill(strace);
    }
    assertThat(answered.getLast()).as("the service that lives answers").isTrue();
    if (!answered.getFirst()) {
      kills++;
      victim.kill();
      victim.start();
      vote(victim, "bob", id, hash);
    }
    judge(id, other);
  }

  private void judge(String id, Host other) {
    Await.until("the end of " + id, () -> get(other, "/runs/" + id).text("finished_at").isPresent());
    String status = get(other, "/runs/" + id).requiredText("status");
    ends.merge(status, 1, Integer::sum);
    assertThat(status).isIn("succeeded", "interrupted");
    assertThat(begun(id)).isBetween(status.equals("succeeded") ? 1L : 0L, 1L);
    JsonObject approval = get(other, "/approvals/" + id);
    assertThat(approval.text("state")).contains("approved");
    assertThat(approval.items("votes").stream().map(vote -> ((JsonObject) vote).requiredText("principal")))
        .hasSizeGreaterThanOrEqualTo(2).doesNotHaveDuplicates();
  }

  private JsonObject get(Host host, String path) {
    try {
      return JsonReader.readObject(answer(host, "ada", "GET", path, ""));
    } catch (IOException | JsonException e) {
      throw new AssertionError(e);
    }
  }

  /** Votes for a run; false if there was no answer. */
  private boolean vote(Host host, String voter, String id, String hash) {
    try {
      answer(host, voter, "POST", "/approvals/" + id + "/votes",
          "{\"decision\":\"approve\",\"plan_hash\":\"" + hash + "\"}");
      return true;
    } catch (IOException killed) {
      return false;
    }
  }

  private String answer(Host host, String as, String method, String path, String body) throws IOException {
    try {
      return http.send(HttpRequest.newBuilder(URI.create(host.url() + path)).timeout(ANSWER_WITHIN)
          .header("Authorization", "Bearer " + tokens.get(as)).header("Content-Type", "application/json")
          .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body)).build(),
          BodyHandlers.ofString()).body();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
