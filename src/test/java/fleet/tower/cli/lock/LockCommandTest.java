package fleet.tower.cli.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.lock.PreviousLock;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.time.Timestamps;

class LockCommandTest {
  private static final Instant LONG_AGO = Instant.parse("2026-01-01T10:00:00Z");
  private final TestHome home;

  LockCommandTest(@TempDir Path directory) {
    home = new TestHome(directory.resolve("home"));
  }

  @Test
  @DisplayName("TF-4.1 an absent lock is created: its id on stdout, a sentence on stderr, the file, one event")
  void acquires() {
    Outcome outcome = home
        .tower("lock prod --ttl 90s --request-id req_1 --intent deploy --intent-version 1.2.0 --pid 7");

    JsonObject lock = TestHome.json(home.lockText("prod"));
    String created = lock.text("created_at").orElseThrow();
    String expires = Timestamps.format(Timestamps.parse(created).orElseThrow().plusSeconds(90));
    assertThat(outcome).isEqualTo(new Outcome(0, "req_1\n",
        "lock prod acquired, fencing token 1, until " + expires + " unless renewed\n"));
    assertThat(home.lockText("prod")).isEqualTo("""
        {
          "lock_version": "v1",
          "lock_name": "prod",
          "request_id": "req_1",
          "actor": "alice",
          "intent": "deploy",
          "intent_version": "1.2.0",
          "host_id": "tower-01",
          "pid": 7,
          "created_at": "%s",
          "last_heartbeat_at": "%s",
          "ttl_seconds": 90,
          "metadata": {"fencing_token":1}
        }
        """.formatted(created, created));
    assertThat(home.audit()).satisfiesExactly(
        acquired -> assertThat(acquired)
            .isEqualTo("{\"event\":\"lock_acquired\",\"request_id\":\"req_1\",\"timestamp\":\""
                + created + "\",\"lock_name\":\"prod\",\"lock_path\":\"" + home.lockFile("prod")
                + "\",\"ttl_seconds\":90}"),
        actor -> assertThat(actor)
            .matches("\\{\"event\":\"lock_actor\",\"request_id\":\"req_1\",\"timestamp\":\"" + created
                + "\",\"lock_name\":\"prod\",\"of\":\"lock_acquired\",\"actor\":\"[^\"]+\",\"door\":\"cli\","
                + "\"intent\":\"[^\"]+\",\"host_id\":\"tower-01\",\"pid\":\\d+}"));
  }

  @Test
  @DisplayName("TF-3.2 without --ttl a lock has 900 s; without an id a new one is generated and printed")
  void defaults() {
    Outcome outcome = home.tower("lock prod --json");

    JsonObject data = outcome.data();
    assertThat(outcome.exit()).isZero();
    assertThat(outcome.err()).isEmpty();
    assertThat(outcome.out())
        .startsWith("{\"schema_version\":\"v1\",\"success\":true,\"data\":{\"lock_version\":\"v1\"");
    assertThat(data.members().keySet()).containsExactly("lock_version", "lock_name", "request_id", "actor", "intent",
        "intent_version", "host_id", "pid", "created_at", "last_heartbeat_at", "ttl_seconds", "metadata",
        "fencing_token", "expires_at", "already_held", "stolen");
    assertThat(data.integer("ttl_seconds")).hasValue(900);
    assertThat(data.text("request_id")).get().asString().matches("req_[0-9a-f]{24}");
    assertThat(data.integer("pid")).hasValue(ProcessHandle.current().pid());
    assertThat(data.raw()).contains("\"intent\":\"manual\",\"intent_version\":\"none\"",
        "\"already_held\":false,\"stolen\":false");
  }

  @ParameterizedTest
  @ValueSource(strings = {"lock prod --json", "lock prod --force-lock --json", "lock --force --json prod"})
  @DisplayName("LK-21 TF-4.4 TF-7.2 TF-A21 an active lock blocks every request, force or not, with the "
      + "specification's answer")
  void blocks(String line) {
    String now = Timestamps.format(TestHome.now());
    home.foreignLock("prod", Timestamps.parse(now).orElseThrow(), 900);
    String before = home.lockText("prod");

    Outcome outcome = home.tower(line);

    assertThat(outcome.exit()).isEqualTo(2);
    assertThat(outcome.err()).isEmpty();
    assertThat(outcome.errorCode()).isEqualTo("lock_blocked");
    assertThat(outcome.context().raw()).isEqualTo("{\"error\":\"lock_blocked\",\"lock_name\":\"prod\",\"held_by\":{"
        + "\"request_id\":\"req_old123\",\"actor\":\"claude-code\",\"intent\":\"deploy-app\",\"created_at\":\"" + now
        + "\",\"last_heartbeat_at\":\"" + now + "\",\"host_id\":\"tower-02\",\"pid\":12345},"
        + "\"suggestion\":\"Wait for completion or use --force-lock if stale\"}");
    assertThat(outcome.json().text("suggested_action"))
        .hasValue(
            "wait for it: tower lock prod" + line.replaceAll("^lock|prod", "").replaceAll(" +", " ").stripTrailing()
                + " --wait 10m");
    assertThat(home.lockText("prod")).isEqualTo(before);
    assertThat(home.events()).containsExactly("lock_blocked");
  }

  @Test
  @DisplayName("LK-22 TF-4.4 a blocked caller sees the holder and the next step")
  void blocksInWords() {
    home.foreignLock("prod", TestHome.now(), 900);

    Outcome outcome = home.tower("lock prod");

    assertThat(outcome.exit()).isEqualTo(2);
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err())
        .matches("tower: lock prod is held by claude-code on tower-02 \\(intent deploy-app, request"
            + " req_old123\\) for \\d+s, last heartbeat \\d+s ago\n  wait for it: tower lock prod --wait 10m\n");
  }

  @Test
  @DisplayName("TF-6.3 TF-A33 a stale lock needs force: exit 5, the specification's answer, nothing changed")
  void refusesStale() {
    home.foreignLock("prod", LONG_AGO, 900);
    String before = home.lockText("prod");
    long begun = TestHome.now().getEpochSecond();

    Outcome outcome = home.tower("lock prod --json");

    long age = outcome.context().integer("age_seconds").orElse(-1);
    assertThat(age).isBetween(begun - LONG_AGO.getEpochSecond(),
        TestHome.now().getEpochSecond() - LONG_AGO.getEpochSecond());
    assertThat(outcome.exit()).isEqualTo(5);
    assertThat(outcome.errorCode()).isEqualTo("lock_stale");
    assertThat(outcome.context().raw()).isEqualTo("{\"error\":\"lock_stale\",\"lock_name\":\"prod\","
        + "\"stale_since\":\"2026-01-01T10:15:00Z\",\"age_seconds\":" + age + ",\"ttl_seconds\":900,\"held_by\":{"
        + "\"request_id\":\"req_old123\",\"actor\":\"claude-code\",\"intent\":\"deploy-app\","
        + "\"created_at\":\"2026-01-01T10:00:00Z\",\"last_heartbeat_at\":\"2026-01-01T10:00:00Z\","
        + "\"host_id\":\"tower-02\",\"pid\":12345},"
        + "\"suggestion\":\"Use --force-lock to acquire (stale lock will be logged)\"}");
    assertThat(home.lockText("prod")).isEqualTo(before);
    assertThat(home.events()).containsExactly("lock_blocked");
    assertThat(home.tower("lock prod").err()).contains("lock prod is stale: held by claude-code on tower-02",
        "take it, if its holder is really gone: tower lock prod --force-lock");
  }

  @ParameterizedTest
  @CsvSource({"--force-lock", "--force"})
  @DisplayName("TF-6.4 TF-7.3 TF-A9 TF-A20 with force a stale lock is taken: lock_stolen, then lock_acquired")
  void steals(String force) {
    home.foreignLock("prod", LONG_AGO, 900);
    String hash = PreviousLock.of(null, home.lockText("prod").getBytes(java.nio.charset.StandardCharsets.UTF_8)).hash();

    Outcome outcome = home.run("lock", "prod", force, "--request-id", "req_new");

    JsonObject lock = TestHome.json(home.lockText("prod"));
    assertThat(outcome.exit()).isZero();
    assertThat(outcome.out()).isEqualTo("req_new\n");
    assertThat(outcome.err()).startsWith("lock prod was taken from claude-code on tower-02 (intent deploy-app, request"
        + " req_old123), last alive 2026-01-01T10:00:00Z\nlock prod acquired, fencing token 1, until ");
    assertThat(lock.text("request_id")).hasValue("req_new");
    assertThat(home.events()).containsExactly("lock_stolen", "lock_actor", "lock_acquired", "lock_actor");
    assertThat(home.audit().getFirst())
        .isEqualTo("{\"event\":\"lock_stolen\",\"request_id\":\"req_new\",\"timestamp\":\""
            + lock.text("created_at").orElseThrow() + "\",\"lock_name\":\"prod\",\"previous_lock\":{"
            + "\"request_id\":\"req_old123\",\"actor\":\"claude-code\",\"intent\":\"deploy-app\","
            + "\"created_at\":\"2026-01-01T10:00:00Z\",\"last_heartbeat_at\":\"2026-01-01T10:00:00Z\","
            + "\"host_id\":\"tower-02\",\"pid\":12345},\"previous_lock_hash\":\"" + hash
            + "\",\"reason\":\"stale_lock_forced\"}");
  }

  @Test
  @DisplayName("TF-A21 force on a free name is a plain acquisition")
  void forceWithoutNeed() {
    assertThat(home.tower("lock prod --force-lock --json").data().raw()).contains("\"stolen\":false");
    assertThat(home.events()).containsExactly("lock_acquired", "lock_actor");
  }

  @Test
  @DisplayName("LK-23 TF-A17 a repeated request keeps the lock and its first ttl, and adds no event")
  void keeps() {
    home.tower("lock prod --request-id req_1 --ttl 60s");
    JsonObject first = TestHome.json(home.lockText("prod"));

    Outcome again = home.tower("lock prod --request-id req_1 --ttl 5m --json");
    Outcome words = home.tower("lock prod --request-id req_1");

    JsonObject lock = TestHome.json(home.lockText("prod"));
    assertThat(again.exit()).isZero();
    assertThat(again.data().raw()).contains("\"already_held\":true,\"stolen\":false", "\"fencing_token\":1");
    assertThat(words.out()).isEqualTo("req_1\n");
    assertThat(words.err()).startsWith("lock prod is already held, fencing token 1, until ");
    assertThat(lock.text("created_at")).isEqualTo(first.text("created_at"));
    assertThat(lock.integer("ttl_seconds")).hasValue(60);
    assertThat(home.events()).containsExactly("lock_acquired", "lock_actor");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"garbage | lock_corrupt", "'' | lock_corrupt",
      "{\"lock_version\":\"v2\"} | unsupported_lock_version"})
  @DisplayName("TF-B4 an unreadable lock is never taken, force or not, and stays unchanged")
  void refusesUnreadable(String content, String code) throws Exception {
    home.rawLock("prod", content);

    Outcome outcome = home.tower("lock prod --force-lock --json");

    assertThat(outcome.exit()).isEqualTo(1);
    assertThat(outcome.errorCode()).isEqualTo(code);
    assertThat(outcome.context().text("error")).hasValue(code);
    assertThat(outcome.json().text("suggested_action")).hasValue("see who holds it, and until when: tower why prod");
    assertThat(outcome.json().objects("next_actions")).extracting(action -> action.text("command").orElse(""))
        .containsExactly("tower why prod", "tower force-release prod --reason '"
            + (code.equals("lock_corrupt") ? "the lock cannot be read" : "version v2 is not supported") + "'");
    assertThat(Files.readString(home.lockFile("prod"))).isEqualTo(content);
    assertThat(home.events()).containsExactly("lock_blocked");
  }

  @Test
  @DisplayName("The fencing token grows with each lock, even across releases")
  void tokensGrow() {
    for (int token = 1; token <= 3; token++) {
      assertThat(home.tower("lock prod --request-id r --json").data().integer("fencing_token")).hasValue(token);
      assertThat(home.tower("unlock prod --request-id r").exit()).isZero();
    }
  }

  @Test
  @DisplayName("LK-15 The actor is --actor, or else TOWER_ACTOR, or else the user; the host is TOWER_HOST_ID, or else "
      + "the host name")
  void holder() {
    String user = System.getProperty("user.name");
    assertThat(home.tower("lock a --actor bob --json").data().raw()).contains("\"actor\":\"bob\"",
        "\"host_id\":\"tower-01\"");
    assertThat(home.tower("lock b --json").data().text("actor")).hasValue("alice");
    home.with("TOWER_ACTOR", "").with("TOWER_HOST_ID", "");
    assertThat(home.tower("lock c --json").data().text("actor")).hasValue(user);
    assertThat(home.tower("locks c --json").data().text("host_id")).get().asString().isNotBlank()
        .isNotEqualTo("tower-01");
  }
}
