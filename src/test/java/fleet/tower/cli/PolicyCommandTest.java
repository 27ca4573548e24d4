package fleet.tower.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;

@DisplayName("The policy of a home, by commands")
class PolicyCommandTest {
  private static final String SCALE = """
      apiVersion: tower-fleet/intent/v1
      kind: Intent
      metadata: { name: scale, version: 1.0.0 }
      spec:
        mode: mutate
        params: { replicas: { type: integer, required: true } }
        controls: { lock: "scale-production" }
        steps: [{ name: one, run: [echo, "${params.replicas}"] }]
      """;
  /** Closed always, and a limit for everyone, also for the operator of the home. */
  private static final String POLICY = """
      mode: enforce
      windows:
        - { name: never, deny: true, locks: ["*-production"], cron: "0 0 0 * * *", for: 24h, zone: UTC, reason: "no changes" }
      values:
        - { name: few, intents: [scale], params: { replicas: { maximum: 10 } } }
      """;

  private final TestHome home;
  private final Path policy;

  PolicyCommandTest(@TempDir Path directory) {
    home = new TestHome(directory.resolve("home"));
    policy = home.root().resolve("config/policy.yaml");
  }

  @BeforeEach
  void intent() throws IOException {
    Files.writeString(Files.createDirectories(home.root().resolve("intents")).resolve("scale.yaml"), SCALE);
  }

  private void write(String text) throws IOException {
    Files.createDirectories(home.root().resolve("config"));
    Files.writeString(policy, text);
    Files.setPosixFilePermissions(policy, PosixFilePermissions.fromString("rw-r--r--"));
  }

  @Test
  @DisplayName("What quotas say depends on the runs and locks that there are")
  void quotas() throws IOException {
    write("""
        quotas:
          - { name: few, intents: [scale], runs: 1/1h }
          - { name: one-lock, actors: ["claude-*"], locks: 1 }
        """);
    Path scale = Files.writeString(home.root().resolve("scale.json"), """
        {"intent": "scale", "params": {"replicas": 1}, "actor": "claude-1"}
        """);
    Path lock = Files.writeString(home.root().resolve("lock.json"), "{\"lock\": \"b\", \"actor\": \"claude-1\"}");
    assertThat(home.tower("policy --test " + scale).out()).isEqualTo("allow\n");
    assertThat(home.tower("policy --test " + lock).out()).isEqualTo("allow\n");
    assertThat(home.tower("run scale -p replicas=1 --actor claude-1").exit()).isZero();
    assertThat(home.tower("lock a --request-id a-1 --actor claude-1").exit()).isZero();
    assertThat(home.tower("policy --test " + scale).out())
        .isEqualTo("refuse\nquota few: it allows 1 run in 1h\nquota one-lock: it allows 1 lock at the same time\n");
    assertThat(home.tower("policy --test " + lock + " --json").out()).contains("\"verdict\":\"refuse\"",
        "{\"name\":\"one-lock\",\"kind\":\"quota\",\"why\":\"it allows 1 lock at the same time\"}");
    assertThat(home.tower("policy --test " + lock.resolveSibling("none")).exit()).isEqualTo(64);
  }

  @Test
  @DisplayName("The rules are shown, and what they say to a request")
  void shown() throws IOException {
    assertThat(home.tower("policy")).isEqualTo(new Outcome(0, "no rules\n", ""));
    write(POLICY);
    assertThat(home.tower("policy").out()).isEqualToIgnoringWhitespace("""
        RULE   KIND    COVERS              SAYS
        never  window  locks *-production  not for 1d from 0 0 0 * * * in UTC: no changes
        few    values  intents scale       replicas at most 10
        """);
    Path request = Files.writeString(home.root().resolve("request.json"), """
        {"intent": "scale", "params": {"replicas": 11}, "actor": "claude-1"}
        """);
    assertThat(home.tower("policy --test " + request + " --json").out()).contains("\"verdict\":\"refuse\"",
        "{\"name\":\"never\",\"kind\":\"window\",\"why\":\"no changes\"}",
        "{\"name\":\"few\",\"kind\":\"values\",\"why\":\"replicas must be at most 10, not '11'\"}");
    Files.writeString(request, "{\"lock\": \"app-staging\", \"actor\": \"claude-1\"}");
    assertThat(home.tower("policy --test " + request).out()).isEqualTo("allow\n");
    Files.writeString(request, "{\"intent\": \"scale\"");
    assertThat(home.tower("policy --test " + request).exit()).isEqualTo(64);
  }

  @Test
  @DisplayName("A closed window refuses runs, locks by hand and guards; nothing is left behind")
  void enforced() throws IOException {
    write(POLICY);
    Outcome run = home.tower("run scale -p replicas=3 --json");
    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.out()).contains("\"error\":\"window_closed\"", "\"window\":\"never\"", "\"reason\":\"no changes\"");
    Outcome lock = home.tower("lock app-production --json");
    assertThat(lock.exit()).isEqualTo(2);
    assertThat(lock.out()).contains("\"error\":\"window_closed\"");
    Path marker = home.root().resolve("began");
    Outcome guard = home.tower("guard app-production -- touch " + marker);
    assertThat(guard.exit()).isEqualTo(75);
    assertThat(marker).doesNotExist();
    assertThat(home.tower("locks").out()).isEqualTo("no locks\n");
    assertThat(home.tower("guard app-staging -- true").exit()).isZero();
  }

  @Test
  @DisplayName("A rule on approvals is shown, asks before a run, and is said by the plan and the test of a request")
  void approvals() throws IOException {
    write("""
        approve:
          - { name: two, intents: [scale], n: 2, from: [ada, bob], when: { replicas: ["7"] } }
        """);
    assertThat(home.tower("policy").out()).contains("two", "approve", "by 2 of ada or bob, when replicas is 7");
    Path request = Files.writeString(home.root().resolve("request.json"),
        "{\"intent\": \"scale\", \"params\": {\"replicas\": 7}, \"actor\": \"claude-1\"}");
    assertThat(home.tower("policy --test " + request + " --json").out()).contains("\"verdict\":\"approve\"",
        "{\"name\":\"two\",\"kind\":\"approve\"");
    assertThat(home.tower("plan scale -p replicas=7").out()).contains("approve   by 2 of ada or bob");
    assertThat(home.tower("plan scale -p replicas=6").out()).doesNotContain("approve ");
    Outcome run = home.tower("run scale -p replicas=7 --request-id r1 --json");
    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.data().text("status")).contains("awaiting_approval");
    assertThat(home.tower("run scale -p replicas=6").exit()).isZero();
  }

  @Test
  @DisplayName("A quota refuses the run that is one too many, with its limit and when there is room")
  void quota() throws IOException {
    write("quotas: [ { name: few-runs, intents: [scale], runs: 2/1h } ]\n");
    assertThat(home.tower("policy").out()).contains("few-runs", "2 runs in 1h for each actor");
    assertThat(home.tower("run scale -p replicas=3").exit()).isZero();
    assertThat(home.tower("run scale -p replicas=3").exit()).isZero();
    Outcome third = home.tower("run scale -p replicas=3 --json");
    assertThat(third.exit()).isEqualTo(2);
    assertThat(third.errorCode()).isEqualTo("quota_exceeded");
    assertThat(third.context().text("quota")).contains("few-runs");
    assertThat(third.context().integer("limit")).hasValue(2);
    assertThat(third.context().text("retry_at")).isPresent();
    assertThat(home.tower("locks").out()).isEqualTo("no locks\n");
    write("mode: observe\nquotas: [ { name: few-runs, intents: [scale], runs: 2/1h } ]\n");
    assertThat(home.tower("run scale -p replicas=3").exit()).isZero();
    assertThat(home.tower("audit --event would_refuse").out()).contains("\"rule\":\"few-runs\"", "\"kind\":\"quota\"");
  }

  @Test
  @DisplayName("AISVS 9.3.8 An actor whose commands are refused too often is halted, until the halt is lifted or over; others "
      + "are not; a policy that is only observed halts no one")
  void contained() throws IOException {
    String rule = "contain: [ { name: bots, actors: [\"claude-*\"], refusals: 3/10m, level: drain, for: 1h } ]\n";
    write(POLICY.replace("enforce", "observe") + rule);
    for (int i = 0; i < 4; i++) {
      assertThat(home.tower("lock app-production --actor claude-1 --request-id o" + i).exit()).isIn(0, 2);
    }
    assertThat(home.tower("halts").out()).isEqualTo("no halts\n");
    assertThat(home.tower("force-release app-production --reason test").exit()).isZero();

    write(POLICY + rule);
    assertThat(home.tower("policy").out()).contains("bots", "contain", "actors claude-*",
        "halt (drain) for 1h after 3 refusals in 10m");
    Path request = Files.writeString(home.root().resolve("request.json"),
        "{\"lock\": \"app-production\", \"actor\": \"claude-1\"}");
    assertThat(home.tower("policy --test " + request).out()).isEqualTo(
        "refuse\nwindow never: no changes\ncontain bots: halt (drain) for 1h after 3 refusals in 10m\n");
    assertThat(home.tower("lock app-production --actor claude-1 --json").errorCode()).isEqualTo("window_closed");
    for (String actor : new String[]{"claude-1", "alice", "alice", "alice", "alice", "claude-2"}) {
      assertThat(home.tower("guard app-production --actor " + actor + " -- true").exit()).isEqualTo(75);
    }
    assertThat(home.tower("halts").out()).isEqualTo("no halts\n");
    assertThat(home.tower("run scale -p replicas=3 --actor claude-1 --json").errorCode()).isEqualTo("window_closed");
    Outcome halted = home.tower("lock web --actor claude-1 --json");
    assertThat(halted.errorCode()).isEqualTo("halted");
    assertThat(halted.context().text("halt")).hasValue("contain-bots-claude-1");
    assertThat(halted.context().text("halted_by")).hasValue("policy");
    assertThat(halted.context().text("reason")).hasValue("rule bots of the policy: 3 refusals in 10m");
    assertThat(home.tower("halts").out()).contains("drain");
    assertThat(home.tower("lock web --actor claude-2").exit()).isZero();
    assertThat(home.tower("audit --event halt_placed").out().lines()).singleElement().asString()
        .contains("\"actors\":[\"claude-1\"]", "\"actor\":\"policy\"", "\"expires_at\"");
    assertThat(home.tower("audit --event run_refused").out()).contains("\"error\":\"window_closed\"",
        "\"actor\":\"claude-1\"", "\"intent\":\"scale\"");

    assertThat(home.tower("unhalt contain-bots-claude-1").exit()).isZero();
    assertThat(home.tower("run scale -p replicas=11 --actor claude-1 --json").errorCode()).isEqualTo("window_closed");
    assertThat(home.tower("lock web-2 --actor claude-1").exit()).isZero();
    assertThat(home.tower("halts").out()).isEqualTo("no halts\n");
  }

  @Test
  @DisplayName("A lock or a guard beyond the locks of a quota is refused, with when to try again; a release makes room")
  void locks() throws IOException {
    write("quotas: [ { name: few-locks, locks: 1 } ]\n");
    assertThat(home.tower("policy").out()).contains("few-locks", "1 lock for each actor");
    assertThat(home.tower("lock one --request-id r1").exit()).isZero();
    Outcome second = home.tower("lock two --json");
    assertThat(second.exit()).isEqualTo(2);
    assertThat(second.errorCode()).isEqualTo("quota_exceeded");
    assertThat(second.context().text("quota")).contains("few-locks");
    assertThat(second.context().integer("limit")).hasValue(1);
    assertThat(second.context().text("retry_at")).isPresent();
    assertThat(home.tower("guard two -- true").exit()).isEqualTo(75);
    assertThat(home.tower("lock two").err()).contains("which allows 1 lock at the same time", "tower locks");
    assertThat(home.tower("unlock one --request-id r1").exit()).isZero();
    assertThat(home.tower("guard two -- true").exit()).isZero();
  }

  @Test
  @DisplayName("A value beyond a limit is refused with the rule and the parameter")
  void values() throws IOException {
    write(POLICY.replace("*-production", "other"));
    Outcome run = home.tower("run scale -p replicas=11 --json");
    assertThat(run.exit()).isEqualTo(77);
    assertThat(run.out()).contains("\"error\":\"params_not_allowed\"", "\"rule\":\"few\"",
        "{\"pointer\":\"/params/replicas\",\"message\":\"must be at most 10, not '11'\"}");
    assertThat(home.tower("run scale -p replicas=10").exit()).isZero();
  }

  @Test
  @DisplayName("An observed policy refuses nothing, and the audit log says which rules would have")
  void observed() throws IOException {
    write(POLICY.replace("enforce", "observe"));
    assertThat(home.tower("run scale -p replicas=11").exit()).isZero();
    assertThat(home.tower("guard app-production -- true").exit()).isZero();
    assertThat(home.tower("audit --event would_refuse").out().lines().toList()).hasSize(3)
        .anyMatch(line -> line.contains("\"rule\":\"never\"") && line.contains("\"lock_name\":\"scale-production\""))
        .anyMatch(line -> line.contains("\"rule\":\"few\"") && line.contains("\"kind\":\"values\""))
        .anyMatch(line -> line.contains("\"rule\":\"never\"") && line.contains("\"lock_name\":\"app-production\""));
  }

  @Test
  @DisplayName("With a policy that is wrong nothing begins, and validate, doctor and the refusal say where it is wrong")
  void invalid() throws IOException {
    write(POLICY.replace("deny", "denied"));
    Outcome validated = home.tower("validate");
    assertThat(validated.exit()).isEqualTo(78);
    assertThat(validated.out()).contains("policy.yaml:3:");
    assertThat(home.tower("validate " + policy).exit()).isEqualTo(78);
    assertThat(home.tower("policy").exit()).isEqualTo(78);
    assertThat(home.tower("doctor").out()).contains("policy.yaml:3:", "nothing new begins");
    for (Outcome refused : new Outcome[]{home.tower("run scale -p replicas=3 --json"),
        home.tower("lock app-staging --json"), home.tower("task claim --agent a1 --request-id r9 --json")}) {
      assertThat(refused.exit()).isEqualTo(2);
      assertThat(refused.out()).contains("\"error\":\"halted\"", "policy.yaml:3:");
    }
  }

  @Test
  @DisplayName("A policy that others can write is refused by every command")
  void writable() throws IOException {
    write(POLICY);
    Files.setPosixFilePermissions(policy, PosixFilePermissions.fromString("rw-rw-rw-"));
    assertThat(home.tower("validate").exit()).isEqualTo(77);
    assertThat(home.tower("run scale -p replicas=3").exit()).isEqualTo(77);
  }
}
