package fleet.tower.approval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.approval.Approval.State;
import fleet.tower.lease.Door;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonReader;

@DisplayName("The approval of a run")
class ApprovalTest {
  private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");
  private static final ApprovalTerms TWO = new ApprovalTerms(2, List.of(List.of("ada", "b*", "carol")),
      Duration.ofHours(1), Duration.ofMinutes(30));
  private static final String HASH = "sha256:1";

  private static Approval requested(ApprovalTerms terms) {
    return Approval.requested(terms, HASH, Set.of("claude", "carol"), NOON);
  }

  private static Vote vote(String principal, boolean approves, Instant at) {
    return new Vote(principal, "token of " + principal, Door.HTTP, approves, null, at, null);
  }

  private static Approval counted(Approval approval, Vote vote) {
    return approval.with(vote, true) instanceof Approval.Counted(Approval next)
        ? next
        : fail("not counted: " + vote);
  }

  @Test
  @DisplayName("The last of the persons that it needs decides; a second vote of one person is no second person")
  void decided() {
    Approval one = counted(requested(TWO), vote("ada", true, NOON));
    assertThat(one.state()).isEqualTo(State.OPEN);
    assertThat(one.allows(HASH, NOON)).isFalse();
    assertThat(one.with(vote("ada", true, NOON.plusSeconds(1)), true)).isEqualTo(new Approval.Repeated());

    Approval both = counted(one, vote("bob", true, NOON.plusSeconds(60)));
    assertThat(both.state()).isEqualTo(State.APPROVED);
    assertThat(both.have()).isEqualTo(2);
    assertThat(both.expiresAt()).isEqualTo(NOON.plusSeconds(60).plus(Duration.ofMinutes(30)));
    assertThat(both.allows(HASH, NOON.plusSeconds(61))).isTrue();
    assertThat(both.allows("sha256:2", NOON.plusSeconds(61))).as("another plan").isFalse();
    assertThat(both.allows(HASH, both.expiresAt())).as("too late").isFalse();
    assertThat(both.with(vote("bert", true, NOON.plusSeconds(61)), true))
        .isEqualTo(new Approval.Closed(State.APPROVED));
  }

  @Test
  @DisplayName("Who requested it, for whom it was requested, and whom the rules do not ask cannot vote")
  void whoMayVote() {
    assertThat(requested(TWO).with(vote("claude", true, NOON), true)).isEqualTo(new Approval.OwnRequest());
    assertThat(requested(TWO).with(vote("carol", false, NOON), true)).isEqualTo(new Approval.OwnRequest());
    assertThat(requested(TWO).with(vote("eve", true, NOON), true)).isEqualTo(new Approval.NotAsked());
    assertThat(requested(TWO).with(vote("ada", true, NOON), false)).isEqualTo(new Approval.OtherPlan());
  }

  @Test
  @DisplayName("One rejection ends it, also after approvals; a person may change an approval to a rejection")
  void rejected() {
    Approval one = counted(requested(TWO), vote("ada", true, NOON));
    assertThat(counted(one, vote("bob", false, NOON)).state()).isEqualTo(State.REJECTED);
    Approval changed = counted(one, vote("ada", false, NOON));
    assertThat(changed.state()).isEqualTo(State.REJECTED);
    assertThat(changed.votes()).hasSize(1);
    assertThat(changed.allows(HASH, NOON)).isFalse();
  }

  @Test
  @DisplayName("Silence never approves: after its time no vote counts")
  void expired() {
    Approval one = counted(requested(TWO), vote("ada", true, NOON));
    Instant end = NOON.plus(Duration.ofHours(1));
    assertThat(one.isOver(end.minusMillis(1))).isFalse();
    assertThat(one.isOver(end)).isTrue();
    assertThat(one.with(vote("bob", true, end), true)).isEqualTo(new Approval.Closed(State.EXPIRED));
    assertThat(counted(one, vote("bob", true, end.minusMillis(1))).state()).isEqualTo(State.APPROVED);
  }

  @Test
  @DisplayName("Of several rules the strictest of each key counts")
  void strictest() {
    ApprovalTerms other = new ApprovalTerms(1, List.of(List.of("bob", "eve")), Duration.ofHours(2),
        Duration.ofMinutes(5));
    ApprovalTerms both = TWO.and(other);
    assertThat(both.need()).isEqualTo(2);
    assertThat(both.within()).isEqualTo(Duration.ofHours(1));
    assertThat(both.valid()).isEqualTo(Duration.ofMinutes(5));
    assertThat(both.ask("bob")).isTrue();
    assertThat(both.ask("ada")).as("only one rule asks ada").isFalse();
    assertThat(both.ask("eve")).isFalse();
    assertThat(TWO.and(new ApprovalTerms(1, List.of(), Duration.ofHours(1), Duration.ofMinutes(30)))).isEqualTo(TWO);
  }

  @Test
  @DisplayName("A rule applies only with the values that it names")
  void when() {
    ApprovalRule rule = new ApprovalRule(Map.of("environment", List.of("production", "live")), TWO);
    assertThat(rule.applies(Map.of("environment", "live", "app", "x"))).isTrue();
    assertThat(rule.applies(Map.of("environment", "staging"))).isFalse();
    assertThat(rule.applies(Map.of())).isFalse();
    assertThat(new ApprovalRule(Map.of(), TWO).applies(Map.of())).isTrue();
  }

  @Test
  @DisplayName("Its stored form keeps everything")
  void stored() {
    Approval approval = counted(counted(requested(TWO), vote("ada", true, NOON)),
        new Vote("b \"ob\"", "t\n", null, false, "no \u0000", NOON.plusMillis(1),
            new RequestId("r0")));
    assertThat(ApprovalJson.read(JsonReader.readOwn(ApprovalJson.write(approval).end()))).isEqualTo(approval);
    assertThat(ApprovalJson.read(JsonReader.readOwn(ApprovalJson.write(requested(TWO)).end())))
        .isEqualTo(requested(TWO));
  }
}
