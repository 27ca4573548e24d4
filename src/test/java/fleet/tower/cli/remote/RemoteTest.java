package fleet.tower.cli.remote;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestFiles;
import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.service.config.TestService;
import fleet.tower.service.web.access.TestTokens;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("Commands through a service print and return what they do on files")
class RemoteTest {
  private static final Path SAMPLES = Path.of(System.getProperty("project.basedir", "."), "intents");

  @AutoClose
  private final TestService service;
  private Path directory;
  private TestHome elsewhere;

  RemoteTest(@TempDir Path shared) {
    service = new TestService(homeWithSample(shared));
    directory = shared;
    elsewhere = new TestHome(shared);
  }

  private static Path homeWithSample(Path home) {
    TestService.makeHome(home);
    TestFiles.write(home.resolve("intents/deploy-app.yaml"), TestFiles.text(SAMPLES.resolve("deploy-app.yaml")));
    return home;
  }

  @BeforeEach
  void begin(@TempDir Path own) {
    directory = own;
    elsewhere = remote(service);
  }

  private TestHome remote(TestService called) {
    return new TestHome(directory.resolve("elsewhere")).with("TOWER_URL", called.url()).with("TOWER_TOKEN",
        called.token());
  }

  @AfterEach
  void end() {
    assertThat(elsewhere.isUntouched()).isTrue();
    service.settle();
  }

  @Test
  @DisplayName("prime shows each caller its own name, role and limits, and only the intents that it may run")
  void primeOfCaller(@TempDir Path home) {
    try (TestService own = new TestService(homeWithSample(home))) {
      assertPrimes(own);
    }
  }

  private void assertPrimes(TestService own) {
    elsewhere = remote(own);
    TestService.declare(own.home(), "wipe", "mode: observe\nsteps: [{ name: s, run: [echo, x] }]\n");
    TestTokens.write(own.home(), TestTokens.entry("ci", "agent", "intents: [{name: deploy-*, params: {environment:"
        + " [staging]}}]\nlocks: [ci-*]\nmailboxes: [jobs-*, mail]\ntasks: [web]")
        + TestTokens.entry("eve", "viewer", "")
        + TestTokens.entry("otto", "operator", ""));
    Await.until("the tokens are read",
        () -> own.callAs(TestTokens.tokenOf("ci"), "GET", "/me", "").status() == 200);

    String ci = elsewhere.with("TOWER_TOKEN", TestTokens.tokenOf("ci")).tower("prime").out();
    assertThat(ci).contains("You are `ci` (agent), the name of your token. `TOWER_ACTOR` says on whose behalf you act,"
        + " now `alice`.\nYou may run deploy-* (environment staging).\nYou may hold the locks ci-* yourself;",
        "You may use the mailboxes jobs-*, mail.\nYou may work on tasks of the projects web.\n",
        "- `deploy-app`: ", "environment (string, one of staging production", "; yours: environment staging\n",
        "- not yours: 1 intent in `tower intents`\n",
        "Ask an operator to run the same command with `--force-lock`.", "- forbidden: ")
        .doesNotContain("`wipe`", "repeat with", "root");
    String eve = elsewhere.with("TOWER_TOKEN", TestTokens.tokenOf("eve")).tower("prime").out();
    assertThat(eve).contains("You are `eve` (viewer)", "`tower plan deploy-app", "`tower plan wipe`",
        "Your role can only read").doesNotContain("tower run ", "--force-lock", "You may");
    String otto = elsewhere.with("TOWER_TOKEN", TestTokens.tokenOf("otto")).tower("prime").out();
    assertThat(otto).contains("You are `otto` (operator)", "`tower run wipe`", "repeat with `--force-lock`")
        .doesNotContain("You may");
  }

  @Test
  @DisplayName("LK-7 a guard with --on-lost stop does not end its command while the service renews the lock")
  @ProofsProfile
  void guardGoesOn() throws Exception {
    Path go = directory.resolve("go");
    String await = "while [ ! -e '" + go + "' ]; do sleep 0.05; done; exit 3";
    CompletableFuture<Outcome> guard = CompletableFuture.supplyAsync(
        () -> elsewhere.run("guard", "prod", "--ttl", "30s", "--on-lost", "stop", "--", "sh", "-c", await));
    Await.until("it holds", () -> elsewhere.tower("check prod").exit() == 1);
    String first = elsewhere.tower("check prod --json").data().text("last_heartbeat_at").orElseThrow();
    Await.until("a heartbeat",
        () -> !elsewhere.tower("check prod --json").data().text("last_heartbeat_at").orElse(first).equals(first));
    Files.createFile(go);

    assertThat(guard.join()).isEqualTo(new Outcome(3, "", ""));
    assertThat(elsewhere.tower("check prod").exit()).isEqualTo(3);
  }

  @Test
  @DisplayName("A guard that takes a stale lock by force is audited with its reason, and its lock has its metadata")
  void guardExplains() {
    TestHome home = new TestHome(service.home());
    for (TestHome from : List.of(home, elsewhere)) {
      elsewhere.tower("lock old --ttl 1s");
      Await.until("it is stale", () -> elsewhere.tower("check old").exit() == 0);
      String marked = directory.resolve("marked").toString();

      assertThat(from.run("guard", "old", "--force-lock", "--reason", "host burnt down", "--metadata", "ticket=OPS-7",
          "--", "sh", "-c", "cat '" + home.root().resolve("logs/locks/old.lock") + "' >'" + marked + "'").exit())
          .isZero();

      assertThat(TestFiles.text(Path.of(marked))).contains("\"ticket\":\"OPS-7\"");
      assertThat(home.audit()).filteredOn(event -> event.contains("\"lock_name\":\"old\",\"of\":\"lock_stolen\""))
          .hasSize(from.equals(home) ? 1 : 2).allMatch(event -> event.contains("\"reason\":\"host burnt down\""));
    }
  }

  @Test
  @DisplayName("A stale lock that a killed guard left is released by its owner, who is told how, or by the same guard")
  void guardRepeats() {
    elsewhere.tower("lock prod --request-id job-1 --ttl 1s");
    Await.until("it is stale", () -> elsewhere.tower("check prod").exit() == 0);
    String unlock = "tower unlock prod --request-id job-1";

    assertThat(elsewhere.tower("guard prod --json -- true").out()).contains(unlock);
    assertThat(elsewhere.tower("why prod").out()).contains(unlock);
    assertThat(elsewhere.tower("guard prod --request-id job-1 -- true").exit()).isZero();
    assertThat(elsewhere.tower("check prod").exit()).isEqualTo(3);

    elsewhere.tower("lock prod --request-id job-2 --ttl 1s");
    assertThat(elsewhere.tower("unlock prod --request-id job-2").exit()).isZero();
  }

  @Test
  @DisplayName("Decision 17 an operator's commands through a service do not use the lock of a run, and remove it only "
      + "if they abandon the run")
  void lockOfARun() {
    TestService.declare(service.home(), "hold", """
        mode: mutate
        controls: { lock: prod }
        steps: [{ name: work, script: "sleep 600" }]
        """);
    assertThat(elsewhere.tower("run hold --request-id hold-1 --detach").exit()).isZero();
    Await.until("it holds", () -> elsewhere.tower("check prod").exit() == 1);

    for (String command : List.of("lock prod", "unlock prod", "heartbeat prod")) {
      Outcome refused = elsewhere.tower(command + " --request-id hold-1 --json");
      assertThat(refused.exit()).isEqualTo(4);
      assertThat(refused.errorCode()).isEqualTo("lock_of_run");
      assertThat(refused.out()).contains("\"command\":\"tower cancel hold-1\"");
    }
    assertThat(elsewhere.tower("guard prod --request-id hold-1 -- true").exit()).isEqualTo(75);
    Outcome spared = elsewhere.tower("force-release prod --reason test --json");
    assertThat(spared.exit()).isEqualTo(2);
    assertThat(spared.errorCode()).isEqualTo("run_active");
    assertThat(elsewhere.tower("force-release prod --reason test --abandon").exit()).isZero();
    assertThat(elsewhere.tower("wait hold-1").exit()).isEqualTo(6);
  }

  @Test
  @DisplayName("LK-29 LK-1 a guard holds the service's lock while its command runs here, renewed over HTTP; a "
      + "lost one is reported")
  void guards() throws Exception {
    Path go = directory.resolve("go");
    String await = "while [ ! -e '" + go + "' ]; do sleep 0.05; done; exit 3";

    assertThat(elsewhere.run("guard", "prod", "--", "sh", "-c", "exit 7")).isEqualTo(new Outcome(7, "", ""));
    CompletableFuture<Outcome> guard = CompletableFuture
        .supplyAsync(() -> elsewhere.run("guard", "prod", "--ttl", "1s", "--", "sh", "-c", await));
    Await.until("it holds", () -> elsewhere.tower("check prod").exit() == 1);
    String first = elsewhere.tower("check prod --json").data().text("last_heartbeat_at").orElseThrow();
    Await.until("a heartbeat",
        () -> !elsewhere.tower("check prod --json").data().text("last_heartbeat_at").orElse(first).equals(first));
    assertThat(elsewhere.tower("guard prod -- true").exit()).isEqualTo(75);
    assertThat(elsewhere.tower("guard prod --wait 1s -- true").exit()).isEqualTo(75);
    elsewhere.tower("force-release prod --reason test");
    elsewhere.tower("lock prod --request-id thief");
    Files.createFile(go);

    Outcome outcome = guard.join();
    assertThat(outcome.exit()).isEqualTo(3);
    // The guard may look at a moment without a holder.
    assertThat(outcome.err()).containsPattern(
        "tower: warning: lock prod is lost: (held by operator on tower-01 |it is not held by anyone)");
    assertThat(elsewhere.tower("check prod").exit()).isEqualTo(1);
    assertThat(elsewhere.tower("unlock prod --request-id thief").exit()).isZero();
  }

  @Test
  @DisplayName("A lock is acquired, shown, renewed, fenced and released; other requests are rejected as usual")
  void locks() {
    Outcome lock = elsewhere.tower("lock fenced --request-id req_1 --ttl 1m");
    assertThat(lock.exit()).isZero();
    assertThat(lock.out()).isEqualTo("req_1\n");
    assertThat(lock.err()).startsWith("lock fenced acquired, fencing token 1, until ");

    Outcome refused = elsewhere.tower("lock fenced");
    assertThat(refused.exit()).isEqualTo(2);
    assertThat(refused.err()).startsWith("tower: lock fenced is held by operator on tower-01");
    assertThat(elsewhere.tower("lock fenced --json").errorCode()).isEqualTo("lock_blocked");
    assertThat(elsewhere.tower("lock fenced --wait 1s").exit()).isEqualTo(2);
    assertThat(elsewhere.tower("lock Fenced").exit()).isEqualTo(64);

    assertThat(elsewhere.tower("check fenced")).isEqualTo(new Outcome(1, "active\n", ""));
    assertThat(elsewhere.tower("check other")).isEqualTo(new Outcome(3, "free\n", ""));
    assertThat(elsewhere.tower("exists fenced").exit()).isZero();
    assertThat(elsewhere.tower("why fenced").exit()).isEqualTo(2);
    assertThat(elsewhere.tower("locks --names").out()).isEqualTo("fenced\n");
    assertThat(elsewhere.tower("locks fenced").out()).startsWith("fenced: active\n  held by    operator on tower-01");
    assertThat(elsewhere.tower("fence fenced --token 1").exit()).isZero();
    assertThat(elsewhere.tower("fence fenced --token 2").exit()).isEqualTo(6);
    assertThat(elsewhere.tower("heartbeat fenced --request-id req_1").exit()).isZero();
    assertThat(elsewhere.tower("unlock fenced --request-id req_2").exit()).isEqualTo(4);
    assertThat(elsewhere.tower("unlock fenced --request-id req_1 --token 2").exit()).isEqualTo(4);
    assertThat(elsewhere.tower("unlock fenced --request-id req_1 --token 1").exit()).isZero();
    assertThat(elsewhere.tower("unlock fenced --request-id req_1").err())
        .isEqualTo("tower: warning: lock fenced is not held; nothing was released\n");
    assertThat(elsewhere.tower("heartbeat fenced --request-id req_1").exit()).isEqualTo(3);
    assertThat(elsewhere.tower("force-release fenced --reason none").exit()).isEqualTo(3);
    assertThat(elsewhere.tower("audit --event lock_released --json").out()).contains("\"request_id\":\"req_1\"");
  }

  @Test
  @DisplayName("The intent and its version are sent; the process cannot be sent and is rejected; a waiter sees "
      + "the holder's intent")
  void lockOptions() {
    assertThat(elsewhere.tower("lock prod --request-id req_1 --intent ship --intent-version 2.1.0").exit()).isZero();
    assertThat(service.get("/locks/prod").body()).contains("\"intent\":\"ship\",\"intent_version\":\"2.1.0\"");

    Outcome pid = elsewhere.tower("lock prod --pid 1");
    assertThat(pid.exit()).isEqualTo(64);
    assertThat(pid.err()).startsWith(
        "tower: --pid applies only to locks on files; a service's lock has the service's pid; omit it\n");
    assertThat(elsewhere.tower("lock prod --wait 1s").err()).startsWith(
        "tower: lock prod is held by operator on tower-01 (intent ship, request req_1), waited for 0s\n");
    assertThat(service.call("DELETE", "/locks/prod?request_id=req_1&fencing_token=x", "").status()).isEqualTo(400);
  }

  @Test
  @DisplayName("A stale lock is exit 5, and is taken by force")
  void stale() {
    service.foreignLock("prod", TestHome.now().minusSeconds(600), 60);

    assertThat(elsewhere.tower("check prod")).isEqualTo(new Outcome(0, "stale\n", ""));
    assertThat(elsewhere.tower("lock prod").exit()).isEqualTo(5);
    assertThat(elsewhere.tower("lock prod --force-lock").exit()).isZero();
  }

  @Test
  @DisplayName("why names the queued runs that no host takes, whether their lock is free or held")
  void stranded() {
    TestService.declare(service.home(), "migrate", """
        mode: mutate
        runs_on: [db-admin]
        controls: { lock: schema }
        steps: [{ name: s, run: [echo, x] }]
        """);
    assertThat(elsewhere.tower("run migrate --request-id migrate-1 --detach").exit()).isZero();
    String line = """
        no_host: run migrate-1 of migrate is queued: no live host has the label db-admin
          try: tower hosts
        """;

    assertThat(elsewhere.tower("why schema")).isEqualTo(new Outcome(0, "lock schema is free\n" + line, ""));
    Outcome json = elsewhere.tower("why schema --json");
    assertThat(json.data().text("status")).hasValue("free");
    assertThat(TestHome.texts(json.data(), "reasons", "type")).containsExactly("no_host");
    assertThat(elsewhere.tower("lock schema --request-id r1").exit()).isZero();
    assertThat(elsewhere.tower("why schema")).satisfies(held -> {
      assertThat(held.exit()).isEqualTo(2);
      assertThat(held.out()).startsWith("held: held by ").endsWith(line);
    });
    assertThat(elsewhere.tower("cancel migrate-1").exit()).isZero();
    assertThat(elsewhere.tower("why schema").out()).doesNotContain("no_host");
  }

  @Test
  @DisplayName("LK-30 LK-31 a name is frozen, shown, explained and unfrozen, with the messages and exit codes of "
      + "a home")
  void freezes() throws Exception {
    Outcome freeze = elsewhere.run("freeze", "prod", "--ttl", "30m", "--reason", "database migration");
    assertThat(freeze.exit()).as(freeze.err()).isZero();
    assertThat(freeze.err()).matches("lock prod is frozen until \\S+Z; its current holder continues\n");
    assertThat(elsewhere.tower("freeze prod --ttl 1m --reason x --json").errorCode()).isEqualTo("lock_frozen");
    assertThat(elsewhere.tower("freeze prod --ttl 1m --reason x").exit()).isEqualTo(2);
    assertThat(elsewhere.tower("lock prod").exit()).isEqualTo(2);
    assertThat(elsewhere.tower("check prod")).isEqualTo(new Outcome(3, "free\n", ""));
    assertThat(elsewhere.tower("locks").out()).contains("prod  free,frozen\n");
    assertThat(elsewhere.tower("locks prod").out()).contains("  reason     database migration\n");
    Outcome why = elsewhere.tower("why prod");
    assertThat(why.exit()).isEqualTo(2);
    assertThat(why.out()).startsWith("frozen: frozen by operator until ");
    assertThat(elsewhere.tower("plan deploy-app -p app=web").out()).contains("lock      web-staging: free\n");
    elsewhere.tower("freeze web-staging --ttl 1m --reason x");
    assertThat(elsewhere.tower("plan deploy-app -p app=web").out()).contains("lock      web-staging: frozen");
    assertThat(elsewhere.tower("run deploy-app -p app=web").exit()).isEqualTo(2);
    assertThat(elsewhere.tower("unfreeze prod").exit()).isZero();
    assertThat(elsewhere.tower("unfreeze prod").exit()).isEqualTo(3);
    assertThat(elsewhere.tower("lock prod").exit()).isZero();
    Files.createDirectory(service.home().resolve("logs/locks/.odd.freeze"));
    assertThat(elsewhere.tower("why odd").out()).contains("a directory, not a regular file")
        .contains("  ask an operator to run: tower unfreeze odd");
    assertThat(elsewhere.tower("unfreeze odd").exit()).isZero();
  }

  @Test
  @DisplayName("An intent runs in the service, with typed parameters, and its events are printed as they happen")
  void run() {
    Outcome good = elsewhere.tower("run deploy-app -p app=web -p replicas=3");
    assertThat(good.exit()).as(good.err()).isZero();
    assertThat(good.err()).startsWith("tower: step prepare started\n").contains("tower: step clean_up succeeded in ");
    assertThat(service.home().resolve("state/demo/staging/web")).content().contains("replicas=3");

    Outcome once = elsewhere.tower("run deploy-app -p app=web --request-id r9 --json");
    assertThat(once.data().raw()).contains("\"replayed\":false");
    assertThat(elsewhere.tower("run deploy-app -p app=web --request-id r9 --json").data().raw())
        .isEqualTo(once.data().raw().replace("\"replayed\":false", "\"replayed\":true"));
    assertThat(elsewhere.tower("run deploy-app -p app=web --request-id r9").err()).startsWith(
        "tower: run r9 was requested before; nothing was started; this is its output\n");

    Outcome again = elsewhere.tower("run --again r9 -p replicas=4 --json");
    assertThat(again.data().text("again")).hasValue("r9");
    assertThat(elsewhere.tower("runs " + again.data().text("request_id").orElseThrow() + " --json").data()
        .object("params").orElseThrow().raw()).contains("\"app\":\"web\"", "\"replicas\":4");
    assertThat(elsewhere.tower("run --again none --json").errorCode()).isEqualTo("run_not_found");

    Outcome bad = elsewhere.tower("run deploy-app -p app=web -p fail_at=check");
    assertThat(bad.exit()).isEqualTo(1);
    assertThat(bad.err()).contains("tower: rollback of write_manifest succeeded in ", " failed at step check after ",
        "tower: rolled back\n");
    assertThat(elsewhere.tower("run deploy-app -p app=web --json").data().text("status")).hasValue("succeeded");

    assertThat(elsewhere.tower("plan deploy-app -p app=web").out()).contains("lock      web-staging: free\n");
    TestService.declare(service.home(), "unlocked", """
        mode: mutate
        steps:
          - name: work
            run: [echo, done]
        """);
    Await.until("the service knows the intent", () -> elsewhere.tower("plan unlocked").exit() == 0);
    assertThat(elsewhere.tower("run unlocked --require-lock --json").errorCode()).isEqualTo("lock_required");
    assertThat(elsewhere.tower("run unlocked").exit()).isZero();
    assertThat(elsewhere.tower("run deploy-app -p app=web --require-lock").exit()).isZero();
    assertThat(elsewhere.tower("run deploy-ap").exit()).isEqualTo(3);
    assertThat(elsewhere.tower("run deploy-app -p replicas=x").exit()).isEqualTo(64);
    service.foreignLock("web-staging", TestHome.now().minusSeconds(600), 60);
    assertThat(elsewhere.tower("run deploy-app -p app=web").exit()).isEqualTo(5);
    Outcome taken = elsewhere.tower("run deploy-app -p app=web --force-lock");
    assertThat(taken.exit()).isZero();
    assertThat(taken.err()).contains("tower: warning: lock web-staging was taken from bob on tower-02"
        + " (intent deploy, request req_old), last alive ");
    service.foreignLock("web-staging", TestHome.now(), 600);
    assertThat(elsewhere.tower("run deploy-app -p app=web").exit()).isEqualTo(2);
    assertThat(elsewhere.tower("run deploy-app -p app=web --wait 1s").exit()).isEqualTo(2);
  }

  @Test
  @DisplayName("LK-35 the page for agents shows the service's intents and locks")
  void prime() {
    elsewhere.tower("lock prod");

    assertThat(elsewhere.tower("prime").out()).contains("- `deploy-app`: Deploy one app to one environment; mutate,"
        + " lock `${params.app}-${params.environment}`: `tower run deploy-app -p app=APP`; parameters:"
        + " app (string, required, matches [a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?), environment (string, one of staging"
        + " production, default staging), replicas (integer, at least 1, at most 50, default 2), fail_at (string, one of"
        + " nowhere check, default nowhere)\n", "- `prod`: active, held by operator for ");
  }

  @Test
  @DisplayName("A token sent to another host over plain http is reported, once by a command and by the doctor")
  void overheard() {
    String url = service.url().replace("127.0.0.1", "0.0.0.0");
    String warning = "the token goes to " + url + " over plain HTTP, where others can read it";

    Outcome locks = elsewhere.run("locks", "--server", url);
    assertThat(locks).isEqualTo(new Outcome(0, "no locks\n", "tower: warning: " + warning + "\n"));
    assertThat(elsewhere.run("doctor", "--server", url).out()).contains("warn  token in transit", warning,
        "→ use an https address or a tunnel to 127.0.0.1, and create a new token");
    assertThat(elsewhere.with("TOWER_TOKEN", "").run("locks", "--server", url).err()).doesNotContain(warning);
    assertThat(elsewhere.tower("locks").err()).doesNotContain("plain http");
  }

  @Test
  @DisplayName("LK-33 doctor: an unreachable service is an error, and all other checks still run")
  void unreachable() throws Exception {
    Files.createDirectories(directory.resolve("other"));
    TestHome other = new TestHome(directory.resolve("other"));
    Outcome outcome = other.tower("doctor --server http://127.0.0.1:1");

    assertThat(outcome.exit()).isEqualTo(1);
    assertThat(outcome.out()).contains("fail  server", "http://127.0.0.1:1 cannot be used: server_unavailable",
        "→ start it with `tower serve`, or correct --server or TOWER_URL", "wall clock", "database");
  }

  @Test
  @DisplayName("A wrong token is exit 77 and is not printed; the operator's token is read from its file, only on "
      + "request")
  void token() {
    Outcome wrong = elsewhere.with("TOWER_TOKEN", "wrong-token-that-nobody-gave-out-ever").tower("locks");
    assertThat(wrong.exit()).isEqualTo(77);
    assertThat(wrong.out() + wrong.err()).contains("does not accept the token").doesNotContain("wrong-token");
    assertThat(elsewhere.with("TOWER_TOKEN", "").tower("locks").err()).contains("requires a token");

    TestHome own = new TestHome(service.home());
    Outcome unasked = own.run("locks", "--server", service.url());
    assertThat(unasked).isEqualTo(new Outcome(77, "", "tower: the service at " + service.url() + " requires a token\n"
        + "  set TOWER_TOKEN to a token of that service, or TOWER_TOKEN_FILE to a file that holds one\n"));
    Path file = service.home().resolve("state/token");
    own.with("TOWER_TOKEN_FILE", file.toString());
    assertThat(own.run("locks", "--server", service.url())).isEqualTo(new Outcome(0, "no locks\n", ""));
    assertThat(own.run("doctor", "--server", service.url()).out()).contains("the service accepts it");
  }

  @Test
  @DisplayName("TOWER_TOKEN overrides the file; an unreadable or empty file is a usage error, and is not printed")
  void tokenFile() throws Exception {
    Path file = Files.writeString(directory.resolve("secret-file"), "two tokens");
    elsewhere.with("TOWER_TOKEN_FILE", file.toString());
    assertThat(elsewhere.tower("locks").exit()).isZero();

    elsewhere.with("TOWER_TOKEN", "");
    assertThat(elsewhere.tower("locks")).isEqualTo(new Outcome(64, "", "tower: TOWER_TOKEN_FILE " + file
        + " must hold one token on one line\n  usage: tower locks [NAME] [--names] [--server URL] [--json]\n"));
    Files.delete(file);
    assertThat(elsewhere.tower("locks").err())
        .startsWith("tower: TOWER_TOKEN_FILE " + file + " cannot be read: there is no such file");
  }

  @Test
  @DisplayName("A token from a file is never sent to another user's process that listens on the service's port")
  void squatter() throws Exception {
    Assumptions.assumeTrue(Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0),
        "only root can be two users");
    Path file = Files.writeString(directory.resolve("token"), service.token());
    Path served = Files.createDirectories(directory.resolve("served"));
    Path log = directory.resolve("squatter");
    Process squatter = new ProcessBuilder("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
        Path.of(System.getProperty("java.home"), "bin/jwebserver").toString(), "-b", "127.0.0.1", "-p", "0", "-d", "/",
        "-o", "verbose").redirectErrorStream(true).redirectOutput(log.toFile()).directory(served.toFile()).start();
    try {
      Pattern ready = Pattern.compile("(http://127\\.0\\.0\\.1:\\d+)/");
      Await.until("the other process listens", () -> ready.matcher(TestHome.text(log)).find());
      Matcher found = ready.matcher(TestHome.text(log));
      assertThat(found.find()).isTrue();
      String url = found.group(1);

      TestHome own = new TestHome(service.home()).with("TOWER_URL", url);
      assertThat(own.tower("locks").exit()).isEqualTo(77);
      own.with("TOWER_TOKEN_FILE", file.toString());
      assertThat(own.tower("locks")).isEqualTo(new Outcome(69, "", "tower: the token in " + file + " was not sent to "
          + url + ": user id 65534 listens there, but the file belongs to user id 0\n"
          + "  check which process listens there; a token in TOWER_TOKEN is sent without this check\n"));
      assertThat(own.run("lock", "x", "--json", "--server", url.replace("127.0.0.1", "localhost")).errorCode())
          .isEqualTo("server_untrusted");
      assertThat(TestHome.text(log)).doesNotContainIgnoringCase("authorization").doesNotContain(service.token());

      Files.setAttribute(file, "unix:uid", 65534);
      assertThat(own.tower("locks").err()).doesNotContain("was not sent");
      Await.until("the request is logged", () -> TestHome.text(log).contains(service.token()));
      assertThat(TestHome.text(log)).containsOnlyOnce(service.token());
    } finally {
      squatter.destroyForcibly().waitFor();
    }
  }

  @Test
  @DisplayName("The service records --actor of every command that has it, in any script")
  void onBehalfOf() {
    TestService.declare(service.home(), "quick", "mode: observe\nsteps: [{ name: s, run: [echo, x] }]\n");
    Await.until("the intent is known", () -> service.get("/intents/quick").status() == 200);
    for (String somebody : List.of("carol", "Zoë Ωmega")) {
      elsewhere.run("lock", "held", "--request-id", "r1", "--actor", somebody);
      assertThat(service.get("/locks/held").body()).contains("\"actor\":\"operator\"",
          "\"on_behalf_of\":\"" + somebody + "\"");
      elsewhere.run("force-release", "held", "--reason", "r", "--actor", somebody);
      JsonObject freeze = elsewhere.run("freeze", "held", "--ttl", "60", "--reason", "r", "--actor", somebody, "--json")
          .data();
      JsonObject look = elsewhere.run("locks", "held", "--json").data();
      assertThat(freeze.raw()).contains("\"on_behalf_of\":\"" + somebody + "\"");
      assertThat(look.object("frozen").orElseThrow().raw()).isEqualTo(freeze.raw());
      assertThat(new TestHome(service.home()).run("locks", "held", "--json").data().raw()).isEqualTo(look.raw());
      elsewhere.run("unfreeze", "held", "--actor", somebody);
      elsewhere.run("mailbox", "send", "box", "1");
      elsewhere.run("mailbox", "purge", "box", "--actor", somebody);
      elsewhere.run("run", "quick", "--request-id", "q-" + somebody.length(), "--actor", somebody);
      assertThat(service.get("/runs/q-" + somebody.length()).body()).contains("\"on_behalf_of\":\"" + somebody + "\"");
      assertThat(service.get("/audit?event=lock_force_released").body()).contains("\"on_behalf_of\":\"" + somebody);
      assertThat(service.get("/audit?event=lock_frozen").body()).contains("\"on_behalf_of\":\"" + somebody);
      assertThat(service.get("/audit?event=lock_unfrozen").body()).contains("\"on_behalf_of\":\"" + somebody);
      assertThat(service.get("/audit?event=mailbox_purged").body()).contains("\"on_behalf_of\":\"" + somebody);
    }
  }
}
