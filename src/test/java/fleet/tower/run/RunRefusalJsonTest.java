package fleet.tower.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignLockState;
import fleet.tower.foreign.ForeignName;
import fleet.tower.intent.Values;
import fleet.tower.lease.Decision;
import fleet.tower.lease.LeaseName;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;

@DisplayName("The refusal of a run is stored as the JSON that version 0.1.0 writes and reads")
class RunRefusalJsonTest {
  private static final LeaseName LOCK = new LeaseName("prod");
  private static final Instant TEN = Instant.parse("2026-01-01T10:00:00Z");
  private static final Instant ELEVEN = Instant.parse("2026-01-01T11:00:00Z");
  private static final RunRefusal.LockHolder BOB = new RunRefusal.LockHolder("bob-1", "bob", "manual", TEN, ELEVEN,
      "tower-02", 1, false);
  private static final Decision.Frozen FREEZE = new Decision.Frozen("ann", "migration", TEN, ELEVEN);
  private static final String BOBS = "\"held_by\":{\"request_id\":\"bob-1\",\"actor\":\"bob\",\"intent\":\"manual\","
      + "\"created_at\":\"2026-01-01T10:00:00Z\",\"last_heartbeat_at\":\"2026-01-01T11:00:00Z\","
      + "\"host_id\":\"tower-02\",\"pid\":1}";
  private static final String FROZEN = "\"frozen_by\":\"ann\",\"reason\":\"migration\","
      + "\"created_at\":\"2026-01-01T10:00:00Z\",\"expires_at\":\"2026-01-01T11:00:00Z\"";

  static Stream<Arguments> refusals() {
    return Stream.of(
        Arguments.of(new RunRefusal.IntentChanged("deploy", "no such intent"),
            "{\"error\":\"intent_changed\",\"intent\":\"deploy\",\"problem\":\"no such intent\",\"suggestion\":"
                + "\"See the intent as it is now, and request the run again\"}"),
        Arguments.of(new RunRefusal.ApprovalRejected("ada", "not today"),
            "{\"error\":\"approval_rejected\",\"rejected_by\":\"ada\",\"reason\":\"not today\",\"suggestion\":"
                + "\"Ask who rejected it, and request the run again under another id\"}"),
        Arguments.of(new RunRefusal.ApprovalExpired(1, 2),
            "{\"error\":\"approval_expired\",\"have\":1,\"need\":2,\"suggestion\":"
                + "\"Request the run again, and ask for approval\"}"),
        Arguments.of(new RunRefusal.NotAllowed("few", List.of(new Values.Problem("/params/n", "must be at most 10"))),
            "{\"error\":\"params_not_allowed\",\"rule\":\"few\",\"errors\":[{\"pointer\":\"/params/n\",\"message\":"
                + "\"must be at most 10\"}],\"suggestion\":\"give other values, or ask an operator\"}"),
        Arguments.of(new RunRefusal.SecretsLost(List.of("key")),
            "{\"error\":\"secrets_lost\",\"params\":[\"key\"],\"suggestion\":\"Request the run again, and let the "
                + "process that requests it run until it is approved\"}"),
        ofLock(new RunRefusal.TimedOut(new RunRefusal.Blocked(LOCK, BOB)), "lock_wait_timeout", BOBS,
            "Wait longer, or ask its holder"),
        ofLock(new RunRefusal.TimedOut(new RunRefusal.Frozen(LOCK, FREEZE)), "lock_wait_timeout", FROZEN,
            "Wait longer, or ask the owner of the freeze to lift it"),
        ofLock(new RunRefusal.StorageUnavailable(LOCK, "disk full"), "storage_unavailable",
            "\"problem\":\"disk full\"", "See `tower doctor`"),
        ofLock(new RunRefusal.TooManyWaiters(LOCK, 64), "too_many_waiters", "\"waiters\":64",
            "Try again when fewer wait"),
        ofLock(new RunRefusal.Blocked(LOCK, BOB), "lock_blocked", BOBS,
            "Wait for completion or use --force-lock if stale"),
        ofLock(new RunRefusal.Stale(LOCK, BOB, ELEVEN, 1000, 900), "lock_stale",
            "\"stale_since\":\"2026-01-01T11:00:00Z\",\"age_seconds\":1000,\"ttl_seconds\":900," + BOBS,
            "Use --force-lock to acquire (stale lock will be logged)"),
        ofLock(new RunRefusal.Frozen(LOCK, FREEZE), "lock_frozen", FROZEN,
            "Wait until the freeze ends, or ask its owner to lift it"),
        ofLock(new RunRefusal.Unusable(LOCK, new Decision.FrozenUnreadably("/home/prod.freeze", "no JSON")),
            "lock_frozen",
            "\"problem\":\"no JSON\",\"freeze_path\":\"/home/prod.freeze\"",
            "Look at it; if the freeze is not wanted, use unfreeze"),
        ofLock(new RunRefusal.Unusable(LOCK, new Decision.Corrupt("no JSON")), "lock_corrupt",
            "\"problem\":\"no JSON\"",
            "Look at it; if it is not held, use force-release with a reason"),
        ofLock(new RunRefusal.Unusable(LOCK, new Decision.Unsupported("v2")), "unsupported_lock_version",
            "\"lock_version\":\"v2\"",
            "Upgrade this program; or, if it is not held, use force-release with a reason"),
        Arguments.of(foreign(new ForeignLockState.Held(new ForeignLockState.Occupant("vc", 12, "dev-1", TEN))),
            "{\"error\":\"foreign_lock\",\"foreign_lock\":\"beads:/b\",\"holder\":\"vc\",\"held_by\":{\"holder\":"
                + "\"vc\",\"pid\":12,\"hostname\":\"dev-1\",\"started_at\":\"2026-01-01T10:00:00Z\"},\"suggestion\":"
                + "\"Wait until it is released; if its holder is on another host and gone, remove /b/.exclusive-lock "
                + "by hand\"}"),
        Arguments.of(foreign(new ForeignLockState.Held(new ForeignLockState.Occupant("vc", 0, "", null))), null),
        Arguments.of(foreign(new ForeignLockState.Doubtful("no JSON", "vc")), null),
        Arguments.of(foreign(new ForeignLockState.Doubtful("no JSON", null)), null));
  }

  private static Arguments ofLock(RunRefusal refusal, String error, String details, String suggestion) {
    return Arguments.of(refusal, "{\"error\":\"" + error + "\",\"lock_name\":\"prod\"," + details + ",\"suggestion\":\""
        + suggestion + "\"}");
  }

  private static RunRefusal foreign(ForeignLockState.Blocking why) {
    return new RunRefusal.ForeignLocked(
        new ForeignLock.Refusal(new ForeignName(ForeignName.Kind.BEADS, "/b"), why));
  }

  @ParameterizedTest
  @MethodSource("refusals")
  @DisplayName("Each refusal has its members, and is read as it was written")
  void writesAndReads(RunRefusal refusal, @Nullable String stored) throws JsonException {
    String json = RunRefusalJson.write(refusal).end();

    if (stored != null) {
      assertThat(json).isEqualTo(stored);
    }
    assertThat(RunRefusalJson.read(JsonReader.readObject(json))).isEqualTo(refusal);
    assertThat(json).startsWith("{\"error\":\"" + RunRefusalJson.error(refusal) + "\"")
        .endsWith("\"suggestion\":\"" + RunRefusalJson.suggestion(refusal) + "\"}");
  }

  @Test
  @DisplayName("The refusal for a Terraform that holds its lock says to wait, and nothing else")
  void terraform() {
    RunRefusal held = new RunRefusal.ForeignLocked(
        new ForeignLock.Refusal(new ForeignName(ForeignName.Kind.TERRAFORM, "/infra"),
            new ForeignLockState.Held(new ForeignLockState.Occupant("root@vm", 0, "", null))));
    assertThat(RunRefusalJson.suggestion(held)).isEqualTo("Wait until Terraform has finished");
  }

  @Test
  @DisplayName("A refusal written by a future version, or with a missing member, is kept as it is")
  void unrecognized() throws JsonException {
    for (String text : new String[]{"{\"error\":\"lock_haunted\",\"ghost\":{\"name\": \"Bo\"},\"suggestion\":\"Run\"}",
        "{\"error\":\"lock_wait_timeout\"}", "{\"error\":\"lock_blocked\",\"lock_name\":\"no such name\"}", "{}"}) {
      JsonObject json = JsonReader.readObject(text);

      RunRefusal refusal = RunRefusalJson.read(json);

      assertThat(refusal).isEqualTo(new RunRefusal.Unrecognized(json.text("error").orElse(""), json));
      assertThat(RunRefusalJson.write(refusal).end()).isEqualTo(text);
      assertThat(RunRefusalJson.suggestion(refusal)).isEqualTo(json.text("suggestion").orElse(""));
    }
  }
}
