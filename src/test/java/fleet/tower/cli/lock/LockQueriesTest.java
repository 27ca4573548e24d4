package fleet.tower.cli.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.service.config.TestService;

class LockQueriesTest {
  private static final Instant LONG_AGO = Instant.parse("2026-01-01T10:00:00Z");
  private final TestHome home;

  LockQueriesTest(@TempDir Path directory) {
    home = new TestHome(directory.resolve("home"));
  }

  /** One lock in each state: active, stale, ahead, unreadable, of a newer version. */
  private void oneOfEach() {
    home.tower("lock alive --request-id r --ttl 5m");
    home.foreignLock("old", LONG_AGO, 900);
    home.foreignLock("ahead", TestHome.now().plusSeconds(1000), 900);
    home.rawLock("garbage", "{\"lock_version\":");
    home.rawLock("newer", "{\"lock_version\":\"v2\",\"holder\":[]}");
  }

  @ParameterizedTest
  @CsvSource({"alive, active, 1", "old, stale, 0", "free, free, 3", "garbage, corrupt, 1", "newer, unsupported, 1"})
  @DisplayName("TF-6.2 TF-A34 check prints the state first and exits as the specification's function does")
  void check(String name, String state, int exit) {
    oneOfEach();

    assertThat(home.run("check", name)).isEqualTo(new Outcome(exit, state + "\n", ""));
    Outcome json = home.run("check", "--json", name);
    assertThat(json.exit()).isEqualTo(exit);
    assertThat(json.data().text("state")).hasValue(state);
    assertThat(json.data().text("lock_path")).hasValue(home.lockFile(name).toString());
  }

  @ParameterizedTest
  @CsvSource({"alive, 0, true", "old, 0, true", "garbage, 0, true", "free, 3, false"})
  @DisplayName("LK-28 exists reports by its exit code alone")
  void exists(String name, int exit, boolean exists) {
    oneOfEach();

    assertThat(home.run("exists", name)).isEqualTo(new Outcome(exit, "", ""));
    assertThat(home.run("exists", name, "--json")).isEqualTo(new Outcome(exit,
        "{\"schema_version\":\"v1\",\"success\":true,\"data\":{\"lock_name\":\"" + name + "\",\"exists\":" + exists
            + "}}\n",
        ""));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "alive   | 2 | held        | held by alice on tower-01 (intent manual, request r), last   | tower lock alive --wait 10m",
      "old     | 5 | stale       | more than its ttl of 900 s                                   | tower lock old --force-lock",
      "garbage | 1 | corrupt     | cannot be read as a lock: not a JSON object                  | tower force-release garbage --reason 'it is not held'",
      "newer   | 1 | unsupported | has lock version v2, which this program does not support  | tower force-release newer --reason 'it is not held'"})
  @DisplayName("why prints the reason and the remedy, and exits as `tower lock` would")
  void why(String name, int exit, String type, String message, String command) {
    oneOfEach();

    Outcome words = home.run("why", name);
    Outcome json = home.run("why", name, "--json");

    assertThat(words.exit()).isEqualTo(exit).isEqualTo(home.run("lock", name).exit());
    assertThat(words.out()).startsWith(type + ": ").contains(message).endsWith("  try: " + command + "\n"
        + switch (type) {
          case "stale" -> "  if it is yours, and its work has ended: tower unlock old --request-id req_old123\n";
          case "held" -> """
                ask alice on tower-01 when the work ends
                if its work must not go on: tower force-release alive --reason 'agreed with alice'
              """;
          default -> "";
        });
    assertThat(words.err()).isEmpty();
    assertThat(json.exit()).isEqualTo(exit);
    assertThat(json.data().text("status")).hasValue("blocked");
    assertThat(TestHome.texts(json.data(), "reasons", "type")).containsExactly(type);
    assertThat(TestHome.texts(json.data(), "reasons", "command")).containsExactly(command);
  }

  @Test
  @DisplayName("TF-A13 why prints all reasons at once: active, but by a clock that is ahead")
  void whyAhead() {
    oneOfEach();

    assertThat(TestHome.texts(home.tower("why ahead --json").data(), "reasons", "type")).containsExactly("held",
        "clock_skew");
    assertThat(home.tower("check ahead --json").data().raw()).contains("\"clock_skew\":true");
    assertThat(home.tower("locks ahead").out()).contains("ahead of this clock");
    assertThat(home.tower("why free")).isEqualTo(new Outcome(0, "lock free is free\n", ""));
    assertThat(home.tower("why free --json").data().raw())
        .isEqualTo("{\"name\":\"free\",\"status\":\"free\",\"reasons\":[]}");
  }

  @Test
  @DisplayName("why never suggests taking a lock that an intent takes, only the run that waits for it, if that is "
      + "complete")
  void whyOfAnIntent() {
    TestService.declare(home.root(), "deploy", """
        mode: mutate
        params:
          app: { type: string, required: true, pattern: "[a-z]+" }
          environment: { type: string, enum: [staging, production], default: staging }
        controls: { lock: "${params.app}-${params.environment}" }
        steps:
          - { name: one, run: ["true"] }
        """);
    TestService.declare(home.root(), "import", """
        mode: mutate
        params:
          table: { type: string, required: true, pattern: "[a-z]+" }
        controls: { lock: nightly }
        steps:
          - { name: one, run: ["true"] }
        """);
    home.tower("lock shop-production --request-id r1");
    home.tower("lock nightly --request-id r2");
    home.tower("lock other --request-id r3");
    home.foreignLock("shop-staging", LONG_AGO, 900);

    assertThat(tries("shop-production"))
        .containsExactly("tower run deploy -p app=shop -p environment=production --wait 10m");
    assertThat(tries("nightly")).containsExactly("tower locks nightly");
    assertThat(tries("other")).containsExactly("tower lock other --wait 10m");
    assertThat(tries("shop-staging")).containsExactly("tower run deploy -p app=shop --force-lock");
    home.run("freeze", "nightly", "--ttl", "1h", "--reason", "audit");
    assertThat(tries("nightly")).doesNotContain("tower lock nightly --wait 1h");
  }

  private List<String> tries(String name) {
    return TestHome.texts(home.run("why", name, "--json").data(), "next_actions", "command").stream()
        .filter(command -> command.startsWith("tower")).toList();
  }

  @Test
  @DisplayName("why for a running Terraform says to wait, and suggests no command that changes its lock")
  void whyTerraform() throws Exception {
    Path infra = Files.createDirectories(home.root().resolve("infra"));
    Files.writeString(infra.resolve(".terraform.tfstate.lock.info"),
        "{\"ID\":\"1\",\"Operation\":\"OperationTypeApply\",\"Who\":\"root@vm\",\"Created\":\"2026-01-01T10:00:00Z\"}");

    Outcome why = home.run("why", "terraform:" + infra);

    assertThat(why.exit()).isEqualTo(2);
    assertThat(why.out()).contains("held by root@vm, Apply", "wait until Terraform has finished")
        .doesNotContain("force-unlock")
        .endsWith("  try: cat " + infra + "/.terraform.tfstate.lock.info\n");
    assertThat(home.run("why", "terraform:" + infra, "--json").data().objects("next_actions"))
        .extracting(action -> action.text("command").orElse("")).noneMatch(command -> command.contains("force-unlock"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"locks", "status"})
  @DisplayName("TF-11.1 all locks in a table, ordered by name")
  void list(String command) {
    oneOfEach();

    Outcome table = home.tower(command);

    assertThat(table.exit()).isZero();
    assertThat(table.err()).isEmpty();
    assertThat(table.out().lines().toList()).satisfiesExactly(
        head -> assertThat(head)
            .matches("NAME +STATE +ACTOR +HOST +INTENT +HELD +HEARTBEAT +TTL +REQUEST"),
        ahead -> assertThat(ahead)
            .matches(
                "ahead +active +claude-code +tower-02 +deploy-app +0s +16m \\d+s ahead of this clock +15m +req_old123"),
        alive -> assertThat(alive).matches("alive +active +alice +tower-01 +manual +\\d+s +\\d+s ago +5m +r"),
        garbage -> assertThat(garbage).isEqualTo("garbage  corrupt"),
        newer -> assertThat(newer).matches("newer +unsupported"),
        old -> assertThat(old).matches("old +stale +claude-code .* req_old123"));
    assertThat(home.tower(command + " --names").out().lines()).containsExactly("ahead", "alive", "garbage", "newer",
        "old");
  }

  @Test
  @DisplayName("TF-11.1 all locks as JSON: every member of the record, the state and its current meaning")
  void listJson() {
    home.foreignLock("old", LONG_AGO, 900);

    JsonObject envelope = home.tower("locks --json").json();

    assertThat(TestHome.texts(envelope, "data", "state")).containsExactly("stale");
    JsonObject lock = home.tower("locks old --json").data();
    long age = lock.integer("age_seconds").orElse(0);
    assertThat(lock.raw()).isEqualTo("{\"lock_version\":\"v1\",\"lock_name\":\"old\",\"request_id\":\"req_old123\","
        + "\"actor\":\"claude-code\",\"intent\":\"deploy-app\",\"intent_version\":\"1.2.0\",\"host_id\":\"tower-02\","
        + "\"pid\":12345,\"created_at\":\"2026-01-01T10:00:00Z\",\"last_heartbeat_at\":\"2026-01-01T10:00:00Z\","
        + "\"ttl_seconds\":900,\"metadata\":{},\"state\":\"stale\",\"age_seconds\":" + age
        + ",\"expires_at\":\"2026-01-01T10:15:00Z\",\"fencing_token\":0,\"clock_skew\":false,\"waiters\":0,"
        + "\"lock_path\":\""
        + home.lockFile("old") + "\",\"frozen\":null}");
  }

  @Test
  @DisplayName("TF-11.2 one lock as text; a missing one: exit 3")
  void one() {
    oneOfEach();

    assertThat(home.tower("locks alive").out().replaceAll("\\d+s", "Ns")).isEqualTo("""
        alive: active
          held by    alice on tower-01 (intent manual, request r), pid %d
          held for   Ns
          heartbeat  Ns ago
          ttl        5m
          token      1
          path       %s
        """.formatted(ProcessHandle.current().pid(), home.lockFile("alive")));
    assertThat(home.tower("locks garbage").out()).startsWith("garbage: corrupt\n  problem    not a JSON object: ");
    assertThat(home.tower("locks newer").out()).startsWith("newer: unsupported\n  version    v2\n");
    Outcome free = home.tower("locks free --json");
    assertThat(free.exit()).isEqualTo(3);
    assertThat(free.errorCode()).isEqualTo("lock_not_found");
    assertThat(home.tower("locks free").err())
        .isEqualTo("tower: there is no lock free\n  list the locks: tower locks\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"locks", "locks --json", "locks --names", "locks alive", "status old", "check alive",
      "check old",
      "check free", "exists alive", "exists free", "why old", "why free", "why garbage", "fence alive --token 1",
      "audit", "audit --since 8h --json", "doctor", "doctor --json", "version", "completion bash", "help"})
  @DisplayName("T8 LK-20 queries change nothing: no file, no byte, no modification time")
  void queriesChangeNothing(String line) {
    oneOfEach();
    SortedMap<String, String> before = home.snapshot();

    home.tower(line);

    assertThat(home.snapshot()).isEqualTo(before);
  }

  @ParameterizedTest
  @CsvSource({"locks, 0", "locks --json, 0", "locks prod, 3", "check prod, 3", "exists prod, 3", "why prod, 0",
      "fence prod --token 1, 6", "audit, 0", "audit --json, 0", "doctor, 0", "heartbeat prod --request-id r, 3",
      "unlock prod --request-id r, 0"})
  @DisplayName("T8 an unused home can be queried, and stays empty")
  void looksAtNothing(String line, int exit) {
    assertThat(home.tower(line).exit()).isEqualTo(exit);
    assertThat(home.isUntouched()).isTrue();
  }

  @Test
  @DisplayName("Foreign metadata with line breaks and a control character still gives valid JSON")
  void foreignMetadata() {
    home.rawLock("prod", TestHome.foreignText("prod", LONG_AGO, 900).replace("\"metadata\": {}",
        "\"metadata\": {\n    \"ticket\": \"a\u009bb\",\n\t\"n\": 1\n  }"));

    JsonObject metadata = home.tower("locks prod --json").data().object("metadata").orElseThrow();

    assertThat(metadata.text("ticket")).hasValue("a\u009bb");
    assertThat(metadata.integer("n")).hasValue(1);
    assertThat(home.tower("locks prod --json").out()).doesNotContain("\u009b").hasLineCount(1);
  }
}
