package fleet.tower.audit.jsonl;

import static fleet.tower.lease.Actors.ACTOR;
import static fleet.tower.lease.Actors.ORIGIN;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditTrail;
import fleet.tower.audit.Origin;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Holder;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;

class AuditLinesTest {
  private static final String OLD = "{\"request_id\":\"req_old123\",\"actor\":\"claude-code\",\"intent\":\"deploy-app\","
      + "\"created_at\":\"2025-12-18T10:00:00Z\",\"last_heartbeat_at\":\"2025-12-18T10:15:00Z\","
      + "\"host_id\":\"tower-01\",\"pid\":12345}";

  private static final String BY = ",\"actor\":\"anna\",\"door\":\"cli\"}";

  private static String start(String event) {
    return "{\"event\":\"" + event + "\",\"request_id\":\"req_abc123\",\"timestamp\":\"2025-12-18T10:45:00Z\","
        + "\"lock_name\":\"money-tracker-production\",";
  }

  private static void assertLine(AuditEvent event, String line) {
    assertThat(AuditLines.of(event)).isEqualTo(line);
    assertThat(AuditLines.parse(line)).hasValueSatisfying(entry -> assertThat(entry.timestamp()).isEqualTo(Events.AT));
  }

  @Test
  @DisplayName("WI-17 message_dead and mailbox_purged contain what was removed, why and by whom")
  void mailboxes() {
    assertLine(new AuditEvent.MessageDead(Events.AT, "jobs", "msg_1", 5, "too_many_deliveries", null, null),
        "{\"event\":\"message_dead\",\"timestamp\":\"2025-12-18T10:45:00Z\",\"mailbox\":\"jobs\",\"message_id\":\"msg_1\","
            + "\"delivery_count\":5,\"cause\":\"too_many_deliveries\",\"error\":null}");
    assertLine(new AuditEvent.MailboxPurged(Events.AT, "jobs", true, 2, ORIGIN),
        "{\"event\":\"mailbox_purged\",\"timestamp\":\"2025-12-18T10:45:00Z\",\"mailbox\":\"jobs\","
            + "\"dead\":true,\"messages\":2,\"actor\":\"anna\",\"door\":\"cli\"}");
    assertLine(new AuditEvent.MailboxRevived(Events.AT, "jobs", 1, List.of("msg_1"),
        Origin.of(new Actor("anna", "carol", Door.CONSOLE))),
        "{\"event\":\"mailbox_revived\",\"timestamp\":\"2025-12-18T10:45:00Z\",\"mailbox\":\"jobs\","
            + "\"messages\":1,\"message_ids\":[\"msg_1\"],\"actor\":\"anna\",\"on_behalf_of\":\"carol\","
            + "\"door\":\"console\"}");
  }

  @Test
  @DisplayName("TF-4.3 lock_acquired has exactly the specification's members in its order")
  void acquired() {
    assertLine(new AuditEvent.LockAcquired(Events.REQUEST, Events.AT, Events.NAME, Events.PATH, Ttl.DEFAULT, ORIGIN),
        start("lock_acquired") + "\"lock_path\":\"" + Events.PATH + "\",\"ttl_seconds\":900}");
  }

  @Test
  @DisplayName("TF-7.3 lock_stolen has exactly the specification's members in its order")
  void stolen() {
    assertLine(
        new AuditEvent.LockStolen(Events.REQUEST, Events.AT, Events.NAME, Events.lease(), "sha256:abc123", ORIGIN),
        start("lock_stolen") + "\"previous_lock\":" + OLD
            + ",\"previous_lock_hash\":\"sha256:abc123\",\"reason\":\"stale_lock_forced\"}");
  }

  @Test
  @DisplayName("TF-8.1 TF-8.2 lock_released has exactly the specification's members, failure_step only if a step "
      + "failed")
  void released() {
    assertLine(new AuditEvent.LockReleased(Events.REQUEST, Events.AT, Events.NAME, 900, "success", null, ORIGIN),
        start("lock_released") + "\"held_duration_seconds\":900,\"result\":\"success\"}");
    assertLine(
        new AuditEvent.LockReleased(Events.REQUEST, Events.AT, Events.NAME, 600, "failure", "deploy_manifests", ORIGIN),
        start("lock_released")
            + "\"held_duration_seconds\":600,\"result\":\"failure\",\"failure_step\":\"deploy_manifests\"}");
  }

  @Test
  @DisplayName("TF-8.3 lock_release_failed has exactly the specification's members in its order")
  void releaseFailed() {
    assertLine(
        new AuditEvent.LockReleaseFailed(Events.REQUEST, Events.AT, Events.NAME, Events.PATH,
            "EACCES: permission denied", ORIGIN),
        start("lock_release_failed") + "\"lock_path\":\"" + Events.PATH
            + "\",\"error\":\"EACCES: permission denied\",\"action\":\"manual_cleanup_required\"}");
  }

  @Test
  @DisplayName("TF-A28 heartbeat_failed contains the number of failures, the error, and the last successful heartbeat")
  void heartbeatFailed() {
    assertLine(
        new AuditEvent.HeartbeatFailed(Events.REQUEST, Events.AT, Events.NAME, Events.PATH, 3,
            "ENOSPC: no space left on device", Instant.parse("2025-12-18T10:44:00Z"), ORIGIN),
        start("heartbeat_failed") + "\"lock_path\":\"" + Events.PATH
            + "\",\"consecutive_failures\":3,\"error\":\"ENOSPC: no space left on device\","
            + "\"last_heartbeat_at\":\"2025-12-18T10:44:00Z\"}");
  }

  @Test
  @DisplayName("lock_actor contains the event, its actor, and what the actor works on; unknown members are omitted")
  void actor() {
    Holder holder = Events.lease().holder();
    assertLine(
        new AuditEvent.LockActor(Events.REQUEST, Events.AT, Events.NAME, "lock_acquired",
            Origin.of(new Actor("claude-code", "carol", Door.HTTP), holder)),
        start("lock_actor") + "\"of\":\"lock_acquired\",\"actor\":\"claude-code\",\"on_behalf_of\":\"carol\","
            + "\"door\":\"http\",\"intent\":\"deploy-app\",\"host_id\":\"tower-01\",\"pid\":12345}");
    assertLine(
        new AuditEvent.LockActor(Events.REQUEST, Events.AT, Events.NAME, "lock_released",
            Origin.of(new Actor("anna", null, null))),
        start("lock_actor") + "\"of\":\"lock_released\",\"actor\":\"anna\"}");
  }

  @Test
  @DisplayName("TF-A18 lock_renewed contains how late it was; audit_events_lost the number of lost events")
  void renewedAndLost() {
    assertLine(
        new AuditEvent.LockRenewed(Events.REQUEST, Events.AT, Events.NAME, new FencingToken(6), 100, ORIGIN),
        start("lock_renewed") + "\"fencing_token\":6,\"late_by_seconds\":100" + BY);
    assertLine(new AuditEvent.AuditEventsLost(Events.AT, 7),
        "{\"event\":\"audit_events_lost\",\"timestamp\":\"2025-12-18T10:45:00Z\",\"lost\":7}");
  }

  @Test
  @DisplayName("lock_lost contains the fencing token, the reason, and the new holder if there is one")
  void lost() {
    assertLine(
        new AuditEvent.LockLost(Events.REQUEST, Events.AT, Events.NAME, Events.PATH, new FencingToken(6), "held by X",
            Events.lease(), null, ORIGIN),
        start("lock_lost") + "\"lock_path\":\"" + Events.PATH
            + "\",\"fencing_token\":6,\"reason\":\"held by X\",\"held_by\":" + OLD + BY);
    assertThat(AuditLines.of(new AuditEvent.LockLost(Events.REQUEST, Events.AT, Events.NAME, Events.PATH,
        FencingToken.NONE, "lock is gone", null, null, ORIGIN)))
        .endsWith("\"reason\":\"lock is gone\",\"held_by\":null" + BY);
    assertThat(AuditLines.of(new AuditEvent.LockLost(Events.REQUEST, Events.AT, Events.NAME, Events.PATH,
        FencingToken.NONE, "given up", null, "EIO: input/output error", ORIGIN)))
        .endsWith("\"reason\":\"given up\",\"held_by\":null,\"error\":\"EIO: input/output error\"" + BY);
  }

  @Test
  @DisplayName("TF-A40 lock_force_released contains the actor, the reason, the previous lock and the hash of its bytes")
  void forceReleased() {
    assertLine(
        new AuditEvent.LockForceReleased(Events.REQUEST, Events.AT, Events.NAME, Events.PATH, "host burnt down",
            Events.lease(), "sha256:abc123", false, ORIGIN),
        start("lock_force_released") + "\"lock_path\":\"" + Events.PATH
            + "\",\"reason\":\"host burnt down\",\"previous_lock\":" + OLD
            + ",\"previous_lock_hash\":\"sha256:abc123\"" + BY);
    assertThat(AuditLines.of(new AuditEvent.LockForceReleased(Events.REQUEST, Events.AT, Events.NAME, Events.PATH,
        "it hangs", Events.lease(), "sha256:abc123", true, ORIGIN)))
        .endsWith("\"previous_lock_hash\":\"sha256:abc123\",\"abandoned\":true" + BY);
  }

  @Test
  @DisplayName("lock_blocked contains the error code and the holder")
  void blocked() {
    AuditEvent event = new AuditEvent.LockBlocked(Events.REQUEST, Events.AT, Events.NAME, "lock_stale", Events.lease(),
        ORIGIN);
    assertLine(event, start("lock_blocked") + "\"error\":\"lock_stale\",\"held_by\":" + OLD + BY);
    assertThat(event.isDurable()).isFalse();
  }

  @Test
  @DisplayName("lock_restored contains the path, the token and the holder")
  void restored() {
    assertLine(new AuditEvent.LockRestored(Events.AT, "/locks/x.lock", Events.lease()),
        start("lock_restored").replace(Events.REQUEST.value(), Events.lease().requestId().value())
            + "\"lock_path\":\"/locks/x.lock\",\"fencing_token\":" + Events.lease().token() + ",\"held_by\":" + OLD
            + "}");
  }

  @Test
  @DisplayName("lock_guard_replaced contains the directory")
  void guardReplaced() {
    assertLine(new AuditEvent.LockGuardReplaced(Events.AT, "/root/tower-fleet/logs/locks"),
        "{\"event\":\"lock_guard_replaced\",\"timestamp\":\"2025-12-18T10:45:00Z\","
            + "\"lock_directory\":\"/root/tower-fleet/logs/locks\"}");
  }

  @Test
  @DisplayName("home_moved contains the home and its database")
  void homeMoved() {
    assertLine(new AuditEvent.HomeMoved(Events.AT, "/root/tower-fleet", "postgresql://db/tower", ORIGIN),
        "{\"event\":\"home_moved\",\"timestamp\":\"2025-12-18T10:45:00Z\",\"home\":\"/root/tower-fleet\","
            + "\"to\":\"postgresql://db/tower\"" + BY);
  }

  @Test
  @DisplayName("run_queued, run_started, run_finished, run_cancel_requested and run_skipped contain the actor, the intent, "
      + "the result, and the reason")
  void runs() {
    String start = "\"request_id\":\"" + Events.REQUEST
        + "\",\"timestamp\":\"2025-12-18T10:45:00Z\",\"intent\":\"deploy\"";
    assertLine(
        new AuditEvent.RunStarted(Events.REQUEST, Events.AT, "deploy", "1.2.0", "mutate", Events.NAME,
            new Origin(ACTOR, "deploy", "tower-01", 4711L, null)),
        "{\"event\":\"run_started\"," + start + ",\"lock_name\":\"" + Events.NAME
            + "\",\"intent_version\":\"1.2.0\",\"mode\":\"mutate\",\"actor\":\"anna\",\"door\":\"cli\",\"host_id\":\"tower-01\",\"pid\":4711}");
    assertLine(
        new AuditEvent.RunFinished(Events.REQUEST, Events.AT, "deploy", "failed", "failure", "migrate", "success",
            ORIGIN),
        "{\"event\":\"run_finished\"," + start
            + ",\"status\":\"failed\",\"result\":\"failure\",\"failure_step\":\"migrate\",\"rollback\":\"success\""
            + BY);
    assertLine(new AuditEvent.RunQueued(Events.REQUEST, Events.AT, "deploy", Events.NAME, ORIGIN),
        "{\"event\":\"run_queued\"," + start + ",\"lock_name\":\"" + Events.NAME + "\"" + BY);
    assertLine(new AuditEvent.RunCancelRequested(Events.REQUEST, Events.AT, "deploy", Events.NAME, ORIGIN),
        "{\"event\":\"run_cancel_requested\"," + start + ",\"lock_name\":\"" + Events.NAME + "\"" + BY);
    assertLine(
        new AuditEvent.RunStarted(Events.REQUEST, Events.AT, "deploy", "1.2.0", "mutate", null,
            new Origin(ACTOR, "deploy", "tower-01", 4711L, null).because("INC-7")),
        "{\"event\":\"run_started\"," + start + ",\"intent_version\":\"1.2.0\",\"mode\":\"mutate\",\"actor\":\"anna\","
            + "\"door\":\"cli\",\"host_id\":\"tower-01\",\"pid\":4711,\"reason\":\"INC-7\"}");
    assertLine(new AuditEvent.RunRefused(Events.REQUEST, Events.AT, "deploy", Events.NAME, "window_closed", ORIGIN),
        "{\"event\":\"run_refused\"," + start + ",\"lock_name\":\"" + Events.NAME
            + "\",\"error\":\"window_closed\"" + BY);
    assertLine(new AuditEvent.RunSkipped(Events.REQUEST, Events.AT, "deploy", null, "lock_blocked", ORIGIN),
        "{\"event\":\"run_skipped\"," + start + ",\"reason\":\"lock_blocked\"" + BY);
  }

  @Test
  @DisplayName("A line is parsed to the members that can be queried")
  void parse() {
    String line = AuditLines.of(Events.acquired("req_abc123", Events.AT));
    assertThat(AuditLines.parse(line)).hasValue(
        new AuditTrail.Entry(line, Events.AT, "lock_acquired", "money-tracker-production", "req_abc123"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "torn", "[]", "null", "{\"event\":\"x\"", "{\"event\":\"x\"}",
      "{\"timestamp\":\"2025-12-18T10:45:00Z\"}",
      "{\"event\":1,\"timestamp\":\"2025-12-18T10:45:00Z\"}", "{\"event\":\"x\",\"timestamp\":\"yesterday\"}"})
  @DisplayName("Lines that are not events are skipped")
  void skipped(String line) {
    assertThat(AuditLines.parse(line)).isEmpty();
  }

  @Test
  @DisplayName("An event is one line, whatever the actor's name")
  void oneLine() {
    String line = AuditLines
        .of(new AuditEvent.LockForceReleased(new RequestId("r"), Events.AT, Events.NAME, Events.PATH,
            "\u0000", null, "sha256:0", false,
            Origin.of(new Actor("a\n{\"event\":\"lock_stolen\"}\u2028\u0085\r", Door.CLI))));
    assertThat(line).doesNotContainPattern("[\\p{Cntrl}\u0080-\u009f\u2028\u2029]")
        .contains("\"actor\":\"a\\n{\\\"event\\\":\\\"lock_stolen\\\"}\\u2028\\u0085\\u000d\"");
    assertThat(AuditLines.parse(line).orElseThrow().event()).isEqualTo("lock_force_released");
  }
}
