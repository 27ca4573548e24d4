package fleet.tower.cli.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.lock.PreviousLock;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.time.Timestamps;

class OwnerCommandsTest {
  private static final Instant LONG_AGO = Instant.parse("2026-01-01T10:00:00Z");
  private final TestHome home;

  OwnerCommandsTest(@TempDir Path directory) {
    home = new TestHome(directory.resolve("home"));
  }

  @Test
  @DisplayName("TF-5.4 TF-5.5 a heartbeat changes last_heartbeat_at and no other byte, even of a foreign writer's lock")
  void heartbeat() {
    home.foreignLock("prod", LONG_AGO, 900);
    String before = home.lockText("prod");
    Instant begun = Timestamps.wholeSecond(TestHome.now());

    Outcome outcome = home.tower("heartbeat prod --request-id req_old123");

    String beat = TestHome.json(home.lockText("prod")).text("last_heartbeat_at").orElseThrow();
    assertThat(outcome.exit()).isZero();
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err())
        .matches("tower: warning: lock prod had been stale for \\d+d( \\d+h)?; it was not taken meanwhile\\R"
            + "lock prod renewed until .*Z\\R");
    assertThat(home.lockText("prod")).isEqualTo(before.replace("\"last_heartbeat_at\": \"2026-01-01T10:00:00Z\"",
        "\"last_heartbeat_at\": \"" + beat + "\""));
    assertThat(Timestamps.parse(beat).orElseThrow()).isBetween(begun, TestHome.now());
    assertThat(home.audit()).as("TF-A18").singleElement().asString().contains("\"event\":\"lock_renewed\"",
        "\"late_by_seconds\":").doesNotContain("\"late_by_seconds\":0");
  }

  @Test
  @DisplayName("A timely heartbeat as JSON: the record, its token, its expiry, no delay")
  void heartbeatJson() {
    home.tower("lock prod --request-id r --ttl 60s");

    JsonObject data = home.tower("heartbeat prod --request-id r --token 1 --json").data();

    assertThat(data.integer("late_by_seconds")).hasValue(0);
    assertThat(data.integer("fencing_token")).hasValue(1);
    assertThat(Timestamps.parse(data.text("expires_at").orElseThrow())).isEqualTo(
        data.text("last_heartbeat_at").flatMap(Timestamps::parse).map(beat -> beat.plusSeconds(60)));
  }

  @Test
  @DisplayName("TF-B5 the heartbeat of a missing lock: exit 3, and no lock is created")
  void heartbeatOfNothing() {
    Outcome outcome = home.tower("heartbeat prod --request-id r --json");

    assertThat(outcome.exit()).isEqualTo(3);
    assertThat(outcome.errorCode()).isEqualTo("lock_not_found");
    assertThat(outcome.context().text("lock_name")).hasValue("prod");
    assertThat(home.isUntouched()).isTrue();
  }

  @Test
  @DisplayName("TF-B3 the heartbeat of another actor: exit 4 and the holder; of a former lock: exit 6")
  void heartbeatOfOthers() {
    home.tower("lock prod --request-id r");
    String before = home.lockText("prod");

    Outcome stranger = home.tower("heartbeat prod --request-id other --json");
    Outcome former = home.tower("heartbeat prod --request-id r --token 7 --json");

    assertThat(stranger.exit()).isEqualTo(4);
    assertThat(stranger.errorCode()).isEqualTo("not_lock_owner");
    assertThat(stranger.context().object("held_by").orElseThrow().text("request_id")).hasValue("r");
    assertThat(former.exit()).isEqualTo(6);
    assertThat(former.errorCode()).isEqualTo("lock_lost");
    assertThat(former.context().raw())
        .startsWith("{\"error\":\"lock_lost\",\"lock_name\":\"prod\",\"fencing_token\":1,\"held_by\":{");
    assertThat(home.lockText("prod")).isEqualTo(before);
  }

  @Test
  @DisplayName("TF-3.6 the request id suffices on the home's own files; an actor, if given, must be the holder")
  void actors() {
    home.tower("lock prod --request-id r --actor ann");

    for (String command : List.of("heartbeat", "unlock")) {
      Outcome stranger = home.tower(command + " prod --request-id r --actor bob --json");
      assertThat(stranger.exit()).isEqualTo(4);
      assertThat(stranger.errorCode()).isEqualTo("not_lock_owner");
    }
    assertThat(home.tower("lock prod --request-id r --actor bob --json").errorCode()).isEqualTo("lock_blocked");
    assertThat(home.tower("lock prod --request-id r --actor bob").exit()).isEqualTo(2);
    assertThat(home.tower("lock prod --request-id r --actor ann").exit()).isZero();
    assertThat(home.tower("heartbeat prod --request-id r --actor ann").exit()).isZero();
    assertThat(home.tower("heartbeat prod --request-id r").exit()).isZero();
    assertThat(home.tower("unlock prod --request-id r").exit()).isZero();
  }

  @Test
  @DisplayName("TF-8.1 its owner releases a lock: the file is removed, then the event is written")
  void unlock() {
    home.tower("lock prod --request-id r");

    Outcome outcome = home.tower("unlock prod --request-id r");

    assertThat(outcome.exit()).isZero();
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err()).matches("lock prod released after \\ds\n");
    assertThat(home.lockFile("prod")).doesNotExist();
    assertThat(home.events()).containsExactly("lock_acquired", "lock_actor", "lock_released", "lock_actor");
    assertThat(home.audit().get(2))
        .matches("\\{\"event\":\"lock_released\",\"request_id\":\"r\",\"timestamp\":\".*Z\","
            + "\"lock_name\":\"prod\",\"held_duration_seconds\":\\d,\"result\":\"success\"}");
  }

  @Test
  @DisplayName("The project's script names itself as the origin; no other value is accepted")
  void door() {
    home.with("TOWER_DOOR", "script").tower("lock prod --request-id r");
    home.with("TOWER_DOOR", "console").tower("unlock prod --request-id r");

    assertThat(home.audit().get(1)).contains("\"of\":\"lock_acquired\",\"actor\":\"alice\",\"door\":\"script\"");
    assertThat(home.audit().get(3)).contains("\"of\":\"lock_released\",\"actor\":\"alice\",\"door\":\"cli\"");
  }

  @Test
  @DisplayName("LK-9 every renewal is in the audit log if that is configured, and only then")
  void auditsRenewals() {
    home.tower("lock prod --request-id r");
    home.tower("heartbeat prod --request-id r");
    assertThat(home.events()).doesNotContain("lock_renewed");

    home.with("TOWER_AUDIT_RENEWALS", "true").tower("heartbeat prod --request-id r");

    assertThat(home.audit().getLast()).contains("\"event\":\"lock_renewed\",\"request_id\":\"r\"",
        "\"late_by_seconds\":0,\"actor\":\"alice\",\"door\":\"cli\",\"intent\":\"manual\"");
    assertThat(home.with("TOWER_AUDIT_RENEWALS", "often").tower("heartbeat prod --request-id r").exit()).isEqualTo(64);
  }

  @Test
  @DisplayName("TF-8.2 a failure is recorded with the failed step")
  void unlockAfterFailure() {
    home.tower("lock prod --request-id r");

    Outcome outcome = home.tower("unlock prod --request-id r --result failure --failure-step deploy_manifests --json");

    assertThat(outcome.data().raw())
        .matches("\\{\"lock_name\":\"prod\",\"released\":true,\"held_duration_seconds\":\\d}");
    assertThat(home.audit().get(2)).endsWith("\"result\":\"failure\",\"failure_step\":\"deploy_manifests\"}");
    assertThat(home.tower("unlock prod --request-id r --result broken").err())
        .startsWith("tower: --result must be success, failure or aborted, not 'broken'\n");
  }

  @Test
  @DisplayName("TF-A19 a missing lock: exit 0, a warning, no event, nothing created")
  void unlockNothing() {
    assertThat(home.tower("unlock prod --request-id r")).isEqualTo(
        new Outcome(0, "", "tower: warning: lock prod is not held; nothing was released\n"));
    assertThat(home.tower("unlock prod --request-id r --json")).isEqualTo(new Outcome(0,
        "{\"schema_version\":\"v1\",\"success\":true,\"data\":{\"lock_name\":\"prod\",\"released\":false}}\n", ""));
    assertThat(home.isUntouched()).isTrue();
  }

  @Test
  @DisplayName("TF-A19 TF-10.2 TF-B6 LK-26 another owner's lock is not released: exit 4, file untouched, no event")
  void unlockOthers() {
    home.tower("lock prod --request-id r");
    String before = home.lockText("prod");

    Outcome stranger = home.tower("unlock prod --request-id other");
    Outcome former = home.tower("unlock prod --request-id r --token 9 --json");

    assertThat(stranger.exit()).isEqualTo(4);
    assertThat(stranger.err()).isEqualTo("tower: lock prod is not yours: held by alice on tower-01 (intent manual,"
        + " request r)\n  see who holds it, and until when: tower why prod\n");
    assertThat(former.exit()).isEqualTo(4);
    assertThat(home.lockText("prod")).isEqualTo(before);
    assertThat(home.events()).containsExactly("lock_acquired", "lock_actor");
  }

  @Test
  @DisplayName("TF-A40 TF-11.3 force-release removes any lock and records who, why and the removed lock")
  void forceRelease() {
    home.foreignLock("prod", LONG_AGO, 900);
    String hash = PreviousLock.of(null, home.lockText("prod").getBytes(StandardCharsets.UTF_8)).hash();

    Outcome outcome = home.run("force-release", "prod", "--reason", "host burnt down", "--request-id", "op_1",
        "--actor", "bob", "--json");

    assertThat(outcome.exit()).isZero();
    assertThat(outcome.data().text("previous_lock_hash")).hasValue(hash);
    assertThat(home.lockFile("prod")).doesNotExist();
    assertThat(home.audit()).hasSize(1);
    assertThat(home.audit().getFirst()).startsWith("{\"event\":\"lock_force_released\",\"request_id\":\"op_1\"")
        .endsWith("\"lock_path\":\"" + home.lockFile("prod")
            + "\",\"reason\":\"host burnt down\",\"previous_lock\":{\"request_id\":\"req_old123\","
            + "\"actor\":\"claude-code\",\"intent\":\"deploy-app\",\"created_at\":\"2026-01-01T10:00:00Z\","
            + "\"last_heartbeat_at\":\"2026-01-01T10:00:00Z\",\"host_id\":\"tower-02\",\"pid\":12345},"
            + "\"previous_lock_hash\":\"" + hash + "\",\"actor\":\"bob\",\"door\":\"cli\"}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "garbage", "{\"lock_version\":\"v2\"}"})
  @DisplayName("TF-A40 force-release removes an unreadable lock, and reports a missing one")
  void forceReleaseOfGarbage(String content) {
    home.rawLock("prod", content);

    assertThat(home.run("force-release", "prod", "--reason", "torn")).isEqualTo(
        new Outcome(0, "", "lock prod removed; it was unreadable\n"));
    assertThat(home.audit().getLast()).contains("\"previous_lock\":null,\"previous_lock_hash\":\""
        + PreviousLock.of(null, content.getBytes(StandardCharsets.UTF_8)).hash());
    assertThat(home.run("force-release", "prod", "--reason", "torn", "--json").exit()).isEqualTo(3);
    assertThat(home.events()).containsExactly("lock_force_released");
  }

  @Test
  @DisplayName("force-release requires a reason")
  void forceReleaseWithoutReason() {
    home.tower("lock prod --request-id r");
    assertThat(home.tower("force-release prod").exit()).isEqualTo(64);
    assertThat(home.run("force-release", "prod", "--reason", "  ").exit()).isEqualTo(64);
    assertThat(home.run("force-release", "prod", "--reason", "x".repeat(1001)).exit()).isEqualTo(64);
    assertThat(home.lockFile("prod")).exists();
  }

  @Test
  @DisplayName("fence: exit 0 for the current holder's token, 6 for any other, whatever happened to the lock")
  void fence() throws Exception {
    home.tower("lock prod --request-id r");

    assertThat(home.tower("fence prod --token 1")).isEqualTo(new Outcome(0, "current\n", ""));
    assertThat(home.tower("fence prod --token 2")).isEqualTo(new Outcome(6, "superseded\n", ""));
    assertThat(home.tower("fence prod --token 1 --json").data().raw()).isEqualTo("{\"lock_name\":\"prod\",\"token\":1,"
        + "\"state\":\"current\",\"lock_state\":\"active\",\"fencing_token\":1}");
    home.tower("unlock prod --request-id r");
    home.tower("lock prod --request-id r2");
    assertThat(home.tower("fence prod --token 1").exit()).isEqualTo(6);
    Files.delete(home.lockFile("prod"));
    assertThat(home.tower("fence prod --token 2 --json").data().text("lock_state")).hasValue("free");
    assertThat(home.tower("fence prod").err()).startsWith("tower: --token is required\n  usage: tower fence NAME");
    assertThat(home.tower("fence prod --token x").exit()).isEqualTo(64);
  }
}
