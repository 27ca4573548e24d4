package fleet.tower.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.access.AllowedIntents.ValuePattern;
import fleet.tower.lease.Door;

@DisplayName("The rights of a caller")
class CallerTest {
  private static final String ENVIRONMENT = "environment";
  private static final AllowedIntents STAGING = allowed("deploy-*", ENVIRONMENT, "staging");
  private static final Caller CI = agent(STAGING, AllowedIntents.any(NamePattern.intent("ping")));

  private static AllowedIntents allowed(String name, String param, String... values) {
    return new AllowedIntents(NamePattern.intent(name),
        Map.of(param, List.of(values).stream().map(ValuePattern::new).toList()));
  }

  private static Caller agent(AllowedIntents... intents) {
    return Caller.of("ci", Role.AGENT,
        new Scope(List.of(intents), List.of(NamePattern.lock("ci-*")), List.of(), List.of(), List.of()));
  }

  @ParameterizedTest
  @DisplayName("A star matches any characters, including none, and may occur any number of times")
  @CsvSource({"deploy-*, deploy-, true", "deploy-*, deploy, false", "*, x, true", "*-app, web-app-app, true",
      "a*b*c, a-b-b-c, true", "a*b*c, a-c-b, false", "ping, ping, true", "ping, pings, false", "p*, ing, false"})
  void stars(String pattern, String name, boolean matches) {
    assertThat(NamePattern.intent(pattern).matches(name)).isEqualTo(matches);
    assertThat(NamePattern.lock(pattern).matches(name)).isEqualTo(matches);
    assertThat(new ValuePattern(pattern).matches(name)).isEqualTo(matches);
  }

  @Test
  @DisplayName("An intent is allowed with the values of one entry; a restricted parameter must have a value")
  void params() {
    assertThat(CI.mayRun("deploy-app")).isTrue();
    assertThat(CI.mayRun("wipe")).isFalse();
    assertThat(CI.mayRun("deploy-app", Map.of(ENVIRONMENT, "staging", "app", "x"))).isTrue();
    assertThat(CI.mayRun("deploy-app", Map.of(ENVIRONMENT, "production"))).isFalse();
    assertThat(CI.mayRun("deploy-app", Map.of())).isFalse();
    assertThat(CI.mayRun("ping", Map.of(ENVIRONMENT, "production"))).isTrue();
    assertThat(agent(STAGING, allowed("deploy-web", ENVIRONMENT, "production"))
        .mayRun("deploy-web", Map.of(ENVIRONMENT, "production"))).isTrue();
    CI.requireIntent("deploy-app", Map.of(ENVIRONMENT, "staging"));
    assertThatThrownBy(() -> CI.requireIntent("deploy-app", Map.of(ENVIRONMENT, "production")))
        .isInstanceOfSatisfying(Forbidden.class, it -> assertThat(it.reason()).hasToString("params_not_allowed"))
        .hasMessage("'ci' may run 'deploy-app' only with environment staging");
    assertThatThrownBy(() -> CI.requireIntent("wipe", Map.of())).isInstanceOf(Forbidden.class)
        .hasMessage("'ci' may run deploy-* (environment staging), ping, but not 'wipe'");
  }

  @Test
  @DisplayName("Locks are limited by name, and force by role; without limits an agent runs and holds all")
  void locks() {
    assertThat(CI.mayHold("ci-1")).isTrue();
    assertThat(CI.mayHold("prod")).isFalse();
    assertThat(CI.mayForce()).isFalse();
    assertThatThrownBy(() -> CI.requireLock("prod"))
        .isInstanceOfSatisfying(Forbidden.class, it -> assertThat(it.reason()).hasToString("lock_not_allowed"))
        .hasMessage("'ci' may hold the locks ci-*, but not 'prod'");
    Caller ann = Caller.of("ann", Role.AGENT, Scope.ALL);
    assertThat(ann.mayRun("wipe", Map.of())).isTrue();
    assertThat(ann.mayHold("prod")).isTrue();
    assertThat(Caller.of("otto", Role.OPERATOR, Scope.ALL).mayForce()).isTrue();
    Caller eve = Caller.of("eve", Role.VIEWER, Scope.ALL);
    assertThat(eve.mayRun("wipe")).isFalse();
    assertThat(eve.mayRun("wipe", Map.of())).isFalse();
    assertThat(eve.mayHold("prod")).isFalse();
  }

  @Test
  @DisplayName("Claims belong to an agent's token, never to the principal that it names; to none of an operator's")
  void token() {
    Caller agent = Caller.of("ann", Role.AGENT, Scope.ALL);
    assertThat(agent.token()).as("on the files of a home").isNull();
    assertThat(agent.with(() -> true).onBehalfOf("bob").token()).isEqualTo("ann");
    assertThat(Caller.of("olga", Role.OPERATOR, Scope.ALL).with(() -> true).token()).isNull();
  }

  @Test
  @DisplayName("What an agent owns is its own, and an operator's; the owner's name in X-Actor gives no right to it")
  void ownership() {
    Caller eve = Caller.of("eve", Role.AGENT, Scope.ALL);
    ThrowingCallable asBob = () -> eve.onBehalfOf("bob").requireOwn("bob", "cancel run r1");
    assertThatThrownBy(asBob)
        .isInstanceOfSatisfying(Forbidden.class, it -> assertThat(it.reason()).hasToString("not_yours"))
        .hasMessage("'eve' has role agent and may not cancel run r1, which belongs to 'bob'; that needs the role "
            + "operator");
    eve.onBehalfOf("bob").requireOwn("eve", "cancel run r1");
    Caller.of("olga", Role.OPERATOR, Scope.ALL).requireOwn("bob", "cancel run r1");
  }

  @Test
  @DisplayName("Approving is a right beside the role and the limits; without it an operator approves nothing")
  void approving() {
    Scope approver = new Scope(List.of(STAGING), List.of(), List.of(), List.of(),
        List.of(NamePattern.intent("wipe"), NamePattern.intent("deploy-*")));
    for (Role role : Role.values()) {
      assertThat(Caller.of("ann", role, approver).mayApprove("wipe")).isTrue();
      assertThat(Caller.of("ann", role, approver).mayApprove("deploy-app")).isTrue();
      assertThat(Caller.of("ann", role, approver).mayApprove("ping")).isFalse();
      assertThat(Caller.of("ann", role, Scope.ALL).mayApprove("wipe")).isFalse();
      assertThat(Caller.of("ann", role, Scope.APPROVER).mayApprove("wipe")).isTrue();
    }
  }

  @Test
  @DisplayName("A principal stays the same whoever the caller acts for; callers with different ones are not equal")
  void principal() {
    Caller ann = Caller.of("ann", "ada", Role.AGENT, Scope.ALL);
    assertThat(ann.onBehalfOf("bob").with(() -> true).through(Door.MCP).principal()).isEqualTo("ada");
    assertThat(Caller.of("ann", Role.AGENT, Scope.ALL).principal()).isEqualTo("ann");
    assertThat(ann).isEqualTo(Caller.of("ann", "ada", Role.AGENT, Scope.ALL).through(Door.MCP))
        .isNotEqualTo(Caller.of("ann", Role.AGENT, Scope.ALL)).isNotEqualTo(ann.onBehalfOf("bob"));
  }

  @Test
  @DisplayName("Mailboxes and projects are limited by name; without limits all are allowed, also tasks of no project")
  void mailboxesAndProjects() {
    Caller limited = limitedTo(NamePattern.project("web-*"), NamePattern.project("Shop"));
    limited.requireMailbox("jobs-1");
    limited.requireTasksOf("Shop");
    assertThat(limited.projectFor("web-a")).isEqualTo("web-a");
    assertForbidden(() -> limited.requireMailbox("mail"), Forbidden.Reason.MAILBOX_NOT_ALLOWED,
        "'ci' may use the mailboxes jobs-*, but not 'mail'");
    assertForbidden(() -> limited.requireTasksOf("shop"), Forbidden.Reason.TASK_NOT_ALLOWED,
        "'ci' may work on tasks of the projects web-*, Shop, but not of 'shop'");
    assertForbidden(() -> limited.requireTasksOf(null), Forbidden.Reason.TASK_NOT_ALLOWED,
        "'ci' may work on tasks of the projects web-*, Shop, but not on one of no project");
    assertForbidden(() -> limited.projectFor(null), Forbidden.Reason.TASK_NOT_ALLOWED,
        "'ci' may work on tasks of the projects web-*, Shop; name one of them as 'project'");
    assertForbidden(() -> limitedTo(NamePattern.project("web-*")).projectFor(null), Forbidden.Reason.TASK_NOT_ALLOWED,
        "'ci' may work on tasks of the projects web-*; name one of them as 'project'");
    assertThat(limitedTo(NamePattern.project("Shop")).projectFor(null)).isEqualTo("Shop");

    Caller free = Caller.of("ann", Role.AGENT, Scope.ALL);
    free.requireMailbox("mail");
    free.requireTasksOf(null);
    assertThat(free.projectFor(null)).isNull();
    assertThat(free.projectFor("any")).isEqualTo("any");
  }

  private static Caller limitedTo(NamePattern... projects) {
    return Caller.of("ci", Role.AGENT, new Scope(List.of(), List.of(), List.of(NamePattern.mailbox("jobs-*")),
        List.of(projects), List.of()));
  }

  private static void assertForbidden(ThrowingCallable call, Forbidden.Reason reason, String problem) {
    assertThatThrownBy(call).isInstanceOfSatisfying(Forbidden.class, it -> {
      assertThat(it.reason()).isEqualTo(reason);
      assertThat(it.problem()).isEqualTo(problem);
    });
  }

  @Test
  @DisplayName("The limits of an intent are those of the entries that match it, unless one of them has none")
  void limits() {
    assertThat(CI.scope().limitsOf("deploy-app")).containsExactly(STAGING);
    assertThat(CI.scope().limitsOf("ping")).isEmpty();
    assertThat(agent(STAGING, AllowedIntents.any(NamePattern.intent("*"))).scope().limitsOf("deploy-app")).isEmpty();
  }
}
