package fleet.tower.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.harness.Await;
import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;

@DisplayName("tower run and tower plan, on the files of a home")
class RunCommandTest {
  private static final Path SAMPLES = Path.of(System.getProperty("project.basedir", "."), "intents");

  @TempDir
  Path directory;

  private TestHome home;

  @BeforeEach
  void samples() throws Exception {
    home = new TestHome(directory.resolve("home"));
    Files.createDirectories(home.root().resolve("intents"));
    try (var files = Files.list(SAMPLES)) {
      for (Path file : files.filter(it -> it.toString().endsWith(".yaml")).toList()) {
        Files.copy(file, home.root().resolve("intents").resolve(file.getFileName()));
      }
    }
  }

  private void intent(String name, String spec) throws Exception {
    Files.writeString(home.root().resolve("intents").resolve(name + ".yaml"), """
        apiVersion: tower-fleet/intent/v1
        kind: Intent
        metadata: { name: %s, version: 1.0.0 }
        spec:
        """.formatted(name) + spec.indent(2));
  }

  /** The messages with ids and times normalized. */
  private static String stable(String words) {
    return words.replaceAll("req_[0-9a-f]{24}", "REQ").replaceAll("\\d+\\.\\d+s", "TIME").replaceAll("/\\S+/logs",
        "HOME/logs");
  }

  @Test
  @DisplayName("A step's output goes to stdout, messages about steps to stderr, and the lock is free at the end")
  void succeeds() {
    Outcome greet = home.run("run", "greet", "-p", "name=you", "--request-id", "req_g1");

    assertThat(greet.exit()).isZero();
    assertThat(greet.out()).isEqualTo("""
        hello you
        a template looks like ${params.name}
        hello you, from alice by greet 1.0.0 (req_g1)
        """);
    assertThat(stable(greet.err())).isEqualTo("""
        tower: step hello started
        tower: step hello succeeded in TIME
        tower: step again started
        tower: step again succeeded in TIME
        tower: run req_g1 succeeded in TIME
        """);
    assertThat(home.tower("locks").out()).isEqualTo("no locks\n");
  }

  @Test
  @DisplayName("A failed step is named, completed steps are rolled back, and the exit code is 1")
  void fails() {
    Outcome deploy = home.tower("run deploy-app -p app=web -p fail_at=check");

    assertThat(deploy.exit()).isEqualTo(1);
    assertThat(stable(deploy.err())).isEqualTo("""
        tower: step prepare started
        tower: step prepare succeeded in TIME
        tower: step write_manifest started
        tower: step write_manifest succeeded in TIME
        tower: step check started
        tower: step check failed with exit code 1 after TIME
        tower: rollback of write_manifest started
        tower: rollback of write_manifest succeeded in TIME
        tower: run REQ failed at step check after TIME
        tower: rolled back
          output of its steps: HOME/logs/runs/REQ
        """);
    assertThat(home.root().resolve("state/demo/staging/web")).doesNotExist();
    assertThat(home.events()).containsExactly("lock_acquired", "lock_actor", "run_started", "lock_released",
        "lock_actor", "run_finished");
    assertThat(home.audit().stream().filter(line -> line.contains("\"door\":\"run\""))).hasSize(4);
  }

  @ParameterizedTest
  @CsvSource({"deploy-app -p app=web, 0", "disk-report, 0", "greet, 0", "move-traffic -p colour=blue, 0",
      "move-traffic -p colour=blue -p broken=true, 1", "rotate-key -p api_key=12345678, 0",
      "slow-import -p seconds=0, 0", "copy-records, 0", "tidy-demo, 0", "word-count, 0"})
  @DisplayName("Every sample intent runs, and ends as intended")
  void samplesRun(String words, int exit) {
    assertThat(home.tower("run " + words).exit()).isEqualTo(exit);
    assertThat(home.tower("locks").out()).isEqualTo("no locks\n");
  }

  @Test
  @DisplayName("TF-4.4 A lock held by another caller rejects the run at once: exit 2, nothing is run or stored")
  void blocked() {
    home.foreignLock("web-staging", TestHome.now(), 900);

    Outcome refused = home.tower("run deploy-app -p app=web");

    assertThat(refused.exit()).isEqualTo(2);
    assertThat(refused.out()).isEmpty();
    assertThat(refused.err()).startsWith("tower: lock web-staging is held by claude-code on tower-02")
        .endsWith("  wait for it: tower run deploy-app -p app=web --wait 10m\n");
    for (String patience : new String[]{"", " --wait 1ms"}) {
      Outcome json = home.tower("run deploy-app -p app=web --json" + patience);
      assertThat(json.errorCode()).isEqualTo(patience.isEmpty() ? "lock_blocked" : "lock_wait_timeout");
      assertThat(json.context().integer("position")).hasValue(1);
      assertThat(json.context().integer("retry_after_seconds")).hasValue(60);
    }
    Outcome inVain = home.tower("run deploy-app -p app=web --wait 100ms");
    assertThat(inVain.exit()).isEqualTo(2);
    assertThat(inVain.err())
        .containsPattern("^tower: waiting for lock web-staging since \\d+s: held by claude-code on tower-02")
        .contains("tower: nothing was run: lock web-staging was not free in time, held by claude-code");
    assertThat(home.root().resolve("state/demo")).doesNotExist();
  }

  @Test
  @DisplayName("A stale lock is exit 5; with --force-lock the run takes it and proceeds")
  void stale() {
    home.foreignLock("web-staging", Instant.parse("2020-01-01T00:00:00Z"), 60);

    Outcome refused = home.tower("run deploy-app -p app=web");
    assertThat(refused.exit()).isEqualTo(5);
    assertThat(refused.err()).endsWith("really gone: tower run deploy-app -p app=web --force-lock\n");

    Outcome forced = home.tower("run deploy-app -p app=web --force-lock --json");
    assertThat(forced.exit()).isZero();
    assertThat(forced.data().object("lock").orElseThrow().raw()).contains("\"stolen\":true");
    assertThat(home.events()).contains("lock_stolen");
  }

  @Test
  @DisplayName("All invalid parameters are reported at once, exit 64; an unknown intent is exit 3")
  void invalidParameters() {
    Outcome bad = home.tower("run deploy-app -p app=Web -p replicas=99 -p x=1");

    assertThat(bad).isEqualTo(new Outcome(64, "", """
        tower: 3 parameters are invalid
          see the parameters of deploy-app: tower intents deploy-app
          app must match [a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?, not 'Web'
          replicas must be at most 50, not '99'
          x unknown parameter; the intent has app, environment, replicas, fail_at
        """));
    assertThat(home.tower("run deploy-ap")).isEqualTo(
        new Outcome(3, "", "tower: there is no intent \"deploy-ap\"\n  did you mean deploy-app?\n"));
    assertThat(home.tower("run deploy-app -p app").err()).startsWith("tower: -p 'app' is not NAME=VALUE\n");
    assertThat(home.tower("run deploy-app -p app=a -p app=b").err()).startsWith("tower: -p app is given twice\n");
    assertThat(home.tower("run deploy-app --wait 2h -p app=a").exit()).isEqualTo(64);
    assertThat(home.root().resolve("state/tower.db")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '~', value = {"; rm -rf /", "$(id)", "`id`", "--help", "a=b=c", "~ a~",
      "'\"", "~line\nline~", "~~"})
  @DisplayName("A value arrives unchanged, also one that a shell would interpret")
  void literally(String value) throws Exception {
    intent("show", """
        mode: observe
        params: { text: { type: string, required: true } }
        steps:
          - name: show
            run: [printf, "<%s>\\n", "${params.text}"]
        """);

    assertThat(home.run("run", "show", "-p", "text=" + value).out()).isEqualTo("<" + value + ">\n");
  }

  @Test
  @DisplayName("A parameters file has JSON's types, yields to the command line, and must be a JSON object")
  void paramsFile() throws Exception {
    Path file = Files.writeString(directory.resolve("p.json"),
        "{\"app\":\"web\",\"replicas\":7,\"environment\":\"x\"}");

    Outcome plan = home.run("plan", "deploy-app", "--params-file", file.toString(), "-p", "environment=production");
    assertThat(plan.exit()).isZero();
    assertThat(plan.out()).contains("lock      web-production: free\n");

    Files.writeString(file, "{\"app\":\"web\",\"replicas\":\"7\"}");
    assertThat(home.run("plan", "deploy-app", "--params-file", file.toString()).err())
        .contains("  replicas must be an integer, written like 42\n");
    Files.writeString(file, "app: web");
    assertThat(home.run("plan", "deploy-app", "--params-file", file.toString()).err())
        .startsWith("tower: --params-file " + file + " is not a JSON object: ");
  }

  @Test
  @DisplayName("A secret reaches the step only: no message and no file of the home has it, in any form")
  void secret() throws Exception {
    String secret = "s3cr3t/+ value&more";
    Path file = Files.writeString(directory.resolve("p.json"), "{\"api_key\":\"" + secret + "\"}");

    Outcome run = home.run("run", "rotate-key", "--params-file", file.toString());
    Outcome json = home.run("run", "rotate-key", "--params-file", file.toString(), "--json");

    assertThat(run.exit()).isZero();
    assertThat(run.out()).isEqualTo("the new key is ***\n");
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
    assertThat(Files.readString(home.root().resolve("state/demo/key.fingerprint")).strip())
        .isEqualTo(HexFormat.of().formatHex(digest, 0, 8));
    for (String form : List.of(secret, Base64.getEncoder().encodeToString(secret.getBytes(StandardCharsets.UTF_8)),
        URLEncoder.encode(secret, StandardCharsets.UTF_8))) {
      assertThat(run.out() + run.err() + json.out() + json.err()).doesNotContain(form);
      try (var files = Files.walk(home.root())) {
        for (Path one : files.filter(Files::isRegularFile).toList()) {
          assertThat(new String(Files.readAllBytes(one), StandardCharsets.ISO_8859_1)).as(one.toString())
              .doesNotContain(form);
        }
      }
    }
    assertThat(home.run("run", "rotate-key", "-p", "api_key=12345678").err())
        .startsWith("tower: warning: secret api_key was given with -p, so every user of this host can see it");
  }

  @Test
  @DisplayName("A script may use all of bash, and so may the rollback of a step; it gets the step's environment and "
      + "timeout, and the plan shows it")
  void scripts() throws Exception {
    intent("switch",
        """
            mode: mutate
            controls: { lock: switch }
            params: { app: { type: string, default: "a b" }, key: { type: string, secret: true, required: true } }
            steps:
              - name: on
                env: { EXTRA: more }
                script: |
                  words=(one "${PARAM_APP}"); echo "${words[1]%b}${words[2]:-none} ${#words[@]} $(( $$ > 1 )) '$${PARAM_APP}'"
                rollback:
                  script: |
                    echo "undo ${0} ${PARAM_APP:?} ${EXTRA^^} ${TOWER_LOCK_TOKEN} ${PARAM_KEY}"
              - name: hang
                run: [bash, -c, exit 3]
                timeout: 1
                rollback: { script: sleep 60 }
              - name: never
                run: ["true"]
                rollback: { run: [echo, never] }
            """);

    Outcome plan = home.tower("plan switch -p key=12345678");
    assertThat(plan.out()).contains("rolled back by\n            echo \"undo ${0} ",
        "rolled back by\n            sleep 60\n",
        "rolled back by\n            echo never\n");
    assertThat(home.tower("plan switch -p key=12345678 --json").data().raw())
        .contains("\"rollback_script\":\"sleep 60\"", "\"rollback\":[\"echo\",\"never\"]");
    Outcome run = home.tower("run switch -p key=12345678");
    assertThat(run.exit()).isEqualTo(1);
    assertThat(run.out()).matches("a none 2 1 '\\d+\\{PARAM_APP}'\nundo on a b MORE 1 \\*+\n");
    assertThat(run.err()).contains("tower: rollback of on succeeded in ")
        .containsPattern("tower: rollback of hang timed out after [1-9]")
        .doesNotContain("rollback of never");
  }

  @Test
  @DisplayName("A repeated --request-id runs nothing, and prints the same and that it was repeated; with other "
      + "parameters it is exit 64")
  void replay() {
    Outcome first = home.tower("run move-traffic -p colour=blue --request-id req_m1");
    Outcome second = home.tower("run move-traffic -p colour=blue --request-id req_m1");

    assertThat(first.exit()).isZero();
    assertThat(second.exit()).isZero();
    assertThat(second.out()).isEqualTo(first.out());
    assertThat(first.err()).startsWith("tower: step ");
    assertThat(second.err())
        .startsWith("tower: run req_m1 was requested before; nothing was started; this is its output\n")
        .contains("tower: run req_m1 ran before: it succeeded at 20");
    assertThat(home.tower("run move-traffic -p colour=blue --request-id req_m1 --json").data().raw())
        .contains("\"replayed\":true");
    assertThat(home.events()).containsExactly("lock_acquired", "lock_actor", "run_started", "lock_released",
        "lock_actor", "run_finished");
    assertThat(home.audit().stream().filter(line -> line.contains("\"door\":\"run\""))).hasSize(4);
    assertThat(home.tower("run move-traffic -p colour=green --request-id req_m1").exit()).isEqualTo(64);
  }

  @Test
  @DisplayName("--json prints the run and nothing else")
  void json() {
    Outcome run = home.tower("run slow-import -p seconds=0 --json");

    assertThat(run.err()).isEmpty();
    assertThat(run.data().text("status")).hasValue("succeeded");
    assertThat(run.data().raw()).contains("\"replayed\":false");
    assertThat(TestHome.texts(run.data(), "steps", "name")).containsExactly("begin", "import");
    assertThat(TestHome.texts(run.data(), "steps", "output_tail").getFirst()).startsWith("importing for 0 s");
  }

  @Test
  @DisplayName("TF-A30 --require-lock rejects a changing intent without a lock, before anything starts; an "
      + "observer runs")
  void requireLock() throws Exception {
    intent("unlocked", """
        mode: reconcile
        steps:
          - name: work
            run: [touch, "%s"]
        """.formatted(home.root().resolve("touched")));
    intent("observer", """
        mode: observe
        steps:
          - name: look
            run: [echo, seen]
        """);

    Outcome refused = home.tower("run unlocked --require-lock --json");

    assertThat(refused.exit()).isEqualTo(64);
    assertThat(refused.errorCode()).isEqualTo("lock_required");
    assertThat(refused.context().text("mode")).hasValue("reconcile");
    assertThat(home.root().resolve("touched")).doesNotExist();
    assertThat(home.tower("run unlocked").exit()).isZero();
    assertThat(home.root().resolve("touched")).exists();
    assertThat(home.tower("run observer --require-lock").exit()).isZero();
    assertThat(home.tower("run slow-import --require-lock -p seconds=0").exit()).isZero();
  }

  @Test
  @DisplayName("A plan has an actor, whose name the lock template may use")
  void planOfAnActor() throws Exception {
    intent("personal", """
        mode: mutate
        controls:
          lock: home-${request.actor}
        steps:
          - name: work
            run: [echo, done]
        """);

    assertThat(home.tower("plan personal --actor ann").out()).contains("lock      home-ann: free\n");
  }

  @Test
  @DisplayName("A plan shows the lock, its state and every command, and changes nothing")
  void plan() {
    home.foreignLock("demo-import", TestHome.now(), 900);
    var before = home.snapshot();

    Outcome plan = home.tower("plan slow-import");

    assertThat(plan.exit()).isZero();
    assertThat(plan.err()).isEmpty();
    assertThat(plan.out().replaceAll("[0-9a-f]{64}", "HASH")).isEqualTo("""
        intent    slow-import 1.0.0, mutate
        lock      demo-import: held
        held by   claude-code on tower-02 (intent deploy-app, request req_old123)
        step      begin, at most 30 s
                    echo 'importing for 1 s under fencing token ${lock.token}'
        step      import, at most 3 s
                    sleep 1
        plan      sha256:HASH
        """);
    assertThat(home.tower("plan slow-import --json").data().text("lock_state")).hasValue("held");
    assertThat(home.snapshot()).isEqualTo(before);
    assertThat(home.tower("plan nothing").exit()).isEqualTo(3);
    assertThat(home.tower("plan deploy-app").exit()).isEqualTo(64);
  }

  @Test
  @DisplayName("A run's id cannot acquire a separate lock: exit 4, no lock, and the next step")
  void idOfARun() throws Exception {
    intent("done", "mode: observe\nsteps: [{ name: one, run: [echo, done] }]\n");
    assertThat(home.tower("run done --request-id r1").exit()).isZero();

    for (String[] command : new String[][]{{"lock", "prod", "--request-id", "r1", "--json"},
        {"lock", "prod", "--request-id", "r1", "--actor", "somebody", "--wait", "1s", "--json"}}) {
      Outcome refused = home.run(command);
      assertThat(refused.exit()).isEqualTo(4);
      assertThat(refused.errorCode()).isEqualTo("lock_of_run");
    }
    Outcome guarded = home.run("guard", "prod", "--request-id", "r1", "--", "touch", directory + "/ran");
    assertThat(guarded.exit()).isEqualTo(75);
    assertThat(guarded.err())
        .startsWith("tower: lock prod is not yours: request id r1 belongs to a run, whose lock only"
            + " its executor holds and releases\n");
    assertThat(directory.resolve("ran")).doesNotExist();
    assertThat(home.lockFile("prod")).doesNotExist();
    assertThat(home.tower("lock prod").exit()).isZero();
  }

  @Test
  @DisplayName("Decision 17 no command uses the lock of a live run by its id, and force-release needs --abandon, which "
      + "stops the run")
  void lockOfALiveRun() throws Exception {
    intent("hold", """
        mode: mutate
        controls: { lock: prod, on_lock_lost: continue }
        steps: [{ name: work, script: "touch begun; sleep 600" }]
        """);
    CompletableFuture<Outcome> run = CompletableFuture
        .supplyAsync(() -> home.run("run", "hold", "--request-id", "r1", "--json"));
    Await.until("the run works", () -> Files.exists(home.root().resolve("begun")));
    String before = home.lockText("prod");

    for (String command : List.of("lock prod", "unlock prod", "unlock prod --actor alice", "heartbeat prod")) {
      Outcome refused = home.tower(command + " --request-id r1 --json");
      assertThat(refused.exit()).isEqualTo(4);
      assertThat(refused.errorCode()).isEqualTo("lock_of_run");
      assertThat(refused.out()).contains("\"command\":\"tower cancel r1\"");
    }
    assertThat(home.run("guard", "prod", "--request-id", "r1", "--", "true").exit()).isEqualTo(75);
    Outcome spared = home.run("force-release", "prod", "--reason", "it hangs", "--json");
    assertThat(spared.exit()).isEqualTo(2);
    assertThat(spared.errorCode()).isEqualTo("run_active");
    assertThat(spared.out()).contains("\"command\":\"tower cancel r1\"");
    assertThat(home.lockText("prod")).isEqualTo(before);

    assertThat(home.run("force-release", "prod", "--reason", "it hangs", "--abandon").exit()).isZero();

    assertThat(home.audit()).anyMatch(line -> line.contains("lock_force_released")
        && line.contains("\"abandoned\":true"));
    assertThat(run).succeedsWithin(Await.LIMIT).extracting(Outcome::exit).isEqualTo(6);
  }
}
