package fleet.tower.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;
import java.util.Random;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.platform.InvalidValue;

@DisplayName("The rules of a lease")
class LeaseRulesTest {
  private static final RequestId ANNA = new RequestId("req_anna");
  private static final RequestId BERT = new RequestId("req_bert");

  private static Lease lease(String heartbeat, long ttl) {
    Instant at = Instant.parse(heartbeat);
    return new Lease(new LeaseName("prod"), ANNA, new FencingToken(7), new Holder("a", "i", "1", "h", 1, false), at, at,
        new Ttl(ttl), "{}");
  }

  private static Owner owner(RequestId requestId) {
    return Owner.ofClient(requestId, "a");
  }

  private static Age age(String heartbeat, String now) {
    return Age.between(Instant.parse(heartbeat), Instant.parse(now));
  }

  @ParameterizedTest(name = "{0} seen at {1}: {2} s old, beyond {3} s: {4}")
  @CsvSource({"2025-12-18T10:00:00Z, 2025-12-18T10:14:59.999Z, 899, 900, false",
      "2025-12-18T10:00:00Z, 2025-12-18T10:15:00.999999999Z, 900, 900, false",
      "2025-12-18T10:00:00Z, 2025-12-18T10:15:01Z, 901, 900, true",
      "2025-12-18T10:00:10Z, 2025-12-18T10:00:11.001Z, 1, 1, false",
      "2025-12-18T10:00:10Z, 2025-12-18T10:00:11.999Z, 1, 1, false",
      "2025-12-18T10:00:10Z, 2025-12-18T10:00:12Z, 2, 1, true",
      "2025-12-18T10:00:10.5Z, 2025-12-18T10:00:11.9Z, 0, 1, false",
      "2025-12-18T10:00:10.5Z, 2025-12-18T10:00:12Z, 1, 1, true",
      "2025-12-18T10:00:10Z, 2025-12-18T10:00:09.5Z, -1, 1, false"})
  @DisplayName("LK-16 TF-6.1 TF-A12 stale is strictly more than the ttl, on whole seconds, never early")
  void agesOnWholeSeconds(String heartbeat, String now, long seconds, long ttl, boolean exceeds) {
    Age age = age(heartbeat, now);

    assertThat(age.seconds()).isEqualTo(seconds);
    assertThat(age.exceeds(new Ttl(ttl))).isEqualTo(exceeds);
    assertThat(new LeaseState.Held(lease(heartbeat, ttl), age).isStale()).isEqualTo(exceeds);
  }

  @ParameterizedTest(name = "{0} ms by the boot clock: {1}")
  @CsvSource({"0, false", "900000, false", "900001, true", "9999999, true"})
  @DisplayName("TF-1.1 a lease that is stale by the wall clock must be stale by the boot clock too, if that is known")
  void asksTheBootClock(long millis, boolean stale) {
    Age age = age("2025-12-18T10:00:00Z", "2025-12-18T20:00:00Z");
    assertThat(age.exceeds(Ttl.DEFAULT)).isTrue();
    assertThat(age.confirmedBy(OptionalLong.of(millis)).exceeds(Ttl.DEFAULT)).isEqualTo(stale);
    assertThat(age.confirmedBy(OptionalLong.empty()).exceeds(Ttl.DEFAULT)).isTrue();
    assertThat(age("2025-12-18T10:00:00Z", "2025-12-18T10:00:01Z").confirmedBy(OptionalLong.of(millis))
        .exceeds(Ttl.DEFAULT)).isFalse();
  }

  @ParameterizedTest(name = "ahead by {0} s: {1}")
  @CsvSource({"0, false", "60, false", "61, true", "2000000000, true", "-900, false"})
  @DisplayName("TF-A13 more than a minute in the future is a skewed clock")
  void seesSkew(long ahead, boolean skewed) {
    Instant now = Instant.parse("2025-12-18T10:00:00.999Z");
    assertThat(Age.between(Instant.parse("2025-12-18T10:00:00Z").plusSeconds(ahead), now).isSkewed())
        .isEqualTo(skewed);
  }

  @ParameterizedTest(name = "{0}, force {1}, by {2}: {3}")
  @CsvSource({"vacant, false, another, Create", "vacant, true, another, Create", "active, false, another, Blocked",
      "active, true, another, Blocked", "stale, false, another, Stale", "stale, true, another, Steal",
      "active, false, its holder, Keep", "active, true, its holder, Keep", "stale, false, its holder, Keep",
      "stale, true, its holder, Keep", "corrupt, false, another, Corrupt", "corrupt, true, another, Corrupt",
      "newer, false, another, Unsupported", "newer, true, another, Unsupported",
      "active, false, another actor with its request id, Blocked",
      "active, true, another actor with its request id, Blocked",
      "stale, false, another actor with its request id, Stale", "stale, true, another actor with its request id, Steal",
      "active, false, its holder that keeps nothing, Blocked", "active, true, its holder that keeps nothing, Blocked",
      "stale, false, its holder that keeps nothing, Stale", "stale, true, its holder that keeps nothing, Steal"})
  @DisplayName("TF-4.1 TF-7.1 TF-7.2 TF-A17 Decision 3 the decision table")
  void decides(String current, boolean force, String by, String expected) {
    Lease lease = lease("2025-12-18T10:00:00Z", 900);
    LeaseState leaseState = switch (current) {
      case "vacant" -> new LeaseState.Vacant();
      case "active" -> new LeaseState.Held(lease, age("2025-12-18T10:00:00Z", "2025-12-18T10:15:00Z"));
      case "stale" -> new LeaseState.Held(lease, age("2025-12-18T10:00:00Z", "2025-12-18T10:15:01Z"));
      case "corrupt" -> new LeaseState.Corrupt("torn");
      default -> new LeaseState.Unsupported("v2");
    };

    LeaseRules.Request request = switch (by) {
      case "its holder" -> new LeaseRules.Request(owner(ANNA), true, force);
      case "its holder that keeps nothing" -> new LeaseRules.Request(owner(ANNA), false, force);
      case "another actor with its request id" -> new LeaseRules.Request(Owner.ofClient(ANNA, "another"), true, force);
      default -> new LeaseRules.Request(owner(BERT), true, force);
    };

    assertThat(LeaseRules.decide(leaseState, request).getClass().getSimpleName()).isEqualTo(expected);
    Decision.Refusal freeze = new Decision.FrozenUnreadably("/freeze", "torn");
    assertThat(LeaseRules.decide(leaseState, freeze, request).getClass().getSimpleName()).as("under a freeze")
        .isEqualTo(expected.equals("Keep") ? "Keep" : "FrozenUnreadably");
  }

  @ParameterizedTest(name = "heartbeat {0}, now {1}: {2}")
  @CsvSource({"2025-12-18T10:00:00Z, 2025-12-18T10:05:00.7Z, 2025-12-18T10:05:00Z",
      "2025-12-18T10:00:00Z, 2025-12-18T10:00:00Z, 2025-12-18T10:00:00Z",
      "2025-12-18T10:00:00Z, 2025-12-18T09:59:59Z, 2025-12-18T10:00:00Z",
      "2025-12-18T10:00:00Z, 2025-12-18T09:59:00Z, 2025-12-18T10:00:00Z",
      "2025-12-18T10:00:00Z, 2025-12-18T09:58:59Z, 2025-12-18T09:58:59Z",
      "2099-01-01T00:00:00Z, 2025-12-18T10:00:00.9Z, 2025-12-18T10:00:00Z"})
  @DisplayName("Decision 12 TF-A13 a renewal never shortens a lease, but corrects a clock that was far ahead")
  void choosesTheHeartbeat(String heartbeat, String now, String expected) {
    assertThat(LeaseRules.heartbeatTime(lease(heartbeat, 900), Instant.parse(now))).isEqualTo(expected);
  }

  @ParameterizedTest(name = "ttl {0} s: every {1} ms")
  @CsvSource({"900, 30000", "90, 30000", "89, 29666", "3, 1000", "1, 333"})
  @DisplayName("LK-2 TF-5.1 TF-5.2 Decision 4 the heartbeat interval is a third of the ttl, limited by the maximum")
  void beatsThrice(long ttl, long millis) {
    assertThat(RenewalSchedule.interval(Duration.ofSeconds(ttl), Duration.ofSeconds(30)).toMillis()).isEqualTo(millis);
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE, -1, 0, 604_801, Long.MAX_VALUE})
  @DisplayName("TF-A15 a ttl is 1 second to 7 days")
  void limitsTheTtl(long seconds) {
    assertThat(Ttl.isValid(seconds)).isFalse();
    assertThatThrownBy(() -> new Ttl(seconds)).isInstanceOf(InvalidValue.class)
        .hasMessage("ttl " + seconds + " s is outside 1 to 604800 seconds (7 days)");
    assertThat(new Ttl(1).seconds()).isEqualTo(1);
    assertThat(new Ttl(604_800).duration()).isEqualTo(Duration.ofDays(7));
    assertThat(Ttl.DEFAULT.seconds()).isEqualTo(900);
  }

  @Test
  @DisplayName("TF-A41 a lease is trusted until its ttl after the stamp from before the write, even across an overflow")
  void trustsUntilTheDeadline() {
    Lease lease = lease("2025-12-18T10:00:00Z", 1);
    for (long stamp : new long[]{0, 5, -7, Long.MAX_VALUE - 10, Long.MIN_VALUE}) {
      HeldLease held = HeldLease.since(stamp, lease);
      assertThat(held.isTrustedAt(stamp)).isTrue();
      assertThat(held.isTrustedAt(stamp + 1_000_000_000L)).isTrue();
      assertThat(held.isTrustedAt(stamp + 1_000_000_001L)).isFalse();
    }
  }

  @Test
  @DisplayName("Decision 7 tokens increase, are comparable, and never exceed what a store can write")
  void countsTokens() {
    FencingToken seven = new FencingToken(7);
    assertThat(FencingToken.NONE.next()).isEqualTo(new FencingToken(1)).isGreaterThan(FencingToken.NONE);
    assertThat(seven.max(seven.next())).isEqualTo(new FencingToken(8)).isEqualTo(seven.next().max(seven));
    assertThat(FencingToken.NONE.isNone()).isTrue();
    assertThat(new FencingToken(999_999_999_999_999_999L).hasNext()).isFalse();
    assertThatThrownBy(() -> new FencingToken(-1)).hasMessage("fencing token -1 is negative");
    assertThatThrownBy(() -> new FencingToken(1_000_000_000_000_000_000L)).isInstanceOf(InvalidValue.class);
  }

  @Test
  @DisplayName("TF-6.3 TF-A2 a lease expires its ttl after the heartbeat, and is held by its request and token")
  void knowsItsHolder() {
    Lease lease = lease("2025-12-18T10:00:00Z", 900);
    assertThat(lease.expiresAt()).isEqualTo("2025-12-18T10:15:00Z");
    assertThat(lease.isHeldBy(owner(ANNA), FencingToken.NONE)).isTrue();
    assertThat(lease.isHeldBy(owner(ANNA), new FencingToken(7))).isTrue();
    assertThat(lease.isHeldBy(owner(ANNA), new FencingToken(6))).isFalse();
    assertThat(lease.isHeldBy(owner(BERT), new FencingToken(7))).isFalse();
    assertThat(lease.isHeldBy(Owner.ofClient(ANNA, "another"), new FencingToken(7))).isFalse();
    assertThat(lease.isHeldBy(Owner.ofAnyActor(ANNA), new FencingToken(7))).isTrue();
    assertThat(lease.isHeldBy(Owner.ofAnyActor(BERT), new FencingToken(7))).isFalse();
    assertThat(lease.owner()).isEqualTo(owner(ANNA));
    assertThat(RequestId.random(new Random(1)).value()).matches("req_[0-9a-f]{24}");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 513})
  @DisplayName("TF-3.1 the fields of our holders have 1 to 512 characters")
  void limitsTheHolder(int length) {
    Holder holder = new Holder("x".repeat(length), "i", "1", "h", 1, false);
    assertThatThrownBy(holder::requireOurs).isInstanceOf(InvalidValue.class)
        .hasMessage("actor must have 1 to 512 characters, not " + length);
  }
}
