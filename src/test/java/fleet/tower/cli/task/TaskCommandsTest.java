package fleet.tower.cli.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.harness.Await;
import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.service.config.TestService;

class TaskCommandsTest {
  private final TestHome home;

  TaskCommandsTest(@TempDir Path directory) {
    home = new TestHome(directory.resolve("home"));
  }

  private Outcome by(String agent, String request, String line) {
    return home.tower("task " + line + " --agent " + agent + " --request-id " + request);
  }

  private void make(String id, String more) {
    assertThat(by("boss", "make-" + id, "create --id " + id + " title-" + id + more).exit()).isZero();
  }

  private static void expire(TestHome home, String task) {
    Await.until("the claim on " + task + " expires",
        () -> home.tower("task get " + task + " --json").data().get("claim_active") instanceof JsonValue.Bool active
            && !active.value());
  }

  @Test
  @DisplayName("VB-11 VB-12 VB-14 a task is created, listed, claimed, renewed and closed; ids on stdout, "
      + "messages on stderr")
  void lives() {
    Outcome made = home.run("task", "create", "Port the parser", "--description", "all of it", "--priority", "7",
        "--project", "web", "--id", "t1", "--agent", "Boss", "--request-id", "r1");
    assertThat(made).isEqualTo(new Outcome(0, "t1\n", "task t1 created\n"));
    assertThat(home.tower("task list").out().lines()).satisfiesExactly(
        header -> assertThat(header).matches("TASK +STATUS +PRIORITY +PROJECT +CLAIMED BY +UNTIL +ATTEMPT +TITLE"),
        row -> assertThat(row).matches("t1 +pending +7 +web +0 +Port the parser"));

    Outcome claimed = by("Ann", "r2", "claim --ttl 1h");
    assertThat(claimed.exit()).isZero();
    assertThat(claimed.out()).isEqualTo("t1\n");
    assertThat(claimed.err()).matches("task t1 is claimed by ann until \\S+Z \\(attempt 1\\): \"Port the parser\"\n");
    assertThat(by("ann", "r3", "heartbeat t1").err()).startsWith("task t1 is claimed by ann until ");
    assertThat(home.tower("task get t1").out()).startsWith("t1: claimed by ann until ")
        .contains("\n  title       Port the parser\n              all of it\n  priority    7\n  project     web\n")
        .endsWith(" by boss\n");
    Outcome closed = by("ann", "r4", "close t1 --outcome done --reason shipped");
    assertThat(closed).isEqualTo(new Outcome(0, "", "task t1 is completed\n"));

    JsonObject task = home.tower("task get t1 --json").data();
    assertThat(task.text("status")).hasValue("completed");
    assertThat(task.integer("attempt")).hasValue(1);
    assertThat(task.members()).containsKeys("id", "title", "description", "priority", "depends_on", "project",
        "version").doesNotContainKeys("claimed_by", "claimed_at", "claim_expires_at", "last_heartbeat_at");
    assertThat(home.tower("task get t1 --json").json().text("schema_version")).hasValue("v1");
    assertThat(home.tower("task events t1").out().lines().map(line -> line.replaceAll("\\d{4}-\\S+Z", "T")))
        .satisfiesExactly(made1 -> assertThat(made1).startsWith("1  T  task_created by boss"),
            claim -> assertThat(claim).startsWith("2  T  task_claimed (attempt 1) by ann"),
            beat -> assertThat(beat).startsWith("3  T  task_heartbeat (attempt 1) by ann"),
            done -> assertThat(done).startsWith("4  T  task_completed (attempt 1) by ann {\"reason\":\"shipped\""));
    assertThat(home.tower("task events t1 --after 3 --json").data().get("events")).isNotNull();
    assertThat(home.events()).containsExactly("task_claimed", "task_closed");
    assertThat(home.audit().getLast()).contains("\"task_id\":\"t1\"", "\"agent\":\"ann\"", "\"outcome\":\"done\"");
  }

  @Test
  @DisplayName("VB-14 the best task is claimed first: by priority, then age; within a project; dependent tasks "
      + "come later")
  void order() {
    assertThat(by("boss", "bad", "create x --depends-on nowhere --json").errorCode()).isEqualTo("unknown_dependency");
    make("low", "");
    make("old", " --priority 5");
    make("young", " --priority 5 --project web");
    make("later", " --priority 9 --depends-on low");

    assertThat(by("a", "1", "claim").out()).isEqualTo("old\n");
    assertThat(by("b", "1", "claim --project web").out()).isEqualTo("young\n");
    Outcome none = by("b", "2", "claim --project web");
    assertThat(none).isEqualTo(new Outcome(3, "", "no task is available now\n"));
    JsonObject idle = by("b", "3", "claim --project web --json").data();
    assertThat(idle.get("task")).isInstanceOf(JsonValue.Null.class);
    assertThat(idle.integer("event_id")).hasValue(0);
    Outcome unready = by("c", "1", "start later");
    assertThat(unready.exit()).isEqualTo(2);
    assertThat(unready.err())
        .isEqualTo(
            "tower: task later depends on low, which is not completed\n  see what it waits for: tower task get low\n");
    assertThat(by("c", "2", "claim").out()).isEqualTo("low\n");
    by("c", "3", "close low --outcome done");
    assertThat(by("c", "4", "claim").out()).isEqualTo("later\n");
  }

  @Test
  @DisplayName("VB-B8 VB-B10 a rejection names the owner, the expiry and the next command; exit 2, 3, 4, 1")
  void refusals() {
    make("t1", "");
    by("ann", "1", "claim --ttl 10m");

    Outcome held = by("bob", "1", "start t1");
    assertThat(held.exit()).isEqualTo(2);
    assertThat(held.err()).matches(
        """
            tower: task t1 is claimed by ann until (\\S+Z) \\(attempt 1\\)
              claim another task; NEW is an id that you choose: tower task claim --agent bob --request-id NEW
            """);
    Outcome json = by("bob", "1", "start t1 --json");
    assertThat(json.errorCode()).isEqualTo("claim_contention");
    assertThat(json.context().text("current_owner")).hasValue("ann");
    assertThat(json.context().text("requested_by")).hasValue("bob");
    assertThat(json.context().text("claim_expires_at")).isPresent();
    assertThat(json.context().integer("retry_after_seconds").orElseThrow()).isBetween(500L, 600L);
    assertThat(json.json().text("suggested_action").orElseThrow())
        .endsWith("tower task claim --agent bob --request-id NEW");

    Outcome unknown = by("bob", "2", "start nowhere");
    assertThat(unknown)
        .isEqualTo(new Outcome(3, "", "tower: there is no task nowhere\n  list the tasks: tower task list\n"));
    assertThat(home.tower("task get nowhere").exit()).isEqualTo(3);
    assertThat(home.tower("task events nowhere").exit()).isEqualTo(3);
    assertThat(by("bob", "3", "heartbeat t1").exit()).isEqualTo(4);
    assertThat(by("bob", "4", "close t1 --outcome done").exit()).isEqualTo(4);
    assertThat(by("bob", "5", "release t1").exit()).isEqualTo(4);
    assertThat(by("ann", "2", "close t1 --outcome done").exit()).isZero();
    assertThat(by("bob", "6", "start t1").exit()).isEqualTo(1);
    assertThat(by("bob", "7", "create other --id t1 --json").errorCode()).isEqualTo("task_exists");
    assertThat(home.tower("task get t1 --json").data().text("status")).hasValue("completed");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '@', quoteCharacter = '~', value = {
      "task claim --request-id r @ --agent or TOWER_AGENT is required: the agent's name, such as builder-1",
      "task claim --agent a @ --request-id is required: choose an id",
      "task gc --request-id r @ --agent or TOWER_AGENT is required", "task gc --agent a @ --request-id is required",
      "task claim --agent a --request-id r --ttl 500ms @ --ttl must be a time span of whole seconds from 1s to 7d, such as 90s, 15m or 8h, not '500ms'",
      "task claim --agent a --request-id r --ttl 0s @ --ttl must be a time span of whole seconds from 1s to 7d, such as 90s, 15m or 8h, not '0s'",
      "task claim --agent a --request-id ../r @ request id '../r' is not 1 to 128",
      "task claim --agent a,b,c --request-id r extra @ 'extra' is one argument too many",
      "task heartbeat --agent a --request-id r @ TASK is missing",
      "task heartbeat a --id a --agent a --request-id r @ 'a' is one argument too many; TASK is given as --id",
      "task heartbeat a/b --agent a --request-id r @ task id 'a/b' is not 1 to 128",
      "task close t --agent a --request-id r @ --outcome is required: done, or blocked with a --reason",
      "task close t --agent a --request-id r --outcome good @ --outcome must be done or blocked, not 'good'",
      "task create t --agent a --request-id r --priority high @ --priority must be a whole number from -1000000 to 1000000, not 'high'",
      "task create t --agent a --request-id r --priority 9999999 @ --priority must be a whole number from -1000000 to 1000000, not '9999999'",
      "task create t --agent a --request-id r -p a=b @ -p needs an intent; name it with --intent",
      "task start t --agent a --request-id r --attempt 0 @ --attempt must be a whole number from 1 on, not '0'",
      "task list --status open @ --status must be pending, in_progress, completed or blocked, not 'open'",
      "task list --limit 0 @ --limit must be a whole number from 1 to 10000, not '0'",
      "task clam @ there is no command 'task clam'"})
  @DisplayName("VB-5 VB-6 VB-18 VB-B11 a missing or invalid argument is exit 64, and nothing is touched")
  void usage(String line, String message) {
    Outcome outcome = home.tower(line.strip());
    assertThat(outcome.exit()).isEqualTo(64);
    assertThat(outcome.err()).startsWith("tower: " + message.strip());
    assertThat(home.isUntouched()).isTrue();
  }

  @Test
  @DisplayName("VB-18 the agent is --agent, or else TOWER_AGENT, trimmed, in lower case, at most 128 characters long")
  void agents() {
    make("t1", "");
    home.with("TOWER_AGENT", "  Builder-1 ");
    assertThat(home.tower("task claim --request-id r1 --json").data().object("task").orElseThrow().text("claimed_by"))
        .hasValue("builder-1");
    assertThat(by("OTHER", "r1", "start t1 --json").context().text("requested_by")).hasValue("other");
    assertThat(by("a".repeat(129), "r2", "claim").exit()).isEqualTo(64);
    assertThat(by("a".repeat(128), "r2", "claim").exit()).isEqualTo(3);
  }

  @Test
  @DisplayName("VB-17 VB-B4 VB-B5 a repeated request has no second effect and is reported as repeated; with other "
      + "arguments it is rejected")
  void repeated() {
    make("t1", "");
    make("t2", "");
    JsonObject first = by("ann", "r1", "claim --ttl 1m --json").data();
    JsonObject again = by("ann", "r1", "claim --ttl 1m --json").data();
    assertThat(again.raw()).contains("\"replayed\":true", "\"standing\":\"held\"");
    assertThat(first.raw()).contains("\"replayed\":false");
    assertThat(again.integer("event_id")).isEqualTo(first.integer("event_id"));
    assertThat(by("ann", "r1", "claim --ttl 1m").err())
        .endsWith("; this request was repeated; nothing was done again\n");

    assertThat(by("ann", "beat", "heartbeat t1").exit()).isZero();
    Outcome other = by("ann", "beat", "heartbeat t2");
    assertThat(other.exit()).isEqualTo(64);
    assertThat(other.err()).startsWith("tower: request id beat was used before, for heartbeat {\"id\":\"t1\"")
        .contains("use a new request id");
    assertThat(by("ann", "beat", "release t1 --json").errorCode()).isEqualTo("idempotency_mismatch");
    assertThat(by("bob", "beat", "start t2").exit()).isZero();
  }

  @Test
  @DisplayName("VB-B4 a repeated claim or heartbeat after the claim was lost is exit 6, reports the loss, and names "
      + "the owner")
  void replayAfterLoss() {
    make("t1", "");
    by("ann", "r1", "claim --ttl 1s");
    expire(home, "t1");
    assertThat(by("bob", "r1", "claim").out()).isEqualTo("t1\n");

    Outcome lost = by("ann", "r1", "claim --ttl 1s");
    assertThat(lost.exit()).isEqualTo(6);
    assertThat(lost.out()).isEmpty();
    assertThat(lost.err()).matches("""
        tower: warning: task t1 is lost: attempt 1 was yours; now it is claimed by bob until \\S+Z \\(attempt 2\\); \
        stop the work and claim another task; this request was repeated; nothing was done again
        """);
    JsonObject json = by("ann", "r1", "claim --ttl 1s --json").data();
    assertThat(json.raw()).contains("\"replayed\":true", "\"standing\":\"lost\"", "\"claim_attempt\":1");
    assertThat(home.events()).containsExactly("task_claimed", "task_lost", "task_claimed");
    assertThat(home.audit().get(1)).contains("\"agent\":\"ann\"", "\"attempt\":1", "\"actor\":\"bob\"");
  }

  @Test
  @DisplayName("VB-6 VB-B3 an expired claim can neither be renewed nor closed by its agent: exit 6, also with "
      + "the attempt")
  void expired() {
    make("t1", "");
    by("ann", "r1", "claim --ttl 1s");
    expire(home, "t1");

    Outcome late = by("ann", "r2", "heartbeat t1");
    assertThat(late.exit()).isEqualTo(6);
    assertThat(late.err()).startsWith("tower: task t1 is no longer yours: your claim, attempt 1, expired ")
        .contains(
            "\n  stop the work, then claim it again; NEW is an id that you choose: tower task start t1 --agent ann"
                + " --request-id NEW\n");
    assertThat(by("ann", "r3", "close t1 --outcome done --attempt 1").exit()).isEqualTo(6);
    assertThat(home.tower("task list").out()).contains("in_progress,expired");
    assertThat(by("ann", "r4", "claim").exit()).isZero();
    assertThat(by("ann", "r5", "close t1 --outcome done --attempt 1").exit()).isEqualTo(6);
    assertThat(by("ann", "r6", "close t1 --outcome done --attempt 2").exit()).isZero();
  }

  @Test
  @DisplayName("VB-9 VB-24 VB-B11 doctor counts expired claims; gc removes them for an agent and its request, "
      + "with events")
  void sweep() {
    make("t1", "");
    make("t2", "");
    by("ann", "r1", "claim --ttl 1s");
    by("bob", "r1", "claim --ttl 1h");
    expire(home, "t1");

    assertThat(home.tower("doctor").out()).contains("1 expired, and the tasks are not claimed again: t1",
        "tower task gc");
    Outcome swept = by("janitor", "r1", "gc");
    assertThat(swept).isEqualTo(new Outcome(0, "t1\n", "1 expired claim removed\n"));
    assertThat(by("janitor", "r1", "gc --json").data().raw()).contains("\"released\":1", "\"replayed\":true");
    assertThat(by("janitor", "r2", "gc").err()).isEqualTo("no claim has expired\n");
    assertThat(home.tower("task get t1 --json").data().raw()).contains("\"status\":\"pending\"", "\"attempt\":1")
        .doesNotContain("claimed_by");
    assertThat(home.tower("task events t1 --json").data().raw()).contains("\"kind\":\"task_lost\"",
        "\"agent\":\"janitor\"");
    assertThat(home.tower("task list --claimed-by bob --ids").out()).isEqualTo("t2\n");
  }

  @Test
  @DisplayName("VB-20 resume continues the agent's current task, then its assigned tasks, then takes the next one")
  void resumes() {
    make("mine", " --assign ann");
    make("best", " --priority 5");
    make("first", "");

    assertThat(by("ann", "1", "start first").exit()).isZero();
    assertThat(by("ann", "2", "resume").out()).isEqualTo("first\n");
    by("ann", "3", "close first --outcome blocked --reason waiting --attempt 1");
    assertThat(by("ann", "4", "resume").out()).isEqualTo("first\n");
    by("ann", "5", "close first --attempt 2 --outcome blocked --reason failure:broken");
    assertThat(home.tower("task get first").out()).startsWith("first: blocked: failure:broken\n");
    assertThat(by("ann", "6", "resume").out()).isEqualTo("mine\n");
    by("ann", "7", "release mine");
    assertThat(by("ann", "8", "release mine").err())
        .isEqualTo("task mine is not claimed; nothing was released\n");
    assertThat(by("bob", "1", "start mine").exit()).isZero();
    assertThat(by("ann", "9", "resume").out()).isEqualTo("best\n");
    assertThat(by("ann", "10", "resume --attempt 1").out()).isEqualTo("best\n");
    assertThat(by("ann", "11", "resume").out()).isEqualTo("best\n");
    assertThat(by("ann", "12", "start best").out()).isEqualTo("best\n");
    assertThat(by("ann", "13", "heartbeat --id best").err()).startsWith("task best is claimed by ann until ")
        .endsWith(" (attempt 1)\n");
    assertThat(by("ann", "14", "close best --outcome done").exit()).isZero();
    assertThat(home.tower("task get best --json").data().integer("attempt")).hasValue(1);
    assertThat(home.tower("task events best").out()).doesNotContain("task_lost");
  }

  @Test
  @DisplayName("A task for an intent is checked against the intent on creation: its name, its values, and no secret")
  void checksIntents() {
    TestService.declare(home.root(), "deploy", """
        mode: mutate
        params:
          app: { type: string, required: true, pattern: "[a-z]+" }
          replicas: { type: integer, default: 2 }
          key: { type: string, secret: true }
        steps:
          - name: work
            run: [echo, "${params.app}"]
        """);

    assertThat(by("a", "1", "create d --id d --intent deploy -p app=web -p replicas=3").exit()).isZero();
    assertThat(home.tower("task get d --json").data().raw())
        .contains("\"intent\":\"deploy\",\"params\":{\"app\":\"web\",\"replicas\":3}");
    assertThat(home.tower("task get d").out()).contains("  intent      deploy {\"app\":\"web\",\"replicas\":3}\n");
    Outcome unknown = by("a", "2", "create x --intent deploi");
    assertThat(unknown).isEqualTo(new Outcome(3, "", "tower: there is no intent \"deploi\"\n  did you mean deploy?\n"));
    Outcome wrong = by("a", "2", "create x --intent deploy -p app=WEB -p replicas=many -p key=hush");
    assertThat(wrong.exit()).isEqualTo(64);
    assertThat(wrong.err()).contains("  app must match [a-z]+, not 'WEB'", "  replicas must be an integer",
        "  key is a secret, and everyone can see a task").doesNotContain("hush");
    assertThat(home.tower("task list --ids").out()).isEqualTo("d\n");
  }
}
