package fleet.tower.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.config.TestService;

@DisplayName("Probes: what intents see, before they begin and after their last step")
class ProbeTest {
  private static final String PROBE = """
      probe: { run: [cat, "${params.app}.json"] }
      desired: { version: "${params.version}", replicas: "${params.replicas}" }
      """;
  private static final String PARAMS = """
      params:
        app: { type: string, default: shop }
        version: { type: string, default: "2" }
        replicas: { type: integer, default: 3 }
        pw: { type: string, secret: true }
      """;

  @TempDir
  Path directory;

  private TestHome home;
  private Path state;

  @BeforeEach
  void create() throws Exception {
    home = new TestHome(directory.resolve("home"));
    state = home.root().resolve("shop.json");
  }

  private void intent(String mode, String spec) {
    TestService.declare(home.root(), "deploy",
        "mode: " + mode + "\ncontrols: { lock: \"${params.app}\" }\n" + PARAMS + spec);
  }

  private Outcome run(String... words) {
    return home.run(words);
  }

  private static JsonObject json(Outcome outcome) throws Exception {
    JsonObject answer = JsonReader.readObject(outcome.out());
    return answer.object("data").orElse(answer);
  }

  private String audit() throws Exception {
    StringBuilder all = new StringBuilder();
    Path logs = home.root().resolve("logs/audit");
    if (Files.exists(logs)) {
      try (Stream<Path> files = Files.list(logs)) {
        for (Path file : files.filter(it -> it.toString().endsWith(".jsonl")).toList()) {
          all.append(Files.readString(file));
        }
      }
    }
    return all.toString();
  }

  @Test
  @DisplayName("tower probe shows the state, its fingerprint whatever its layout, and what is not as desired")
  void look() throws Exception {
    intent("mutate", PROBE + "steps: [{ name: act, run: [\"true\"] }]\n");
    Files.writeString(state, "{ \"version\": \"1\",\n \"extra\": [1.0], \"replicas\": 3 }\n");

    Outcome text = run("probe", "deploy");
    JsonObject shown = json(run("probe", "deploy", "--json"));
    Files.writeString(state, "{\"replicas\":3.0,\"extra\":[1],\"version\":\"1\"}");
    JsonObject again = json(run("probe", "deploy", "--json"));
    JsonObject desired = json(run("probe", "deploy", "-p", "version=1", "--json"));

    assertThat(text.exit()).isZero();
    assertThat(text.out()).isEqualTo("{\"extra\":[1],\"replicas\":3,\"version\":\"1\"}\n");
    assertThat(text.err()).contains("the state of deploy is not as desired: version is \"1\", not \"2\"");
    assertThat(shown.text("fingerprint")).isEqualTo(again.text("fingerprint")).get().asString().startsWith("sha256:");
    assertThat(shown.isTrue("as_desired")).isFalse();
    assertThat(shown.objects("differences")).singleElement()
        .satisfies(it -> assertThat(it.raw()).isEqualTo("{\"path\":\"version\",\"desired\":\"2\",\"actual\":\"1\"}"));
    assertThat(desired.isTrue("as_desired")).isTrue();
    assertThat(audit()).isEmpty();
    assertThat(home.root().resolve("logs/runs")).satisfiesAnyOf(it -> assertThat(it).doesNotExist(),
        it -> assertThat(it).isEmptyDirectory());
  }

  static Stream<Arguments> unknowns() {
    return Stream.of(Arguments.of("echo no host >&2; exit 3", "the probe cannot tell (exit code 3): no host"),
        Arguments.of("echo '{}'; echo 'no route' >&2; exit 7", "the probe failed with exit code 7: no route"),
        Arguments.of("kill -9 $$", "the probe failed with exit code 137"),
        Arguments.of("sleep 100", "the probe did not end within 1 s"),
        Arguments.of("trap '' TERM; sleep 100 & sleep 100", "the probe did not end within 1 s"),
        Arguments.of("head -c 10000000 /dev/zero | tr '\\0' x", "the probe printed more than 65536 bytes"),
        Arguments.of("echo '[]'", "the probe printed no JSON object: "),
        Arguments.of("echo '{\"a\":1'", "the probe printed no JSON object: "),
        Arguments.of("echo '{\"a\":1,\"a\":2}'", "the probe printed no JSON object: "),
        Arguments.of("true", "the probe printed no JSON object: "));
  }

  @ParameterizedTest
  @MethodSource("unknowns")
  @DisplayName("A probe that hangs, fails, prints too much or no JSON object sees nothing: unknown, exit code 3, and why")
  void unknown(String script, String why) throws Exception {
    intent("mutate", "probe: { timeout: 1, script: " + JsonWriter.quote(script) + " }\n"
        + "steps: [{ name: act, run: [\"true\"] }]\n");

    Outcome outcome = run("probe", "deploy", "--json");

    assertThat(outcome.exit()).isEqualTo(3);
    assertThat(json(outcome).get("state")).isNotNull();
    assertThat(json(outcome).text("unknown").orElse("")).startsWith(why);
  }

  @Test
  @DisplayName("A probe gets parameters, but no lock, no token, and a secret only by its env; what it prints of that is masked")
  void environment() throws Exception {
    intent("mutate", """
          token: { type: string, secret: true, required: true }
        probe:
          script: |
            printf '{"app":"%s","own":"%s","secrets":%s,"locks":%s}' "$PARAM_APP" "$OWN" \
              "$(env | grep -c PARAM_[PT])" "$(env | grep -c TOWER_LOCK)"
          env: { OWN: "${params.token}" }
        steps: [{ name: act, run: ["true"] }]
        """);

    assertThat(run("probe", "deploy", "-p", "token=hunter22", "-p", "pw=swordfish").out())
        .isEqualTo("{\"app\":\"shop\",\"locks\":0,\"own\":\"***\",\"secrets\":0}\n");
  }

  static Stream<Arguments> mistakes() {
    String steps = "steps: [{ name: act, run: [\"true\"] }]\n";
    return Stream.of(Arguments.of("desired: { on: true }\n" + steps, "needs a probe that prints the state"),
        Arguments.of("probe: { run: [look, \"${lock.token}\"] }\n" + steps, "a probe gets no fencing token"),
        Arguments.of("probe: { script: 'echo $TOWER_LOCK_TOKEN' }\n" + steps, "a probe gets no fencing token"),
        Arguments.of("probe: { script: 'echo $PARAM_PW' }\n" + steps,
            "reads $PARAM_PW, but a probe gets a secret parameter only by its env"),
        Arguments.of("probe: { run: [look, \"${params.pw}\"] }\n" + steps,
            "a probe reads it from a variable set in env"),
        Arguments.of("probe: { run: [look] }\ndesired: { key: \"${params.pw}\" }\n" + steps,
            "a state is shown to all readers of plans and runs"),
        Arguments.of("probe: { run: [look], rollback: [undo] }\n" + steps, "unknown key 'rollback'"),
        Arguments.of("probe: { run: [look], lock: a }\n" + steps, "unknown key 'lock'"),
        Arguments.of("probe: { run: [look], timeout: 301 }\n" + steps, "must be at most 300"),
        Arguments.of("probe: { run: [look] }\ndesired: { n: 123456789012345678901 }\n" + steps,
            "cannot be compared exactly"),
        Arguments.of("probe: { run: [look] }\n" + steps.replace("act", "probe"), "duplicate step 'probe'"));
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  @DisplayName("A probe with a lock, a token, a secret that its env does not name, or a rollback is refused")
  void mistake(String spec, String message) throws Exception {
    intent("mutate", spec);

    Outcome outcome = run("validate");

    assertThat(outcome.exit()).isNotZero();
    assertThat(outcome.out() + outcome.err()).contains(message);
  }

  @Test
  @DisplayName("An intent without a probe says so")
  void none() throws Exception {
    intent("mutate", "steps: [{ name: act, run: [\"true\"] }]\n");

    Outcome outcome = run("probe", "deploy");

    assertThat(outcome.exit()).isEqualTo(1);
    assertThat(outcome.err()).contains("intent deploy has no probe");
  }

  @Test
  @DisplayName("A plan has the state and its hash; a run under that hash does not begin once the state is another")
  void plan() throws Exception {
    intent("mutate", PROBE + "steps: [{ name: act, run: [touch, acted] }]\n");
    Files.writeString(state, "{\"version\":\"1\",\"replicas\":3}");
    JsonObject plan = json(run("plan", "deploy", "--json"));
    String hash = plan.requiredText("plan_hash");
    Files.writeString(state, "{\"version\":\"0\",\"replicas\":3}");

    Outcome changed = run("run", "deploy", "--plan-hash", hash, "--json");

    assertThat(plan.object("probe").orElseThrow().object("state").map(JsonObject::raw))
        .contains("{\"replicas\":3,\"version\":\"1\"}");
    assertThat(run("plan", "deploy").out()).contains("desired   version is \"0\", not \"2\"");
    assertThat(changed.exit()).isEqualTo(2);
    assertThat(changed.err() + changed.out()).contains("plan_changed");
    assertThat(home.root().resolve("acted")).doesNotExist();
  }

  @Test
  @DisplayName("A run under the hash of its plan begins with the state that the plan shows")
  void planned() throws Exception {
    intent("mutate", PROBE + "steps: [{ name: act, run: [touch, acted] }]\n");
    Files.writeString(state, "{\"version\":\"2\",\"replicas\":3}");
    String hash = json(run("plan", "deploy", "--json")).requiredText("plan_hash");

    Outcome planned = run("run", "deploy", "--plan-hash", hash, "--json");

    assertThat(planned.exit()).as(planned.out() + planned.err()).isZero();
    assertThat(home.root().resolve("acted")).exists();
  }

  @Test
  @DisplayName("A run after which the desired state does not hold fails at the probe, and is rolled back")
  void verify() throws Exception {
    intent("mutate", PROBE + "steps: [{ name: act, run: [touch, acted], rollback: [touch, undone] }]\n");
    Files.writeString(state, "{\"version\":\"1\",\"replicas\":3}");

    JsonObject failed = json(run("run", "deploy", "--json"));

    assertThat(failed.text("status")).contains("failed");
    assertThat(failed.text("failure_step")).contains("probe");
    assertThat(failed.texts("warnings").toString()).contains("version is \"1\", not \"2\"");
    assertThat(failed.object("probe").orElseThrow().object("before").orElseThrow().text("fingerprint")).isPresent();
    assertThat(home.root().resolve("acted")).exists();
    assertThat(home.root().resolve("undone")).exists();
  }

  @Test
  @DisplayName("A run that brings the desired state about succeeds, with the states before and after it")
  void succeed() throws Exception {
    intent("mutate", PROBE + """
        steps: [{ name: act, script: 'printf ''{"version":"%s","replicas":3}'' "$PARAM_VERSION" > shop.json' }]
        """);
    Files.writeString(state, "{\"version\":\"1\",\"replicas\":3}");

    JsonObject run = json(run("run", "deploy", "--json"));

    assertThat(run.text("status")).contains("succeeded");
    assertThat(run.object("probe").orElseThrow().object("after").orElseThrow().object("state").orElseThrow()
        .text("version")).contains("2");
  }

  @Test
  @DisplayName("A reconcile intent whose state is as desired ends unchanged, without a lock or an event; drift is repaired")
  void reconcile() throws Exception {
    intent("reconcile", PROBE + """
        steps: [{ name: act, script: 'echo x >> acted; printf ''{"version":"2","replicas":3}'' > shop.json' }]
        """);
    Files.writeString(state, "{\"version\":\"2\",\"replicas\":3}");

    JsonObject unchanged = json(run("run", "deploy", "--json"));
    String audit = audit();
    Files.writeString(state, "{\"version\":\"1\",\"replicas\":3}");
    JsonObject repaired = json(run("run", "deploy", "--json"));

    assertThat(unchanged.text("status")).contains("succeeded");
    assertThat(unchanged.isTrue("unchanged")).isTrue();
    assertThat(audit).isEmpty();
    assertThat(repaired.text("status")).contains("succeeded");
    assertThat(repaired.isTrue("unchanged")).isFalse();
    assertThat(Files.readString(home.root().resolve("acted"))).isEqualTo("x\n");
    assertThat(json(run("runs", unchanged.requiredText("request_id"), "--json")).isTrue("unchanged")).isTrue();
  }

  @Test
  @DisplayName("A run whose end is known is not settled")
  void settleEnded() throws Exception {
    intent("mutate", PROBE + "steps: [{ name: act, run: [\"true\"] }]\n");
    Files.writeString(state, "{\"version\":\"2\",\"replicas\":3}");
    String id = json(run("run", "deploy", "--json")).requiredText("request_id");

    Outcome settled = run("settle", id);

    assertThat(settled.exit()).isEqualTo(1);
    assertThat(settled.err()).contains("so there is nothing to settle");
    assertThat(run("settle", "nobody").exit()).isEqualTo(3);
  }
}
