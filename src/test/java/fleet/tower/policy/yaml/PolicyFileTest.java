package fleet.tower.policy.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.approval.ApprovalTerms;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Controls;
import fleet.tower.intent.Effect;
import fleet.tower.intent.Intent;
import fleet.tower.lock.Halt;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.policy.ContainRule;
import fleet.tower.policy.Policy;
import fleet.tower.policy.PolicySource;
import fleet.tower.policy.Quota;

@DisplayName("config/policy.yaml")
class PolicyFileTest {
  private static final String WEEKEND = """
      mode: observe
      windows:
        - name: weekend
          deny: true
          locks: ["*-production"]
          cron: "0 0 16 * * FRI"
          for: 60h
          zone: Europe/Berlin
          reason: "no deploys on weekends"
      values:
        - intents: [scale]
          params: { replicas: { maximum: 10 } }
          except: [operator]
      approve:
        - { intents: ["deploy-*"], n: 2, from: [ada, "oidc:*"], within: 8h, when: { environment: [production] } }
      quotas:
        - { name: bots, actors: ["claude-*"], runs: 20/1h, concurrent: 3, locks: 5 }
      effects:
        - { intents: ["purge-*"], effect: irreversible }
      contain:
        - { actors: ["claude-*"], refusals: 10/10m, level: drain, for: 1h }
      """;

  @TempDir
  Path directory;

  private PolicySource.State read(String text) throws IOException {
    Path file = Files.writeString(directory.resolve("policy.yaml"), text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    return new PolicyFiles(directory, false).open(SystemTime.source(), SystemTime.scheduler()).now();
  }

  private static Policy policy(PolicySource.State state) {
    assertThat(state).isInstanceOf(PolicySource.Known.class);
    return ((PolicySource.Known) state).policy();
  }

  @Test
  @DisplayName("Its rules are read; without the file, and in an empty one, there are none")
  void rules() throws IOException {
    assertThat(new PolicyFiles(directory, false).open(SystemTime.source(), SystemTime.scheduler()).now())
        .isEqualTo(new PolicySource.Known(Policy.NONE));
    assertThat(policy(read(""))).isEqualTo(Policy.NONE);
    Policy policy = policy(read(WEEKEND));
    assertThat(policy.mode()).isEqualTo(Policy.Mode.OBSERVE);
    assertThat(policy.closed(new Halt.Subject(Set.of("a"), "deploy", "web-production"),
        Instant.parse("2026-11-28T10:00:00Z"))).isPresent();
    assertThat(policy.values()).singleElement().satisfies(rule -> {
      assertThat(rule.name()).isEqualTo("values-1");
      assertThat(rule.describe()).isEqualTo("replicas at most 10; not for operator");
    });
  }

  @Test
  @DisplayName("A change counts at once for what begins after it was judged by the rules before; half a file never does")
  void settles() throws IOException {
    PolicySource source = new PolicyFiles(directory, false).open(SystemTime.source(), SystemTime.scheduler());
    assertThat(source.now()).isEqualTo(new PolicySource.Known(Policy.NONE));
    for (String name : List.of("one", "two")) {
      Files.writeString(directory.resolve("policy.yaml"), "quotas: [{ name: " + name + ", runs: 1/1h }]\n");
      source.settle();
      assertThat(policy(source.now()).quotas()).singleElement().satisfies(it -> assertThat(it.name()).isEqualTo(name));
    }
    Files.delete(directory.resolve("policy.yaml"));
    source.settle();
    assertThat(source.now()).isEqualTo(new PolicySource.Known(Policy.NONE));
  }

  @Test
  @DisplayName("Its approvals and quotas are read")
  void approvals() throws IOException {
    Policy policy = policy(read(WEEKEND));
    assertThat(policy.approvals(new Halt.Subject(Set.of("a"), "deploy-app", null),
        deploy(Effect.REVERSIBLE), Map.of("environment", "production"))).singleElement().satisfies(need -> {
          assertThat(need.name()).isEqualTo("approve-1");
          assertThat(need.rule().terms()).isEqualTo(new ApprovalTerms(2, List.of(List.of("ada", "oidc:*")),
              Duration.ofHours(8), ApprovalTerms.VALID));
        });
    assertThat(policy.approvals(new Halt.Subject(Set.of("a"), "deploy-app", null), deploy(Effect.UNKNOWN),
        Map.of("environment", "staging"))).isEmpty();
    assertThat(policy.effects()).containsExactly(new Policy.EffectRule("effect-1",
        Halt.Scope.of(List.of(), List.of("purge-*"), List.of()), Effect.IRREVERSIBLE));
    assertThat(policy.quotas()).containsExactly(new Quota("bots",
        Halt.Scope.of(List.of("claude-*"), List.of(), List.of()), new Quota.Rate(20, Duration.ofHours(1)), 3, 5,
        false));
    assertThat(policy.quotas().getFirst().describe())
        .isEqualTo("20 runs in 1h, 3 at the same time, 5 locks for each actor");
  }

  private static Intent deploy(Effect effect) {
    return new Intent(new Intent.Metadata("deploy-app", "1", ""), Intent.Mode.MUTATE, List.of(), Controls.NONE,
        Intent.Timeouts.DEFAULT, new Intent.Procedure(List.of(), List.of(), effect), null, List.of(), null);
  }

  @ParameterizedTest
  @CsvSource(textBlock = """
      reversible,   'reversible'
      external,     'reversible,external'
      unknown,      'reversible,external,irreversible'
      irreversible, 'reversible,external,irreversible'
      """)
  @DisplayName("A rule with an effect covers what is as hard to undo, or harder; what nobody knows counts as irreversible")
  void byEffect(String effect, String rules) throws IOException {
    Policy policy = policy(read("""
        approve:
          - { name: reversible, effect: reversible }
          - { name: external, effect: external }
          - { name: irreversible, effect: irreversible }
        """));
    assertThat(policy.approvals(new Halt.Subject(Set.of("a"), "deploy-app", null),
        deploy(Effect.of(effect)), Map.of())).extracting(Policy.ApprovalNeed::name)
        .containsExactly(rules.split(","));
  }

  @ParameterizedTest
  @CsvSource(textBlock = """
      unknown,      external,     external
      reversible,   external,     external
      irreversible, external,     irreversible
      irreversible, reversible,   irreversible
      external,     irreversible, irreversible
      """)
  @DisplayName("The policy says more about an intent than its author, never less; of several words the strictest counts")
  void classified(String own, String word, String expected) throws IOException {
    Policy policy = policy(read("effects: [{ effect: reversible }, { intents: [\"deploy-*\"], effect: " + word + " },"
        + " { intents: [other], effect: irreversible }]"));
    assertThat(policy.effect(new Halt.Subject(Set.of("a"), "deploy-app", null), deploy(Effect.of(own))))
        .isEqualTo(Effect.of(expected));
    assertThat(Policy.NONE.effect(new Halt.Subject(Set.of("a"), "deploy-app", null), deploy(Effect.of(own))))
        .isEqualTo(Effect.of(own));
  }

  @Test
  @DisplayName("Its rules on containment are read; they have defaults")
  void containment() throws IOException {
    Halt.Scope bots = Halt.Scope.of(List.of("claude-*"), List.of(), List.of());
    Quota.Rate ten = new Quota.Rate(10, Duration.ofMinutes(10));
    ContainRule drain = new ContainRule("contain-1", bots, ten, Halt.Level.DRAIN, Duration.ofHours(1));
    assertThat(policy(read(WEEKEND)).containments()).containsExactly(drain);
    assertThat(drain.describe()).isEqualTo("halt (drain) for 1h after 10 refusals in 10m");
    ContainRule plain = new ContainRule("all", Halt.Scope.ALL, ten, Halt.Level.ADMIT, null);
    assertThat(policy(read("contain: [ { name: all, refusals: 10/10m } ]")).containments()).containsExactly(plain);
    assertThat(plain.describe()).isEqualTo("halt (admit) until it is lifted after 10 refusals in 10m");
  }

  @ParameterizedTest
  @DisplayName("A mistake is reported with line and column, and makes the whole file invalid")
  @CsvSource(delimiter = '|', textBlock = """
      mode: observe                       | mode: perhaps                 | 1:7: must be one of enforce, observe
      deny: true                          | allow: false                  | 3:5: must have either deny: true or allow: true
      deny: true                          | denied: true                  | 4:5: unknown key 'denied'
      cron: "0 0 16 * * FRI"              | cron: "0 16 * * FRI"          | 6:11: has 5 fields; add the seconds field
      cron: "0 0 16 * * FRI"              | cron: "0 0 0 30 2 *"          | 6:11: never fires
      for: 60h                            | for: 60                       | 7:10: must be
      for: 60h                            | for: 0h                       | 7:10: is no time at all
      zone: Europe/Berlin                 | zone: Berlin                  | 8:11: is not a time zone
      reason: "no deploys on weekends"    | reason: ""                    | 9:13: is empty
      params: { replicas: { maximum: 10 } } | params: { replicas: { pattern: "(" } } | 12:36: is not a regular expression
      - intents: [scale]                  | - name: weekend               | 11:11: another rule has this name, on line 3
      n: 2                                | n: 0                          | 15:33: must be at least 1
      within: 8h                          | within: 40d                   | 15:67: must be a time span of 1s to 30d
      runs: 20/1h                         | runs: often                   | 17:47: must be a number and a time span such as 20/1h
      runs: 20/1h, concurrent: 3, locks: 5 | together: true               | 17:5: must have runs, concurrent or locks
      effect: irreversible                | effect: none                  | 19:37: must be one of reversible, external, irreversible
      n: 2                                | effect: final                 | 15:38: must be one of reversible, external
      locks: 5                            | locks: ["*-production"]       | 17:76: must be
      refusals: 10/10m                    | refusals: 0/10m               | 21:39: must be a number and a time span such as 10/10m
      refusals: 10/10m                    | refusals: 10/0m               | 21:39: is no time at all
      refusals: 10/10m, level             | level                         | 21:5: is missing refusals
      level: drain                        | level: stop                   | 21:54: must be one of admit, drain, kill
      for: 1h                             | for: 366d                     | 21:66: must be at most 365d
      for: 1h                             | locks: [prod]                 | 21:61: unknown key 'locks'
      """)
  void mistakes(String of, String with, String expected) throws IOException {
    PolicySource.State state = read(WEEKEND.replace(of, with));
    assertThat(state).isInstanceOfSatisfying(PolicySource.Invalid.class,
        it -> assertThat(it.problem()).contains("policy.yaml:" + expected));
    assertThat(new PolicyFiles(directory, false).complaints()).extracting(Catalogue.Complaint::toString)
        .first().asString().contains(expected);
  }

  @Test
  @DisplayName("A file that others can write has no rules that count")
  void writable() throws IOException {
    Path file = Files.writeString(directory.resolve("policy.yaml"), WEEKEND);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
    assertThat(new PolicyFiles(directory, false).open(SystemTime.source(), SystemTime.scheduler()).now())
        .isInstanceOfSatisfying(PolicySource.Invalid.class,
            it -> assertThat(it.problem()).contains("any user who can change it can lift every rule"));
    assertThat(new PolicyFiles(directory, true).open(SystemTime.source(), SystemTime.scheduler()).now())
        .isInstanceOf(PolicySource.Known.class);
  }
}
