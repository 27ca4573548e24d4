package fleet.tower.cli.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.harness.Await;
import fleet.tower.harness.TestFiles;
import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.service.config.TestService;

@DisplayName("tower task work")
class WorkCommandTest {
  private final TestHome home;
  private final Path directory;

  WorkCommandTest(@TempDir Path directory) {
    this.directory = directory;
    home = new TestHome(directory.resolve("home")).with("TOWER_AGENT", "worker-1");
    TestService.declare(home.root(), "deploy", """
        mode: mutate
        params:
          app: { type: string, required: true }
          exit: { type: integer, default: 0 }
        controls: { lock: "${params.app}" }
        steps:
          - name: apply
            script: echo "applied $PARAM_APP"; exit "$PARAM_EXIT"
        """);
    TestService.declare(home.root(), "hang", """
        mode: mutate
        steps:
          - name: hang
            script: echo $$ >"$TOWER_HOME/hanging"; sleep 600
        """);
  }

  private void make(String id, String more) {
    assertThat(home.tower("task create title-" + id + " --id " + id + " --request-id make-" + id + more).exit())
        .isZero();
  }

  private JsonObject task(String id) {
    return home.tower("task get " + id + " --json").data();
  }

  @Test
  @DisplayName("VB-25 it claims one task after another, runs its intent with its parameters, and closes it with "
      + "the reason")
  void byIntents() {
    make("good", " --priority 3 --intent deploy -p app=web");
    make("bad", " --priority 2 --intent deploy -p app=api -p exit=3");
    make("bare", " --priority 9");

    Outcome outcome = home.tower("task work");
    assertThat(outcome.exit()).as(outcome.err()).isEqualTo(1);
    assertThat(outcome.out()).isEqualTo("applied web\napplied api\n");
    assertThat(outcome.err()).contains("tower: task good claimed (attempt 1): title-good\n",
        "tower: task good done: run req_", "tower: task bad blocked: failure: run req_",
        "tower: 1 done, 1 blocked\n");
    assertThat(task("bare").integer("attempt")).as("a request for another lock").hasValue(0);
    assertThat(home.tower("task claim --with-intent --request-id r1").out()).isEmpty();
    assertThat(task("good").text("status")).hasValue("completed");
    assertThat(task("bad").text("blocked_reason").orElseThrow())
        .matches("failure: run req_\\w+ failed at step apply .*");
    assertThat(home.tower("task events good --json").out()).contains("\"reason\":\"run req_");
    assertThat(home.audit().stream().filter(line -> line.contains("lock_acquired")).toList().getFirst())
        .contains("\"lock_name\":\"web\"");
    assertThat(home.tower("runs --json").out()).contains("\"task_id\":\"good\"", "\"task_attempt\":\"1\"",
        "\"actor\":\"worker-1\"");
    assertThat(home.tower("task work")).isEqualTo(new Outcome(0, "", "no task is available now\n"));
  }

  @Test
  @DisplayName("VB-25 --once and --max-tasks end it early, --max-fails after that many blocked tasks in a row; JSON "
      + "has each result")
  void limits() {
    for (int i = 0; i < 6; i++) {
      make("t" + i, "");
    }
    assertThat(home.run("task", "work", "--once", "--", "true").exit()).isZero();
    assertThat(task("t0").text("status")).hasValue("completed");
    assertThat(home.tower("task list --status pending --ids").out().lines()).hasSize(5);
    JsonObject json = TestHome.json(home.run("task", "work", "--max-fails", "2", "--json", "--", "false").out().strip())
        .object("data").orElseThrow();
    assertThat(json.integer("blocked")).hasValue(2);
    assertThat(TestHome.texts(json, "tasks", "fate")).containsExactly("blocked", "blocked");
    assertThat(TestHome.texts(json, "tasks", "reason")).containsOnly("failure: false exited with 1");
    Outcome many = home.run("task", "work", "--max-tasks", "2", "--", "false");
    assertThat(many.err()).endsWith("tower: 2 blocked\n");
    Outcome gaveUp = home.run("task", "work", "--max-fails", "1", "--", "false");
    assertThat(gaveUp.exit()).isEqualTo(1);
    assertThat(home.tower("task list --status pending --ids").out()).isEmpty();
  }

  @Test
  @DisplayName("A command finds its task in its environment, and may close the task itself")
  void byCommand() {
    make("t1", "");
    make("t2", "");

    Outcome outcome = home.run("task", "work", "--once", "--", "sh", "-c",
        "echo $TOWER_TASK_ID $TOWER_TASK_ATTEMPT $TOWER_TASK_TITLE $TOWER_AGENT >" + directory.resolve("env"));
    assertThat(outcome.exit()).isZero();
    assertThat(TestHome.text(directory.resolve("env"))).isEqualTo("t1 1 title-t1 worker-1\n");

    CompletableFuture<Outcome> worker = CompletableFuture.supplyAsync(() -> home.run("task", "work", "--",
        "sh", "-c", "touch " + directory.resolve("begun") + "; until [ -e " + directory.resolve("go")
            + " ]; do sleep 0.05; done"));
    Await.until("it works", () -> Files.exists(directory.resolve("begun")));
    assertThat(home.tower("task close t2 --attempt 1 --outcome blocked --reason tired --request-id own").exit())
        .isZero();
    Await.until("heartbeats have come and gone",
        () -> home.tower("task events t2").out().contains("task_blocked"));
    create(directory.resolve("go"));
    assertThat(worker.join().err()).endsWith("tower: task t2 closed by the command\ntower: 1 settled\n");
    assertThat(task("t2").text("blocked_reason")).hasValue("tired");
  }

  private static void create(Path file) {
    try {
      Files.createFile(file);
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  @DisplayName("VB-B2 a task that takes longer than its ttl stays claimed by heartbeats, and no other agent gets it")
  void heartbeats() {
    home.with("TOWER_HEARTBEAT_MAX_INTERVAL", "1s");
    make("t1", "");
    CompletableFuture<Outcome> worker = CompletableFuture.supplyAsync(
        () -> home.run("task", "work", "--ttl", "10s", "--", "sh", "-c", "sleep 11"));
    Await.until("some heartbeats",
        () -> home.tower("task events t1").out().lines().filter(line -> line.contains("task_heartbeat")).count() >= 3);
    assertThat(home.tower("task claim --agent thief --request-id r").out()).isEmpty();

    assertThat(worker.join().exit()).isZero();
    assertThat(task("t1").text("status")).hasValue("completed");
    assertThat(task("t1").integer("attempt")).hasValue(1);
  }

  @ParameterizedTest
  @CsvSource({"intent", "command"})
  @DisplayName("VB-B3 a lost claim ends its work, which no longer changes the task; exit 6")
  void lost(String kind) {
    home.with("TOWER_HEARTBEAT_MAX_INTERVAL", "1s");
    make("t1", kind.equals("intent") ? " --intent hang" : "");
    String[] byIntent = {"task", "work"};
    String[] byCommand = {"task", "work", "--", "sh", "-c",
        "echo $$ >" + home.root().resolve("hanging") + "; sleep 600"};
    CompletableFuture<Outcome> worker = CompletableFuture
        .supplyAsync(() -> home.run(kind.equals("intent") ? byIntent : byCommand));
    Await.until("it works", () -> Files.exists(home.root().resolve("hanging")));

    assertThat(home.tower("task release t1 --request-id takeover").exit()).isZero();
    assertThat(home.tower("task claim --agent thief --request-id theft --ttl 1h").out()).isEqualTo("t1\n");

    Outcome outcome = worker.join();
    assertThat(outcome.exit()).as(outcome.err()).isEqualTo(6);
    assertThat(outcome.err()).contains("tower: task t1 lost: claim, attempt 1, is over")
        .endsWith("tower: 1 lost\n");
    assertThat(task("t1").text("claimed_by")).hasValue("thief");
    assertThat(task("t1").integer("attempt")).hasValue(2);
  }

  @ParameterizedTest
  @CsvSource({"files, worker-1", "files, *", "service, worker-1", "service, operator", "service, alice"})
  @DisplayName("A halt of the level kill that covers the agent or the caller stops the command; the task is released")
  void halted(String door, String actor) {
    try (TestService service = new TestService(home.root())) {
      if (door.equals("service")) {
        home.with("TOWER_URL", service.url()).with("TOWER_TOKEN", service.token());
      }
      make("t1", "");
      Path pid = directory.resolve("pid");
      CompletableFuture<Outcome> worker = CompletableFuture.supplyAsync(
          () -> home.run("task", "work", "--", "sh", "-c", "echo $$ >" + pid + "; exec sleep 600"));
      Await.until("it works", () -> TestFiles.textIfAny(pid).endsWith("\n"));
      assertThat(home.run("halt", "later", "--all", "--level", "drain", "--reason", "later").exit()).isZero();
      assertThat(home.run("halt", "x", "--actor", actor, "--level", "kill", "--reason", "wrong").exit()).isZero();

      Outcome outcome = worker.join();
      assertThat(outcome.exit()).as(outcome.err()).isEqualTo(1);
      assertThat(outcome.err()).contains("tower: task t1 released: halted by ", "(x): wrong\n")
          .endsWith("tower: 1 released\n");
      assertThat(ProcessHandle.of(Long.parseLong(TestHome.text(pid).strip())).filter(ProcessHandle::isAlive)).isEmpty();
      assertThat(task("t1").text("status")).hasValue("pending");
    }
  }

  @Test
  @DisplayName("A command that cannot run blocks no task: the task is released, exit 127")
  void noSuchCommand() {
    make("t1", "");
    Outcome outcome = home.run("task", "work", "--", "/nonexistent/agent");
    assertThat(outcome.exit()).isEqualTo(127);
    assertThat(outcome.err()).contains("tower: task t1 released: cannot run /nonexistent/agent");
    assertThat(task("t1").text("status")).hasValue("pending");
  }

  @Test
  @DisplayName("Through a service, tasks with a command run here; intents run in the service")
  void remote() {
    try (TestService service = new TestService(directory.resolve("service"))) {
      TestHome elsewhere = new TestHome(directory.resolve("elsewhere")).with("TOWER_URL", service.url())
          .with("TOWER_TOKEN", service.token()).with("TOWER_AGENT", "far");
      elsewhere.tower("task create one --id t1 --request-id r1");
      Outcome intents = elsewhere.tower("task work");
      assertThat(intents.exit()).isEqualTo(64);
      assertThat(intents.err()).startsWith("tower: tasks of a service need a command here");
      Outcome outcome = elsewhere.run("task", "work", "--", "sh", "-c", "sleep 0.1");
      assertThat(outcome.exit()).as(outcome.err()).isZero();
      assertThat(service.get("/tasks/t1").body()).contains("\"status\":\"completed\"");
    }
  }

  @ParameterizedTest
  @CsvSource(delimiter = '@', quoteCharacter = '~', value = {
      "task work --max-tasks 0 @ --max-tasks and --max-fails must be 1 or more",
      "task work --once --max-tasks 2 @ --once means --max-tasks 1; give only one of them",
      "task work x @ 'x' is one argument too many", "task work -- @ there is no command after --",
      "task work --ttl 0s @ --ttl must be a time span of whole seconds from 1s to 7d"})
  @DisplayName("An invalid command line is exit 64")
  void usage(String line, String message) {
    Outcome outcome = home.tower(line.strip());
    assertThat(outcome.exit()).isEqualTo(64);
    assertThat(outcome.err()).startsWith("tower: " + message.strip());
  }
}
