package fleet.tower.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.access.Role;
import fleet.tower.intent.CronExpression;
import fleet.tower.intent.Parameter;
import fleet.tower.lease.Decision;
import fleet.tower.lock.Halt;

@DisplayName("What the rules of a policy say to a request")
class PolicyTest {
  private static final Instant SATURDAY = Instant.parse("2026-11-28T10:00:00Z");
  private static final Halt.Subject DEPLOY = new Halt.Subject(Set.of("claude-1"), "deploy", "app-production");
  private static final Halt.Scope PRODUCTION = Halt.Scope.of(List.of(), List.of(), List.of("*-production"));

  private static TimeRule rule(String name, boolean opens, Halt.Scope scope, String cron, String length) {
    return new TimeRule(name, opens, scope,
        new Window(cron, CronExpression.written(cron), ZoneOffset.UTC, Duration.parse(length)), "because of " + name);
  }

  private static Policy windows(TimeRule... rules) {
    return new Policy(Policy.Mode.ENFORCE, List.of(rules), List.of());
  }

  @Test
  @DisplayName("A window that denies closes what it covers until its end")
  void denies() {
    Policy policy = windows(rule("weekend", false, PRODUCTION, "0 0 16 * * FRI", "PT60H"));
    assertThat(policy.closed(DEPLOY, SATURDAY)).contains(new Decision.WindowClosed("weekend", "because of weekend",
        Instant.parse("2026-11-30T04:00:00Z")));
    assertThat(policy.closed(DEPLOY, Instant.parse("2026-11-30T04:00:00Z"))).isEmpty();
    assertThat(policy.closed(new Halt.Subject(Set.of("claude-1"), "deploy", "app-staging"), SATURDAY)).isEmpty();
    assertThat(policy.closed(new Halt.Subject(Set.of("claude-1"), "deploy", null), SATURDAY)).isEmpty();
  }

  @Test
  @DisplayName("Of several windows that allow, one suffices; the answer says when the next opens")
  void allows() {
    Policy policy = windows(rule("morning", true, Halt.Scope.ALL, "0 0 6 * * *", "PT2H"),
        rule("noon", true, Halt.Scope.ALL, "0 0 12 * * *", "PT1H"));
    assertThat(policy.closed(DEPLOY, SATURDAY).map(Decision.WindowClosed::opensAt))
        .contains(Instant.parse("2026-11-28T12:00:00Z"));
    assertThat(policy.closed(DEPLOY, Instant.parse("2026-11-28T06:30:00Z"))).isEmpty();
    assertThat(policy.closed(DEPLOY, Instant.parse("2026-11-28T12:30:00Z"))).isEmpty();
  }

  @Test
  @DisplayName("The opening is after all windows that close one after another")
  void opening() {
    Policy policy = windows(rule("saturday", false, Halt.Scope.ALL, "0 0 0 * * SAT", "PT24H"),
        rule("sunday", false, Halt.Scope.ALL, "0 0 0 * * SUN", "PT24H"),
        rule("office", true, Halt.Scope.ALL, "0 0 9 * * *", "PT8H"));
    assertThat(policy.closed(DEPLOY, SATURDAY).map(Decision.WindowClosed::opensAt))
        .contains(Instant.parse("2026-11-30T09:00:00Z"));
    assertThat(windows(rule("always", false, Halt.Scope.ALL, "0 0 0 * * *", "PT24H")).closed(DEPLOY, SATURDAY))
        .as("one that never opens").contains(new Decision.WindowClosed("always", "because of always", null));
  }

  @Test
  @DisplayName("A value is limited for everyone but the excepted roles")
  void values() {
    Parameter.Limits atMostTen = new Parameter.Limits(null, List.of(), null, BigDecimal.TEN);
    Policy policy = new Policy(Policy.Mode.ENFORCE, List.of(), List.of(new ValueRule("few",
        Halt.Scope.of(List.of(), List.of("deploy"), List.of()), Map.of("replicas", atMostTen),
        Set.of(Role.OPERATOR))));
    assertThat(objections(policy, "10", Role.AGENT)).isEmpty();
    assertThat(objections(policy, "11", Role.AGENT)).singleElement().satisfies(objection -> {
      assertThat(objection.rule()).isEqualTo("few");
      assertThat(objection.kind()).isEqualTo("values");
      assertThat(objection.text()).isEqualTo("replicas must be at most 10, not '11'");
    });
    assertThat(objections(policy, "11", null)).hasSize(1);
    assertThat(objections(policy, "11", Role.OPERATOR)).isEmpty();
    assertThat(policy.objections(new Halt.Subject(Set.of("a"), "other", null), parameters("11", Role.AGENT), SATURDAY))
        .isEmpty();
  }

  private static List<Policy.Objection> objections(Policy policy, String replicas, @Nullable Role role) {
    return policy.objections(DEPLOY, parameters(replicas, role), SATURDAY);
  }

  private static Policy.Parameters parameters(String replicas, @Nullable Role role) {
    return new Policy.Parameters(List.of(new Parameter("replicas", Parameter.Type.INTEGER, true, null, false,
        Parameter.Limits.NONE, "")), Map.of("replicas", replicas), role);
  }
}
