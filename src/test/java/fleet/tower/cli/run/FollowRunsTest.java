package fleet.tower.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.web.server.PortInUseException;

import fleet.tower.harness.Await;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.service.config.TestService;

@DisplayName("Following and waiting for runs, on files and through a service")
class FollowRunsTest {
  private final Path directory;
  private final TestHome home;

  FollowRunsTest(@TempDir Path directory) {
    this.directory = directory;
    home = new TestHome(directory.resolve("home"));
  }

  @BeforeEach
  void declare() {
    TestService.declare(home.root(), "talk", """
        mode: mutate
        params: { exit: { type: integer, default: 0 } }
        controls: { lock: talk }
        steps:
          - name: talk
            script: |
              echo begun; touch "$TOWER_HOME/begun"
              until [ -e "$TOWER_HOME/go" ]; do sleep 0.05; done
              echo done; exit "$PARAM_EXIT"
        """);
  }

  private TestHome remote(TestService service) {
    return new TestHome(directory.resolve("elsewhere")).with("TOWER_URL", service.url())
        .with("TOWER_TOKEN", service.token());
  }

  private void letGo() throws IOException {
    Files.writeString(home.root().resolve("go"), "");
  }

  private static String without(String pattern, String text) {
    return text.replaceAll(pattern, "");
  }

  @Test
  @DisplayName("wait exits as tower run does when the run ends, and with 2 when it times out itself; neither affects "
      + "the run")
  void waits() throws Exception {
    try (TestService service = new TestService(home.root())) {
      TestHome remote = remote(service);
      assertThat(remote.tower("run talk --detach --request-id talk-1 -p exit=3").out()).isEqualTo("talk-1\n");
      Await.until("it runs", () -> Files.exists(home.root().resolve("begun")));
      for (TestHome asked : List.of(home, remote)) {
        Outcome late = asked.tower("wait talk-1 --timeout 1s");
        assertThat(late).isEqualTo(new Outcome(2, "", """
            tower: run talk-1 is still running after 1s
              continue waiting: tower wait talk-1, or see its output: tower runs talk-1 --follow
            """));
        Outcome inVain = asked.tower("wait talk-1 --timeout 0 --json");
        assertThat(inVain.errorCode()).isEqualTo("run_wait_timeout");
        assertThat(inVain.out()).contains("\"next_actions\":[{\"command\":\"tower wait talk-1 --timeout 0 --json\","
            + "\"why\":\"wait for it again\"},{\"method\":\"GET\",\"href\":\"/runs/talk-1\","
            + "\"command\":\"tower runs talk-1\",\"why\":\"see its state\"},{\"method\":\"POST\","
            + "\"href\":\"/runs/talk-1/cancel\",");
      }
      CompletableFuture<Outcome> here = CompletableFuture.supplyAsync(() -> home.tower("wait talk-1"));
      CompletableFuture<Outcome> there = CompletableFuture.supplyAsync(() -> remote.tower("wait talk-1 --timeout 1m"));
      letGo();

      for (CompletableFuture<Outcome> waiting : List.of(here, there)) {
        assertThat(waiting.get().exit()).as(waiting.get().err()).isEqualTo(1);
        assertThat(waiting.get().err()).startsWith("tower: run talk-1 failed at step talk after ");
        assertThat(waiting.get().out()).isEmpty();
      }
      assertThat(home.tower("run talk --request-id talk-2").exit()).isZero();
      for (TestHome asked : List.of(home, remote)) {
        assertThat(asked.tower("wait talk-2").exit()).isZero();
        assertThat(asked.tower("wait talk-2 --json").data().text("status")).contains("succeeded");
        assertThat(asked.tower("wait nobody").exit()).isEqualTo(3);
        assertThat(asked.tower("wait talk-2 --timeout soon").exit()).isEqualTo(64);
      }
    }
  }

  @Test
  @DisplayName("If a run is refused after waiting, wait exits with the exit code of that refusal")
  void waitsForRefused() {
    try (TestService service = new TestService(home.root())) {
      assertThat(home.tower("lock talk --request-id gate --ttl 10m").exit()).isZero();
      TestHome remote = remote(service);
      assertThat(remote.tower("run talk --detach --wait 1s --request-id talk-1").exit()).isZero();

      for (TestHome asked : List.of(home, remote)) {
        Outcome outcome = asked.tower("wait talk-1 --json");
        assertThat(outcome.exit()).isEqualTo(2);
        assertThat(outcome.errorCode()).isEqualTo("lock_wait_timeout");
      }
    }
  }

  @Test
  @DisplayName("runs RUN --follow prints from the beginning what tower run prints, and exits as it does")
  void follows() throws Exception {
    try (TestService service = new TestService(home.root())) {
      TestHome remote = remote(service);
      assertThat(home.tower("run talk --detach --request-id talk-1 -p exit=3").exit()).isZero();
      Await.until("it runs", () -> Files.exists(home.root().resolve("begun")));
      CompletableFuture<Outcome> here = CompletableFuture.supplyAsync(() -> home.tower("runs talk-1 --follow"));
      CompletableFuture<Outcome> there = CompletableFuture.supplyAsync(() -> remote.tower("runs talk-1 --follow"));
      letGo();

      for (Outcome outcome : List.of(here.get(), there.get(), home.tower("runs talk-1 --follow"))) {
        assertThat(outcome.exit()).as(outcome.err()).isEqualTo(1);
        assertThat(outcome.out()).isEqualTo("begun\ndone\n");
        assertThat(without(" after \\S+|,? output of its steps.*", outcome.err()))
            .startsWith("""
                tower: step talk started
                tower: step talk failed with exit code 3
                tower: run talk-1 failed at step talk
                """);
      }
      for (TestHome asked : List.of(home, remote)) {
        assertThat(asked.tower("runs talk-1 --follow --json").data().objects("steps").getFirst().text("output_tail"))
            .contains("begun\ndone");
      }
      assertThat(home.tower("runs --follow").err())
          .startsWith("tower: --follow needs a run: tower runs RUN --follow");
      assertThat(home.tower("runs talk-1 --follow --status failed").exit()).isEqualTo(64);
      assertThat(home.tower("runs nobody --follow").exit()).isEqualTo(3);
    }
  }

  @Test
  @DisplayName("A wait and a follower survive a restart of the service")
  @ProofsProfile
  void restarted() throws Exception {
    assertThat(home.tower("lock talk --request-id gate --ttl 10m").exit()).isZero();
    TestService service = new TestService(home.root());
    int port = URI.create(service.url()).getPort();
    TestHome remote = remote(service);
    assertThat(remote.tower("run talk --queue --wait 10m --request-id talk-1").exit()).isZero();
    CompletableFuture<Outcome> waiting = CompletableFuture.supplyAsync(() -> remote.tower("wait talk-1"));
    CompletableFuture<Outcome> following = CompletableFuture.supplyAsync(() -> remote.tower("runs talk-1 --follow"));
    Await.until("the run waits", () -> home.tower("locks talk --json").out().contains("\"waiters\":1"));
    service.close();
    assertThat(waiting.isDone() || following.isDone()).isFalse();

    try (TestService _ = again(port)) {
      letGo();
      assertThat(home.tower("unlock talk --request-id gate").exit()).isZero();
      assertThat(waiting.get().exit()).as(waiting.get().err()).isZero();
      assertThat(following.get().exit()).as(following.get().err()).isZero();
      assertThat(following.get().out()).isEqualTo("begun\ndone\n");
    }
  }

  /** Another process may use the port for a while. */
  private TestService again(int port) {
    List<TestService> started = new ArrayList<>();
    Await.until("a service on port " + port, () -> {
      try {
        return started.add(new TestService(home.root(), "--server.port=" + port));
      } catch (RuntimeException e) {
        if (!isPortTaken(e)) {
          throw e;
        }
        return false;
      }
    });
    return started.getFirst();
  }

  private static boolean isPortTaken(RuntimeException failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof PortInUseException) {
        return true;
      }
    }
    return false;
  }

  @Test
  @DisplayName("run --detach prints the id and how to continue; without a service it says who will start the run")
  void detaches() throws Exception {
    letGo();
    Outcome alone = home.tower("run talk --detach --request-id talk-1");
    String next = "follow it with: tower runs talk-1 --follow, or wait for its end: tower wait talk-1\n";
    assertThat(alone).isEqualTo(new Outcome(0, "talk-1\n", "tower: run talk-1 is queued; " + next
        + "tower: no service has taken it yet; it starts when one of this home has room: tower serve\n"));
    assertThat(home.tower("wait talk-1 --timeout 1s").exit()).isEqualTo(2);
    Outcome again = home.tower("run talk --detach --request-id talk-1 --json");
    assertThat(again.data().raw()).as("U11").contains("\"status\":\"waiting\"",
        "\"next_actions\":[{\"method\":\"GET\",\"href\":\"/runs/talk-1?wait_seconds=60\","
            + "\"command\":\"tower wait talk-1\"",
        "\"tower runs talk-1\"",
        "\"tower cancel talk-1\"");

    try (TestService service = new TestService(home.root())) {
      assertThat(home.tower("wait talk-1").exit()).isZero();
      Outcome served = home.tower("run talk --detach");
      assertThat(served.exit()).isZero();
      assertThat(served.out()).matches("req_[0-9a-f]{24}\n");
      assertThat(served.err()).doesNotContain("no service").endsWith("tower wait " + served.out());
      assertThat(home.tower("wait " + served.out().strip()).exit()).isZero();
      TestHome remote = remote(service);
      Outcome there = remote.tower("run talk --detach");
      assertThat(remote.tower("wait " + there.out().strip()).exit()).as(there.err()).isZero();
      assertThat(remote.tower("run talk --detach --request-id talk-1 --json").json().raw())
          .as("a finished run is replayed").contains("idempotency_mismatch").isNotEmpty();
    }
  }

  private List<String> idsOf(TestHome asked, String line) {
    return asked.tower("runs " + line).out().lines().skip(1).map(row -> row.split(" ", 2)[0]).toList();
  }

  @Test
  @DisplayName("The beginning of an id names a run wherever an id does, if it is long enough and belongs to one run alone")
  void shortIds() throws Exception {
    letGo();
    String one = "req_abcd1111aaaaaaaaaaaaaaaa";
    String two = "req_abcd2222aaaaaaaaaaaaaaaa";
    for (String id : List.of(one, two, "own", "own-2", "req_abcd2")) {
      assertThat(home.tower("run talk --request-id " + id).exit()).isZero();
    }
    try (TestService service = new TestService(home.root())) {
      for (TestHome asked : List.of(home, remote(service))) {
        for (String typed : List.of("req_abcd1", "abcd1", "abcd1111", one)) {
          assertThat(asked.tower("runs " + typed).out()).startsWith(one + ": succeeded");
          assertThat(asked.tower("wait " + typed + " --json").data().text("request_id")).contains(one);
          assertThat(asked.tower("runs " + typed + " --follow").out()).isEqualTo("begun\ndone\n");
          assertThat(asked.tower("cancel " + typed).err()).contains("run " + one + " has");
          assertThat(asked.tower("beat --request-id " + typed).err()).contains("run " + one + " has");
        }
        assertThat(asked.tower("runs own").out()).as("a whole id is never an abbreviation").startsWith("own: ");
        assertThat(asked.tower("runs req_abcd2").out()).startsWith("req_abcd2: ");
        Outcome ambiguous = asked.tower("wait abcd");
        assertThat(ambiguous.exit()).isEqualTo(64);
        assertThat(ambiguous.err()).isEqualTo("tower: several runs have an id that begins with abcd: req_abcd2, "
            + two + ", " + one + "\n  write more of the id\n");
        assertThat(asked.tower("wait abcd --json").errorCode()).isEqualTo("ambiguous_run_id");
        assertThat(asked.tower("runs req_abc").err()).isEqualTo(
            "tower: there is no run req_abc\n  write at least 4 characters after req_; see `tower runs`\n");
        assertThat(asked.tower("runs req_abcx1111aaaaaaaaaaaaaaaa")).isEqualTo(new Outcome(3, "",
            "tower: there is no run req_abcx1111aaaaaaaaaaaaaaaa\n  did you mean " + one + "?\n"));
        assertThat(idsOf(asked, "--limit 9")).containsExactly("req_abcd2", "own-2", "own", "req_abcd2222",
            "req_abcd1111");
      }
    }
  }

  @Test
  @DisplayName("The table of runs has host, lock and duration, and is limited to an actor, a lock and a time")
  void table() throws Exception {
    letGo();
    TestService.declare(home.root(), "look", "mode: observe\nsteps: [{ name: look, run: [\"true\"] }]\n");
    assertThat(home.tower("run talk --request-id r1").exit()).isZero();
    assertThat(home.tower("run look --request-id r2 --actor bob").exit()).isZero();
    try (TestService service = new TestService(home.root())) {
      for (TestHome asked : List.of(home, remote(service))) {
        assertThat(asked.tower("runs").out().lines().findFirst().orElseThrow().split(" {2,}", -1)).containsExactly(
            "RUN", "INTENT", "STATUS", "ACTOR", "HOST", "LOCK", "REQUESTED AT", "DURATION", "FAILED AT");
        assertThat(asked.tower("runs --lock talk").out())
            .containsPattern("r1 +talk +succeeded +alice +tower-01 +talk ");
        assertThat(idsOf(asked, "--lock talk")).containsExactly("r1");
        assertThat(idsOf(asked, "--actor bob")).containsExactly("r2");
        assertThat(idsOf(asked, "--since 1h")).containsExactly("r2", "r1");
        assertThat(asked.tower("runs --since 2100-01-01T00:00:00Z").out()).isEqualTo("no runs\n");
        assertThat(asked.tower("runs --since yesterday").err())
            .startsWith("tower: --since must be a time span before now such as 8h, or a UTC time like ");
        assertThat(asked.tower("runs --lock Prod").exit()).isEqualTo(64);
        assertThat(asked.tower("runs r1 --json").data().text("host_id")).contains("tower-01");
        assertThat(asked.tower("runs r1 --json").data().text("lock_name")).contains("talk");
      }
      assertThat(service.get("/runs?since=yesterday").body()).contains("'since' must be a UTC time like");
      assertThat(service.get("/runs?lock=talk").body()).contains("lock_name");
    }
  }

  @Test
  @DisplayName("GET /runs/{id} with Prefer: wait=N answers when the run has ended, or after N seconds")
  void waitsOverHttp() throws Exception {
    try (TestService service = new TestService(home.root())) {
      assertThat(service.call("POST", "/intents/talk", "{\"request_id\":\"talk-1\"}", "Content-Type",
          "application/json", "Prefer", "respond-async").status()).isEqualTo(202);
      TestService.Answer early = service.call("GET", "/runs/talk-1", "", "Prefer", "wait=1");
      assertThat(early.body()).contains("\"status\":\"running\"");
      assertThat(early.header("Preference-Applied")).isEqualTo("wait=1");
      letGo();
      assertThat(service.call("GET", "/runs/talk-1", "", "Prefer", "wait=60").body())
          .contains("\"status\":\"succeeded\"");
      assertThat(service.call("GET", "/runs/talk-1", "", "Prefer", "wait=ages").status()).isEqualTo(400);
    }
  }

  @Test
  @DisplayName("intents NAME shows the parameters, the usual duration, and an example that works")
  void intentPage() throws Exception {
    TestService.declare(home.root(), "deploy", """
        mode: mutate
        params:
          app: { type: string, required: true, pattern: "[a-z]{3}-\\\\d+", description: The app to deploy }
          environment: { type: string, enum: [staging, "two words"], default: staging }
          replicas: { type: integer, required: true, minimum: 2, maximum: 50 }
          ratio: { type: number, maximum: 0.5 }
          dry: { type: boolean, default: true }
          api_key: { type: string, required: true, secret: true }
        controls: { lock: "${params.app}-lock" }
        steps: [{ name: go, run: [echo, "${params.app}"] }]
        """);
    String example = "printf %s '{\"api_key\":\"example\"}' | tower run deploy -p app=aaa-0 -p replicas=2 --params-file -";
    String page = """
        deploy 1.0.0, mutate: For a test
          lock      ${params.app}-lock
          digest    DIGEST
          PARAMETER    TYPE            REQUIRED  DEFAULT  ALLOWED             DESCRIPTION
          app          string          yes                [a-z]{3}-\\d+        The app to deploy
          environment  string          no        staging  staging, two words
          replicas     integer         yes                2 to 50
          ratio        number          no                 at most 0.5
          dry          boolean         no        true
          api_key      string, secret  yes
          example   %s
        """.formatted(example);
    try (TestService service = new TestService(home.root())) {
      for (TestHome asked : List.of(home, remote(service))) {
        assertThat(asked.tower("intents deploy").out().replaceFirst("digest    [0-9a-f]{64}", "digest    DIGEST"))
            .isEqualTo(page);
        assertThat(asked.tower("intents deploy --json").data().text("example")).contains(example);
        assertThat(asked.tower("intents deploj").exit()).isEqualTo(3);
        assertThat(asked.tower("intents talk").out()).contains("  lock      talk\n", "  example   tower run talk\n");
      }
      assertThat(home.tower("intents deploj").err()).isEqualTo(
          "tower: there is no intent \"deploj\"\n  did you mean deploy?\n");
      Path secrets = Files.writeString(directory.resolve("secrets"), "{\"api_key\":\"example\"}");
      Matcher words = Pattern.compile("tower (run .*) --params-file -").matcher(example);
      assertThat(words.find()).isTrue();
      Outcome run = home.tower(words.group(1) + " --params-file " + secrets);
      assertThat(run.exit()).as(run.err()).isZero();
      assertThat(home.tower("intents deploy").out()).containsPattern("usually {3}takes \\d+\\.\\ds\n");
      assertThat(home.tower("intents deploy --json").data().integer("usual_duration_ms")).isPresent();
    }
  }

  @Test
  @DisplayName("run --wait waits for a flock lock until its holder is done, and names the holder when it times out")
  @ProofsProfile
  void waitsForFlock() throws Exception {
    letGo();
    TestService.declare(home.root(), "backup", """
        mode: mutate
        controls: { lock: backup, exclusive: ["flock:held"] }
        steps: [{ name: go, run: [echo, ran] }]
        """);
    Process holder = new ProcessBuilder("flock", home.root().resolve("held").toString(), "sh", "-c",
        "touch locked; until [ -e free ]; do sleep 0.05; done").directory(home.root().toFile()).start();
    try (TestService service = new TestService(home.root())) {
      Await.until("the tool has its lock", () -> Files.exists(home.root().resolve("locked")));
      TestHome remote = remote(service);
      for (TestHome asked : List.of(home, remote)) {
        Outcome vain = asked.tower("run backup --wait 1s --json");
        assertThat(vain.exit()).isEqualTo(2);
        assertThat(vain.errorCode()).isEqualTo("foreign_lock");
        assertThat(vain.context().raw()).contains("\"foreign_lock\":\"flock:held\"", "\"pid\":");
      }
      assertThat(remote.tower("run backup --wait 1s").err())
          .contains("tower: waiting for foreign lock flock:held: it is held by ");
      CompletableFuture<Outcome> here = CompletableFuture.supplyAsync(() -> home.tower("run backup --wait 1m"));
      Await.until("it holds its own lock while it waits", () -> home.tower("check backup").exit() == 1);
      CompletableFuture<Outcome> next = CompletableFuture.supplyAsync(() -> remote.tower("run backup --wait 1m"));
      Await.until("the next waits in line", () -> home.tower("locks backup --json").out().contains("\"waiters\":1"));
      Files.writeString(home.root().resolve("free"), "");

      assertThat(here.get().exit()).as(here.get().err()).isZero();
      assertThat(here.get().err())
          .containsPattern("tower: waiting for foreign lock flock:held since \\d+s: it is held by ");
      assertThat(next.get().exit()).as(next.get().err()).isZero();
      assertThat(here.get().out()).isEqualTo("ran\n");
    } finally {
      Await.kill(holder);
    }
  }
}
