package fleet.tower.cli.token;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.home.Home;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.service.config.TestService;
import fleet.tower.service.web.access.TestTokens;
import fleet.tower.task.Agent;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskOutcome;
import fleet.tower.task.Tasks;

@DisplayName("tower token")
class TokenCommandsTest {
  private static final String HEAD = "# The callers of the service. It re-reads this file after each change; `tower token` edits it.\n";
  private final Path file;
  private final TestHome home;

  TokenCommandsTest(@TempDir Path root) {
    file = root.resolve("config/tokens.yaml");
    home = new TestHome(root);
  }

  private String digest(Outcome created) {
    return TestTokens.sha256(created.out().strip());
  }

  /** When the only token was created. */
  private String createdAt() throws IOException {
    return Files.readString(file).replaceAll("(?s).*created: (\\S+)\n.*", "$1");
  }

  @Test
  @DisplayName("create prints the token once, alone on stdout, and stores only its digest, readable by the owner")
  void create() throws Exception {
    Outcome created = home.run("token", "create", "ci", "--role", "agent", "--intents", "deploy-*", "--intents",
        "ping,pong");

    assertThat(created.exit()).isZero();
    assertThat(created.out()).matches("tower_[A-Za-z0-9_-]{43}\n");
    assertThat(created.err()).isEqualTo("'ci' has role agent; its token is on stdout and is not shown again\n");
    assertThat(file).hasContent(HEAD + "- name: \"ci\"\n  role: agent\n  sha256: " + digest(created)
        + "\n  intents: [\"deploy-*\", \"ping\", \"pong\"]\n  created: " + createdAt() + "\n");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
    assertThat(home.run("token", "list").out()).isEqualTo(
        """
            NAME  ROLE   OWNER  INTENTS             LOCKS  MAILBOXES  TASKS  APPROVES  CREATED               LAST USED  EXPIRES
            ci    agent  -      deploy-*,ping,pong  -      -          -      -         %s  never      never
            """
            .formatted(createdAt()))
        .doesNotContain(created.out().strip());
  }

  @Test
  @DisplayName("JSON has the same; an expiry is a time span or a timestamp")
  void json() throws Exception {
    Outcome created = home.run("token", "create", "eve", "--role", "viewer", "--expires", "2099-01-31T08:00:00Z",
        "--json");
    assertThat(created.out().replaceAll("tower_[A-Za-z0-9_-]{43}", "TOKEN").replace(file.toString(), "FILE"))
        .isEqualTo("{\"schema_version\":\"v1\",\"success\":true,\"data\":{\"name\":\"eve\",\"role\":\"viewer\","
            + "\"owner\":null,\"intents\":[],\"approve\":[],\"created_at\":\"" + createdAt()
            + "\",\"expires_at\":\"2099-01-31T08:00:00Z\","
            + "\"token\":\"TOKEN\",\"where\":\"file\",\"path\":\"FILE\",\"kept_comments\":true}}\n");
    assertThat(home.run("token", "list", "--json").out()).isEqualTo("{\"schema_version\":\"v1\",\"success\":true,"
        + "\"data\":{\"tokens\":[{\"name\":\"eve\",\"role\":\"viewer\",\"owner\":null,\"intents\":[],"
        + "\"approve\":[],\"created_at\":\"" + createdAt()
        + "\",\"expires_at\":\"2099-01-31T08:00:00Z\",\"expired\":false,"
        + "\"last_used_at\":null,\"previous\":[],\"where\":\"file\"}],\"operator\":null}}\n");
    assertThat(home.run("token", "create", "bob", "--role", "operator", "--expires", "90d").exit()).isZero();
    assertThat(home.run("token", "revoke", "eve", "--json").out().replace(file.toString(), "FILE"))
        .isEqualTo("{\"schema_version\":\"v1\",\"success\":true,\"data\":{\"name\":\"eve\",\"revoked\":true,"
            + "\"where\":\"file\",\"path\":\"FILE\",\"kept_comments\":true}}\n");
    assertThat(home.run("token", "list").out()).contains("\nbob ").doesNotContain("\neve ");
  }

  @Test
  @DisplayName("Creation and revocation are audited: whose token, what for, by whom; never the token or its digest")
  void audited() {
    Outcome created = home.run("token", "create", "ci", "--role", "agent");
    home.run("token", "create", "ci", "--role", "viewer");
    home.run("token", "revoke", "nobody");
    home.with("TOWER_ACTOR", "bob").run("token", "revoke", "ci");

    assertThat(home.audit()).map(line -> line.replaceAll("\\d{4}-[^\"]*Z", "TIME")).containsExactly(
        "{\"event\":\"token_created\",\"timestamp\":\"TIME\",\"name\":\"ci\",\"role\":\"agent\",\"actor\":\"alice\",\"door\":\"cli\"}",
        "{\"event\":\"token_revoked\",\"timestamp\":\"TIME\",\"name\":\"ci\",\"role\":\"agent\",\"actor\":\"bob\",\"door\":\"cli\"}");
    assertThat(home.audit().toString()).doesNotContain(created.out().strip(), digest(created));
  }

  @Test
  @DisplayName("revoke --stop cancels the runs of the token's owner, releases its locks and claims, returns "
      + "its messages, and nothing else")
  void stop() throws Exception {
    home.run("token", "create", "ci", "--role", "agent");
    TestService.declare(home.root(), "work",
        "{ mode: mutate, controls: { lock: work }, steps: [{ name: a, run: [\"true\"] }] }");
    home.with("TOWER_ACTOR", "ci");
    assertThat(home.run("run", "work", "--queue", "--request-id", "r1").exit()).isZero();
    assertThat(home.run("lock", "prod").exit()).isZero();
    for (String id : List.of("m1", "m2")) {
      assertThat(home.run("mailbox", "send", "jobs", "work", "--id", id).exit()).isZero();
    }
    assertThat(home.run("mailbox", "receive", "jobs").out()).contains("m1");
    home.with("TOWER_ACTOR", "bob");
    assertThat(home.run("mailbox", "receive", "jobs").out()).contains("m2");
    assertThat(home.run("run", "work", "--queue", "--request-id", "r2").exit()).isZero();
    assertThat(home.run("lock", "stage").exit()).isZero();
    assertThat(home.run("task", "create", "one", "--id", "t1", "--request-id", "c1", "--agent", "boss").err())
        .isEqualTo("task t1 created\n");
    assertThat(home.run("task", "create", "two", "--id", "t2", "--request-id", "c2", "--agent", "boss").err())
        .isEqualTo("task t2 created\n");
    try (Home here = new Home(home.root(), Map.of(), _ -> {}, Home.Listener.NONE); Tasks tasks = here.tasks()) {
      claim(tasks, "t1", "ci");
      claim(tasks, "t2", "bob");
    }

    Outcome revoked = home.with("TOWER_ACTOR", "op").run("token", "revoke", "ci", "--stop");

    assertThat(revoked).isEqualTo(new Outcome(0, "", """
        the token of 'ci' is revoked; streams and waiting calls end within a second
        cancelled run r1
        released lock prod
        released task t1
        returned message m1 to mailbox jobs
        """));
    assertThat(home.run("runs", "--status", "cancelled").out()).contains("r1").doesNotContain("r2");
    assertThat(home.run("mailbox", "receive", "jobs").out()).contains("m1");
    assertThat(home.run("mailbox", "receive", "jobs").out()).doesNotContain("m2");
    assertThat(home.run("locks").out()).contains("stage").doesNotContain("prod");
    assertThat(home.run("task", "get", "t1", "--json").out()).contains("\"status\":\"pending\"");
    assertThat(home.run("task", "get", "t2", "--json").out()).contains("\"status\":\"in_progress\"");
    assertThat(home.audit()).anyMatch(line -> line.contains("\"run_cancel_requested\"") && line.contains("\"r1\"")
        && line.contains("\"actor\":\"op\""));
    assertThat(home.audit().stream().filter(line -> line.contains("\"event\":\"lock_released\""))).singleElement()
        .asString()
        .contains("prod");

    home.run("token", "create", "idle", "--role", "agent");
    assertThat(home.run("token", "revoke", "idle", "--stop", "--json").out()).contains("\"cancelled_runs\":[]",
        "\"released_locks\":[]", "\"released_tasks\":[]", "\"returned_messages\":[]");
  }

  private static void claim(Tasks tasks, String task, String token) {
    assertThat(tasks.perform(new TaskCommand.Call(new Agent("worker"), new RequestId("c-" + task), null, token),
        new TaskCommand.Start(new TaskId(task), new Ttl(900), OptionalLong.empty())))
        .isInstanceOf(TaskOutcome.Done.class);
  }

  @Test
  @DisplayName("Text that its author wrote next to the tokens stays unchanged")
  void keepsComments() throws Exception {
    String ann = TestTokens.entry("ann", "agent", "");
    String bob = TestTokens.entry("bob", "viewer", "");
    TestTokens.write(file.resolve("../..").normalize(), "# ours\n\n# Ann of team A\n" + ann + "\n# Bob, until May\n"
        + bob + "# the end\n");

    Outcome created = home.run("token", "create", "ci", "--role", "agent");
    String ci = "- name: \"ci\"\n  role: agent\n  sha256: " + digest(created) + "\n  created: " + createdAt() + "\n";
    assertThat(file)
        .hasContent("# ours\n\n# Ann of team A\n" + ann + "\n# Bob, until May\n" + bob + "# the end\n" + ci);

    assertThat(home.run("token", "revoke", "ann").err())
        .isEqualTo("the token of 'ann' is revoked; streams and waiting calls end within a second, runs continue\n");
    assertThat(file).hasContent("# ours\n\n# Ann of team A\n\n# Bob, until May\n" + bob + "# the end\n" + ci);
    home.run("token", "revoke", "ci");
    home.run("token", "revoke", "bob");
    assertThat(file).hasContent("# ours\n\n# Ann of team A\n\n# Bob, until May\n# the end\n");
    assertThat(home.run("token", "list").err()).isEqualTo("no tokens besides the operator's; create one with"
        + " `tower token create NAME --role agent`\n");
  }

  @Test
  @DisplayName("A list in another style is rewritten, and the output says so if comments are lost")
  void rewritten() throws Exception {
    TestTokens.write(file.resolve("../..").normalize(),
        "[{name: ann, role: agent, sha256: " + TestTokens.sha256("a")
            + "}] # ours\n");

    Outcome created = home.run("token", "create", "ci", "--role", "viewer");
    assertThat(created.err()).endsWith(file + " was rewritten; its comments are lost\n");
    assertThat(file).hasContent(HEAD + "- name: \"ann\"\n  role: agent\n  sha256: " + TestTokens.sha256("a")
        + "\n- name: \"ci\"\n  role: viewer\n  sha256: " + digest(created) + "\n  created: " + createdAt() + "\n");
  }

  @Test
  @DisplayName("--intent, --param, --lock, --mailbox and --task limit an agent; the file has them in the form that its schema allows")
  void limits() throws Exception {
    Outcome created = home.run("token", "create", "ci", "--role", "agent", "--intent", "deploy-*", "--intent", "ping",
        "--param", "environment=staging", "--param", "environment=test \"2\"", "--param", "app=web-*", "--lock",
        "ci-*", "--mailbox", "jobs-*", "--mailbox", "mail", "--task", "Web \"2\"");

    String params = "params: {app: [\"web-*\"], environment: [\"staging\", \"test \\\"2\\\"\"]}}";
    assertThat(file).hasContent(HEAD + "- name: \"ci\"\n  role: agent\n  sha256: " + digest(created)
        + "\n  intents:\n    - {name: \"deploy-*\", " + params + "\n    - {name: \"ping\", " + params
        + "\n  locks: [\"ci-*\"]\n  mailboxes: [\"jobs-*\", \"mail\"]\n  tasks: [\"Web \\\"2\\\"\"]\n  created: "
        + createdAt() + "\n");
    assertThat(home.run("token", "list").out())
        .contains("deploy-* (app web-*, environment staging or test \"2\"),ping (app",
            "  ci-*   jobs-*,mail  Web \"2\"  ");
    assertThat(home.run("token", "list", "--json").data().raw()).contains("\"intents\":[\"deploy-*\",\"ping\"]",
        "\"allowed_intents\":[{\"name\":\"deploy-*\",\"params\":{\"app\":[\"web-*\"],\"environment\":",
        "\"allowed_locks\":[\"ci-*\"],\"allowed_mailboxes\":[\"jobs-*\",\"mail\"],\"allowed_tasks\":[\"Web \\\"2\\\"\"]");
  }

  @Test
  @DisplayName("--owner and --approve apply to every role, stay after a rotation, and are listed")
  void approver() throws Exception {
    Outcome created = home.run("token", "create", "olga", "--role", "viewer", "--owner",
        "oidc:https://login.example.org#5f", "--approve", "deploy-*", "--approve", "wipe");

    String entry = HEAD
        + "- name: \"olga\"\n  role: viewer\n  sha256: %s\n  owner: \"oidc:https://login.example.org#5f\"\n"
        + "  approve: [\"deploy-*\", \"wipe\"]\n  created: %s\n";
    assertThat(file).hasContent(entry.formatted(digest(created), createdAt()));
    assertThat(home.run("token", "list").out().lines().map(line -> line.replaceAll("  +", "|"))).containsExactly(
        "NAME|ROLE|OWNER|INTENTS|LOCKS|MAILBOXES|TASKS|APPROVES|CREATED|LAST USED|EXPIRES",
        "olga|viewer|oidc:https://login.example.org#5f|-|-|-|-|deploy-*,wipe|" + createdAt() + "|never|never");
    assertThat(home.run("token", "list", "--json").data().raw()).contains("\"name\":\"olga\",\"role\":\"viewer\","
        + "\"owner\":\"oidc:https://login.example.org#5f\",\"intents\":[],\"approve\":[\"deploy-*\",\"wipe\"],");
    Outcome rotated = home.run("token", "rotate", "olga", "--overlap", "0s");
    assertThat(file).hasContent(entry.formatted(digest(rotated), createdAt()));
  }

  @Test
  @DisplayName("rotate changes the digest in place, keeps every comment, and keeps the previous digest until it ends")
  void rotate() throws Exception {
    String ann = TestTokens.entry("ann", "agent", "# since May\nexpires: 2099-01-31T08:00:00Z # not later\n");
    String bob = TestTokens.entry("bob", "viewer", "");
    TestTokens.write(file.resolve("../..").normalize(), "# ours\n" + ann + "# Bob\n" + bob);

    Outcome rotated = home.run("token", "rotate", "ann", "--overlap", "1h");
    assertThat(rotated.err())
        .matches("'ann' has a new token until 2099-01-31T08:00:00Z; it is on stdout and is not shown"
            + " again; the previous one is valid until \\S+Z\n");
    String until = rotated.err().replaceAll("(?s).* (\\S+Z)\n", "$1");
    String old = TestTokens.sha256(TestTokens.tokenOf("ann"));
    String after = "# ours\n" + ann.replace(old, digest(rotated)) + "  created: " + createdAt()
        + "\n  previous:\n    - {sha256: " + old + ", expires: " + until + "}\n# Bob\n" + bob;
    assertThat(file).hasContent(after);
    assertThat(home.run("token", "list").out().lines().map(line -> line.replaceAll("  +", "|"))).containsExactly(
        "NAME|ROLE|OWNER|INTENTS|LOCKS|MAILBOXES|TASKS|APPROVES|CREATED|LAST USED|EXPIRES",
        "ann|agent|-|-|-|-|-|-|" + createdAt() + "|never|2099-01-31T08:00:00Z",
        "ann (previous)|agent|-|-|-|-|-|-|-|never|" + until,
        "bob|viewer|-|-|-|-|-|-|-|never|never");

    Outcome again = home.run("token", "rotate", "ann", "--overlap", "0s", "--expires", "never");
    assertThat(again.err()).isEqualTo(
        "'ann' has a new token; it is on stdout and is not shown again; the previous one is no longer valid\n");
    assertThat(file).hasContent("# ours\n" + ann.replace(old, digest(again))
        .replace("  expires: 2099-01-31T08:00:00Z # not later\n", "") + "  created: " + createdAt() + "\n# Bob\n"
        + bob);
    assertThat(home.audit()).map(line -> line.replaceAll("\\d{4}-[^\"]*Z", "TIME")).containsOnly(
        "{\"event\":\"token_rotated\",\"timestamp\":\"TIME\",\"name\":\"ann\",\"role\":\"agent\",\"actor\":\"alice\",\"door\":\"cli\"}");
    assertThat(home.audit().toString()).doesNotContain(rotated.out().strip(), digest(rotated), old);
  }

  @Test
  @DisplayName("Only an entry in another style is rewritten; comments elsewhere stay")
  void rotateAnotherStyle() throws Exception {
    String ann = "- {name: ann, role: agent, sha256: " + TestTokens.sha256("a") + ", intents: [deploy-*]}\n";
    String bob = TestTokens.entry("bob", "viewer", "");
    TestTokens.write(file.resolve("../..").normalize(), "# ours\n" + ann + "# Bob\n" + bob);

    Outcome rotated = home.run("token", "rotate", "ann", "--overlap", "0s");
    assertThat(rotated.err()).doesNotContain("comments");
    assertThat(file).hasContent("# ours\n- name: \"ann\"\n  role: agent\n  sha256: " + digest(rotated)
        + "\n  intents: [\"deploy-*\"]\n  created: " + createdAt() + "\n# Bob\n" + bob);
  }

  @Test
  @DisplayName("With a lifetime, a token ends then, also in the list, and cannot be created for longer")
  void lifetime() throws Exception {
    Files.writeString(file.resolveSibling("application.yaml"), "tower.tokens.lifetime: 30d\n");
    Outcome created = home.run("token", "create", "ci", "--role", "agent");
    Instant made = Timestamps.parse(createdAt()).orElseThrow();
    String end = Timestamps.format(made.plus(Duration.ofDays(30)));
    assertThat(created.err()).startsWith("'ci' has role agent until " + end + ";");
    assertThat(file).content().doesNotContain("expires");
    assertThat(home.run("token", "list").out()).endsWith("  " + end + "\n");
    assertThat(home.run("token", "create", "bob", "--role", "agent", "--expires", "31d"))
        .satisfies(it -> assertThat(it.exit()).isEqualTo(64)).satisfies(it -> assertThat(it.err())
            .startsWith("tower: a token is valid for at most 30d here (tower.tokens.lifetime), not until "));

    String aged = Timestamps.format(made.minus(Duration.ofDays(25)));
    Files.writeString(file, Files.readString(file).replace(createdAt(), aged));
    assertThat(home.run("token", "list").out()).endsWith("Z (soon)\n");
    assertThat(home.run("doctor").out()).contains("'ci' ends soon").contains("tower token rotate ci");
    assertThat(home.run("token", "rotate", "ci").exit()).isZero();
    assertThat(home.run("token", "list").out()).doesNotContain("(soon)").contains("ci (previous)");
  }

  @Test
  @DisplayName("An expired token needs a new expiry; at most ten previous ones are valid at a time")
  void rotateAtLimits() throws Exception {
    TestTokens.write(file.resolve("../..").normalize(),
        TestTokens.entry("ann", "agent", "expires: 2020-01-01T00:00:00Z"));
    assertThat(home.run("token", "rotate", "ann")).satisfies(it -> assertThat(it.exit()).isEqualTo(64))
        .satisfies(it -> assertThat(it.err()).startsWith("tower: the token 'ann' has expired, and so would the new one;"
            + " give its expiry with --expires, such as --expires 90d or --expires never"));
    assertThat(home.run("token", "rotate", "ann", "--expires", "90d").err())
        .endsWith("the previous one is no longer valid\n");
    for (int i = 0; i < 10; i++) {
      assertThat(home.run("token", "rotate", "ann").exit()).isZero();
    }
    String full = Files.readString(file);
    assertThat(home.run("token", "rotate", "ann").err()).startsWith("tower: 'ann' has 11 tokens that are still valid;"
        + " end them with --overlap 0s, or rotate when one has expired");
    assertThat(file).hasContent(full);
    assertThat(home.run("token", "rotate", "ann", "--overlap", "0s").exit()).isZero();
    assertThat(file).content().doesNotContain("previous");
  }

  @ParameterizedTest
  @DisplayName("Invalid arguments are rejected, and nothing is written")
  @CsvSource(delimiter = '|', value = {"create x | 64 | --role is required",
      "create x --role boss | 64 | --role 'boss' must be viewer, agent or operator",
      "create operator --role agent | 64 | name 'operator' is reserved for the service; choose another",
      "create a/b --role agent | 64 | name 'a/b' must have 1 to 64 letters, digits and . _ @ -, and begin and end with a letter or digit",
      "create x --role agent --intents A* | 64 | intent pattern 'A*' must have 1 to 64 characters of a-z, 0-9, - and single *; for example deploy-*",
      "create x --role operator --intents a | 64 | intents are for agents: an operator may do everything",
      "create x --role agent --expires 0s | 64 | --expires '0s' is in the past",
      "create x --role agent --expires soon | 64 | --expires 'soon' is neither a time span such as 90d nor a UTC time such as …",
      "create x --role agent --expires 90 | 64 | --expires 90 has no unit; write 90d for days, or 90s for seconds",
      "create x --role agent --expires 59s | 64 | --expires '59s' is too short; a token must be valid for at least a minute, as in 90d",
      "create x --role operator --lock a | 64 | locks are for agents: an operator may do everything",
      "create x --role agent --lock A | 64 | lock pattern 'A' must have 1 to 128 characters of a-z, 0-9, -, _ and single *; for example ci-*",
      "create x --role agent --approve Deploy | 64 | intent pattern 'Deploy' must have 1 to 64 characters of a-z, 0-9, - and single *; for example deploy-*",
      "create x --role agent --owner oidc:ada | 64 | owner 'oidc:ada' must be a person, such as ada, in at most 512 printable characters without a space at either end, or a login as oidc:ISSUER#SUBJECT",
      "create x --role agent --param environment=staging | 64 | --param limits the intents of the same command; name them, such as --intent 'deploy-*', or --intent '*' for all",
      "create x --role agent --intent a --param staging | 64 | --param 'staging' must be NAME=VALUE, such as environment=staging",
      "create x --role agent --intent a --param En=x | 64 | parameter 'En' must be the name of a parameter (a-z, 0-9 and _, beginning with a letter) with at least one value; for example environment=staging",
      "rotate x | 3 | there is no token 'x'",
      "rotate operator | 3 | there is no operator token yet",
      "rotate operator --expires 90d | 64 | --expires does not apply to the operator's token, which does not expire; omit it",
      "rotate x --overlap soon | 64 | --overlap 'soon' is not a time span such as 24h, or 0 for none",
      "rotate x --overlap 24 | 64 | --overlap 24 has no unit; write 24h for hours, or 24s for seconds",
      "rotate x --overlap 0 | 3 | there is no token 'x'",
      "rotate x --overlap 91d | 64 | --overlap '91d' is longer than 90d",
      "rotate x --expires soon | 64 | --expires 'soon' is neither a time span such as 90d nor a UTC time such as …",
      "revoke operator | 3 | the operator's token cannot be revoked",
      "revoke x | 3 | there is no token 'x'"})
  void refused(String line, int exit, String message) {
    List<String> words = new ArrayList<>(List.of("token"));
    words.addAll(List.of(line.split(" ")));
    Outcome outcome = home.run(words.toArray(String[]::new));

    assertThat(outcome.exit()).as(outcome.err()).isEqualTo(exit);
    assertThat(outcome.err()).startsWith("tower: " + message.replace("…", ""));
    assertThat(file).doesNotExist();
  }

  @Test
  @DisplayName("A name can be used once; a broken file is not changed, and neither is a Secret's link")
  void notTouched() throws Exception {
    home.run("token", "create", "ci", "--role", "agent");
    assertThat(home.run("token", "create", "ci", "--role", "agent").err())
        .startsWith("tower: a token 'ci' exists; to replace it without a gap use `tower token rotate ci`, or choose"
            + " another name");

    Files.writeString(file, "- rol\n");
    assertThat(home.run("token", "create", "x", "--role", "agent")).isEqualTo(new Outcome(69, "",
        "tower: cannot read the tokens: " + file + ":1:3: must be a mapping of keys to values, one key per line; fix"
            + " that first\n  see `tower doctor`\n"));
    assertThat(file).hasContent("- rol\n");

    Files.delete(file);
    Files.writeString(file.resolveSibling("real"), "");
    Files.createSymbolicLink(file, Path.of("real"));
    assertThat(home.run("token", "create", "x", "--role", "agent").err()).startsWith("tower: " + file
        + " is a link, as in a pod whose tokens are a Secret; change its source");
  }

  @Test
  @DisplayName("The new file has the group permissions of the old one; otherwise the group would use the old tokens")
  void mode() throws Exception {
    home.run("token", "create", "ci", "--role", "agent");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    home.run("token", "revoke", "ci");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-r-----");
    assertThat(file.resolveSibling("").toFile().list()).containsExactlyInAnyOrder("tokens.yaml", ".tokens.guard",
        ".tokens.reserve");
  }

  @Test
  @DisplayName("A kill while the reserve replaces the tokens file leaves the old or the new one, and the next "
      + "change cleans up")
  void killedWithTheReserve() throws Exception {
    home.run("token", "create", "ann", "--role", "agent");
    Path reserve = file.resolveSibling(".tokens.reserve");
    Path next = file.resolveSibling(".tokens.reserve.new");
    Files.writeString(reserve, "- name: hal");
    assertThat(home.run("token", "create", "bob", "--role", "agent").exit()).isZero();
    assertThat(reserve).hasSize(64 * 1024);

    Files.createLink(next, file);
    assertThat(home.run("token", "create", "carol", "--role", "agent").exit()).isZero();
    assertThat(next).doesNotExist();
    assertThat(home.run("token", "list", "--json").data().raw()).contains("\"ann\"", "\"bob\"", "\"carol\"");
  }
}
