package fleet.tower.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import fleet.tower.lease.Age;
import fleet.tower.lease.Decision;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Holder;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;

@DisplayName("The kinds of refused requests for locks")
class RefusalKindTest {
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
  private static final Lease LEASE = new Lease(new LeaseName("prod"), new RequestId("r"), FencingToken.NONE,
      new Holder("ann", "deploy", "1", "host", 7, false), NOON, NOON, new Ttl(60), "{}");
  private static final Age AGE = Age.between(NOON, NOON);

  @Test
  @DisplayName("The codes are those that the audit log has always had")
  void codes() {
    List<Decision.Refusal> refusals = List.of(new Decision.Blocked(LEASE, AGE),
        new Decision.Stale(LEASE, AGE), new Decision.Frozen("ann", "", NOON, NOON),
        new Decision.FrozenUnreadably("", ""), new Decision.Halted("stop", "ann", "", NOON, null),
        new Decision.WindowClosed("night", "", null), new Decision.LimitReached("bots", 5),
        new Decision.OfRun(new RequestId("r"), "ann", false),
        new Decision.Corrupt(""), new Decision.Unsupported("v2"));

    assertThat(refusals).extracting(refusal -> RefusalKind.of(refusal).code().code()).containsExactly("lock_blocked",
        "lock_stale", "lock_frozen", "lock_frozen", "halted", "window_closed", "quota_exceeded", "lock_of_run",
        "lock_corrupt",
        "unsupported_lock_version");
    assertThat(refusals).extracting(RefusalKind::of).containsExactly(RefusalKind.values());
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("U11 what an agent is told needs no operator, and no command")
  void suggestionToAgents(RefusalKind kind) {
    assertThat(kind.suggestionToAgents()).doesNotContain("--", "force", "unfreeze").isNotBlank();
  }
}
