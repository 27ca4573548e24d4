package fleet.tower.service.mcp.tool;

import static fleet.tower.service.mcp.tool.FixedTools.ANN;
import static fleet.tower.service.mcp.tool.FixedTools.BOB;
import static fleet.tower.service.mcp.tool.FixedTools.VIC;
import static fleet.tower.service.mcp.tool.FixedTools.actions;
import static fleet.tower.service.mcp.tool.FixedTools.exchange;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import fleet.tower.access.Caller;
import fleet.tower.access.NamePattern;
import fleet.tower.access.Role;
import fleet.tower.access.Scope;
import fleet.tower.harness.Await;
import fleet.tower.harness.JavaProcess;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.FreezeRequest;
import fleet.tower.lock.Halt;
import fleet.tower.lock.HaltRequest;
import fleet.tower.lock.TestRequest;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.mcp.tool.ToolsHome.Called;
import fleet.tower.service.mcp.wire.ProtocolError;
import fleet.tower.service.mcp.wire.Revision;
import fleet.tower.service.mcp.wire.TestExchange;

@DisplayName("The tools about locks, on files")
class LockToolsTest {
  private static final String PROD = "{\"lock_name\":\"prod\"}";
  private static final List<String> LOCK_TOOLS = List.of("explain_lock", "list_locks", "acquire_lock", "renew_lock",
      "release_lock");

  private final Path root;
  private final Path go;
  @AutoClose
  private final FixedTools tools;

  LockToolsTest(@TempDir Path root, @TempDir Path other) {
    this.root = root;
    go = other.resolve("go");
    ToolsHome.declare(root, "hold", "Holds a lock until it may go on", """
        mode: mutate
        controls: { lock: held }
        steps: [{ name: work, script: "until [ -e %s ]; do sleep 0.05; done" }]
        """.formatted(go));
    tools = new FixedTools(ToolsHome.declare(root, "deploy-app", "Deploys", """
        mode: mutate
        params: { app: { type: string, required: true, pattern: "[a-z]+" } }
        controls: { lock: "${params.app}-live" }
        steps: [{ name: copy, run: ["true"] }]
        """));
  }

  private static String of(String name, String request, String more) {
    return "{\"lock_name\":\"" + name + "\",\"request_id\":\"" + request + "\"" + more + "}";
  }

  private static String of(String request) {
    return of("prod", request, "");
  }

  private boolean isHeld(String name) {
    return tools.done(ANN, "explain_lock", of(name, "x", "").replace(",\"request_id\":\"x\"", "")).text("request_id")
        .isPresent();
  }

  /** A run of the request r1 that holds its lock until {@link #go} exists. */
  private CompletableFuture<Called> holdingRun() {
    CompletableFuture<Called> run = tools.later(exchange(ANN, "hold", "{\"tower_request_id\":\"r1\"}"));
    awaitHolding();
    return run;
  }

  private void awaitHolding() {
    Await.until("the run holds its lock", () -> isHeld("held"));
    Await.until("its record names the lock",
        () -> tools.call("get_run", "{\"request_id\":\"r1\"}").structured().object("lock").isPresent());
  }

  private int waiters() {
    return tools.home.locks().waiters(new LeaseName("prod"));
  }

  private Called explain(Caller caller, String name) {
    return tools.call(caller, "explain_lock", "{\"lock_name\":\"" + name + "\"}");
  }

  @Test
  @DisplayName("A viewer only sees those that change nothing, and none takes a lock by force")
  void listed() {
    assertThat(tools.names(ANN)).containsSubsequence(LOCK_TOOLS);
    assertThat(tools.names(VIC)).containsSubsequence("explain_lock", "list_locks").doesNotContain("acquire_lock",
        "renew_lock", "release_lock");
    assertThatThrownBy(() -> tools.call(VIC, "acquire_lock", PROD)).isInstanceOf(ProtocolError.class);
    Called forced = tools.call("acquire_lock", of("prod", "r1", ",\"force_lock\":true"));
    assertThat(forced.error()).isEqualTo("invalid_params");
    assertThat(isHeld("prod")).isFalse();
  }

  @Test
  @DisplayName("A lock is acquired once per request id, renewed and released by its owner")
  void held() {
    JsonObject first = tools.done(ANN, "acquire_lock", of("prod", "r1", ",\"ttl_seconds\":60,\"intent\":\"by hand\""));
    long token = first.integer("fencing_token").orElseThrow();
    assertThat(first.text("intent")).hasValue("by hand");
    assertThat(first.raw()).contains("\"ttl_seconds\":60", "\"already_held\":false");
    Called again = tools.call("acquire_lock", of("r1"));
    assertThat(again.structured().raw()).contains("\"already_held\":true", "\"fencing_token\":" + token);
    assertThat(again.text()).startsWith("lock prod is already held, fencing token 1, until ")
        .contains("\"fencing_token\":");

    assertThat(tools.done(ANN, "renew_lock", of("prod", "r1", ",\"fencing_token\":" + token)).integer("fencing_token"))
        .hasValue(token);
    assertThat(tools.call("renew_lock", of("prod", "r1", ",\"fencing_token\":" + (token + 1))).error())
        .isEqualTo("lock_lost");
    assertThat(tools.call(BOB, "renew_lock", of("r1")).error()).isEqualTo("forbidden");
    assertThat(tools.call(BOB, "release_lock", of("r2")).error()).isEqualTo("not_lock_owner");
    assertThat(actions(tools.call(BOB, "release_lock", of("r2")))).containsExactly("explain_lock " + PROD);

    assertThat(tools.done(ANN, "release_lock", of("prod", "r1", ",\"result\":\"failure\"")).raw())
        .contains("\"released\":true");
    assertThat(tools.call("release_lock", of("r1")).error()).isEqualTo("lock_not_found");
  }

  @Test
  @DisplayName("Decision 17 no caller uses a run's lock by the run's id; its requester may cancel the run, others ask")
  void ofARun() throws IOException {
    CompletableFuture<Called> run = holdingRun();
    String ofRun = of("held", "r1", "");

    for (String tool : List.of("acquire_lock", "renew_lock", "release_lock")) {
      Called refused = tools.call(ANN, tool, ofRun);
      assertThat(refused.error()).as(tool).isEqualTo("lock_of_run");
      assertThat(actions(refused)).containsExactly("cancel_run {\"request_id\":\"r1\"}",
          "get_run {\"request_id\":\"r1\"}");
      Called ofBob = tools.call(BOB, tool, ofRun);
      assertThat(ofBob.error()).as(tool).isEqualTo("lock_of_run");
      assertThat(actions(ofBob)).first().isEqualTo("get_run {\"request_id\":\"r1\"}");
      assertThat(ofBob.text()).contains("ask an operator to run: tower cancel r1");
    }
    assertThat(isHeld("held")).isTrue();

    Files.createFile(go);
    assertThat(run).succeedsWithin(Await.LIMIT).extracting(Called::outcome).isEqualTo("succeeded");
    assertThat(tools.call(ANN, "acquire_lock", ofRun).error()).isEqualTo("lock_of_run");
  }

  @Test
  @DisplayName("The owner of a stale lock is told to release it, by refusals and by explain_lock; others are not")
  void ownStaleLock() {
    tools.done(ANN, "acquire_lock", of("prod", "r1", ",\"ttl_seconds\":1"));
    Await.until("the lock is stale", () -> explain(ANN, "prod").structured().text("state").filter("stale"::equals)
        .isPresent());
    String release = "release_lock " + of("r1");

    assertThat(actions(tools.call(ANN, "acquire_lock", of("r2")))).first().isEqualTo(release);
    assertThat(actions(explain(ANN, "prod"))).first().isEqualTo(release);
    assertThat(actions(tools.call(BOB, "acquire_lock", of("r2")))).doesNotContain(release);
    assertThat(actions(explain(BOB, "prod"))).doesNotContain(release);

    assertThat(tools.perform(ANN, tools.call(ANN, "acquire_lock", of("r2")).actions().getFirst()).outcome())
        .isEqualTo("done");
  }

  @Test
  @DisplayName("A caller that sends no request id finds it in the answer")
  void newId() {
    String id = tools.done(ANN, "acquire_lock", PROD).text("request_id").orElseThrow();
    tools.done(ANN, "release_lock", of(id));
  }

  @Test
  @DisplayName("A refusal has the holder, an estimate, and calls that work exactly as given")
  void refused() {
    tools.done(ANN, "acquire_lock", of("r1"));
    Called refused = tools.call(BOB, "acquire_lock", of("r2"));

    assertThat(refused.error()).isEqualTo("lock_blocked");
    assertThat(refused.structured().object("held_by").orElseThrow().text("actor")).hasValue("ann");
    assertThat(refused.structured().integer("retry_after_seconds")).isPresent();
    assertThat(actions(refused)).containsExactly("acquire_lock " + of("prod", "r2", ",\"wait_seconds\":600"),
        "explain_lock " + PROD);
    CompletableFuture<Called> waiting = CompletableFuture
        .supplyAsync(() -> tools.perform(BOB, refused.actions().getFirst()));
    Await.until("bob waits", () -> waiters() == 1);
    tools.done(ANN, "release_lock", of("r1"));
    assertThat(waiting).succeedsWithin(Await.LIMIT).extracting(Called::outcome).isEqualTo("done");
  }

  @ParameterizedTest
  @EnumSource(value = Role.class, names = {"AGENT", "OPERATOR"})
  @DisplayName("The suggestion of a refusal names no option, for every role that acquires locks")
  void suggested(Role role) {
    tools.done(ANN, "acquire_lock", of("r1"));
    Called blocked = tools.call(FixedTools.caller("olga", role), "acquire_lock", of("r2"));
    assertThat(blocked.structured().text("suggestion")).hasValue("Wait for completion");
    assertThat(blocked.text()).doesNotContain("--force-lock")
        .contains("\nNext: wait for it: acquire_lock");

    tools.done(ANN, "acquire_lock", of("web", "r3", ",\"ttl_seconds\":1"));
    Await.until("the lock is stale",
        () -> explain(BOB, "web").structured().text("state").filter("stale"::equals).isPresent());
    Called stale = tools.call(FixedTools.caller("olga", role), "acquire_lock", of("web", "r4", ""));
    assertThat(stale.error()).isEqualTo("lock_stale");
    assertThat(stale.structured().text("suggestion"))
        .hasValue("Ask an operator to take it, if its holder is really gone");

    Called lost = tools.call(FixedTools.caller("ann", role), "renew_lock", of("prod", "r1", ",\"fencing_token\":99"));
    assertThat(lost.structured().text("suggestion")).hasValue("stop the work under this lock");
  }

  @Test
  @DisplayName("A client that requests progress is notified of its place in line each time it changes")
  void progress() {
    tools.done(ANN, "acquire_lock", of("r1"));
    TestExchange exchange = ToolsHome.exchange(BOB, Revision.V2026_07_28, "tools/call", """
        {"name":"acquire_lock","arguments":%s,"_meta":{"progressToken":"p-1"}}"""
        .formatted(of("prod", "r2", ",\"wait_seconds\":600")));
    CompletableFuture<Called> waiting = tools.later(exchange);
    Await.until("bob waits", () -> waiters() == 1);
    tools.done(ANN, "release_lock", of("r1"));

    assertThat(waiting).succeedsWithin(Await.LIMIT).extracting(Called::outcome).isEqualTo("done");
    JsonObject note = ToolsHome.json(exchange.sent().getFirst());
    assertThat(note.text("method")).hasValue("notifications/progress");
    JsonObject params = note.object("params").orElseThrow();
    assertThat(params.text("progressToken")).hasValue("p-1");
    assertThat(params.integer("progress")).hasValue(1);
    assertThat(params.text("message").orElseThrow()).startsWith("1st in line for prod, held by ann");
  }

  @Test
  @DisplayName("A wait ends when the answer is due, and says how to continue")
  void bounded(@TempDir Path other) {
    try (FixedTools quick = new FixedTools(ToolsHome.withSamples(other), "1s")) {
      quick.done(ANN, "acquire_lock", of("r1"));
      Called late = quick.call(BOB, "acquire_lock", of("prod", "r2", ",\"wait_seconds\":3600"));
      assertThat(late.error()).isEqualTo("lock_wait_timeout");
      assertThat(late.text()).contains("within 1s");
      assertThat(actions(late)).first().isEqualTo("acquire_lock " + of("prod", "r2", ",\"wait_seconds\":3600"));
    }
  }

  @Test
  @DisplayName("A client that has disconnected does not wait, and does not hold a lock that is granted when it leaves")
  void gone() {
    tools.done(ANN, "acquire_lock", of("r1"));
    TestExchange exchange = exchange(BOB, "acquire_lock", of("prod", "r2", ",\"wait_seconds\":600"));
    CompletableFuture<Called> waiting = tools.later(exchange);
    Await.until("bob waits", () -> waiters() == 1);
    exchange.cancellation().cancel();
    assertThat(waiting).succeedsWithin(Await.LIMIT).extracting(Called::error)
        .isEqualTo("lock_request_withdrawn");
    assertThat(waiters()).isZero();

    tools.done(ANN, "release_lock", of("r1"));
    assertThat(tools.call(exchange).outcome()).isEqualTo("refused");
    assertThat(isHeld("prod")).isFalse();
  }

  @Test
  @DisplayName("Tokens that are limited to some locks acquire no other; a name is corrected")
  void limited() {
    Caller limited = Caller.of("ann", Role.AGENT,
        new Scope(List.of(), List.of(NamePattern.lock("ci-*")), List.of(), List.of(), List.of()));
    Called refused = tools.call(limited, "acquire_lock", of("r1"));
    assertThat(refused.error()).isEqualTo("forbidden");
    assertThat(refused.text()).contains("ci-*");
    tools.done(limited, "acquire_lock", of("ci-1", "r1", ""));

    Called misspelt = tools.call("acquire_lock", "{\"lock_name\":\"Prod\"}");
    assertThat(misspelt.error()).isEqualTo("invalid_lock_name");
    assertThat(misspelt.text()).contains("did you mean 'prod'?");
    Called text = tools.call("acquire_lock", "{\"lock_nam\":\"prod\",\"ttl_seconds\":\"60\"}");
    assertThat(text.error()).isEqualTo("invalid_params");
    assertThat(actions(text)).containsExactly("acquire_lock {\"lock_name\":\"prod\",\"ttl_seconds\":60}");
    assertThat(tools.call("acquire_lock", "{\"lock_name\":\"prod\",\"ttl_seconds\":0}").text())
        .contains("'ttl_seconds' must be a whole number from 1 to 604800");
    assertThat(tools.call("acquire_lock", "{\"lock_name\":\"prod\",\"wait_seconds\":-1}").text())
        .contains("'wait_seconds' must be a whole number from 0 to 3600, not '-1'");
    assertThat(tools.call("acquire_lock", "{\"lock_name\":\"prod\",\"intent\":\"a\\u0000b\"}").text())
        .contains("intent has the character U+0000");
  }

  @Test
  @DisplayName("explain_lock says who holds a lock, for how long, and what its caller may do")
  void explained() {
    assertThat(explain(VIC, "prod").text()).startsWith("Lock prod is free.");
    tools.done(ANN, "acquire_lock", of("r1"));
    Called held = explain(BOB, "prod");
    assertThat(held.text()).startsWith("Lock prod is blocked: held by ann");
    assertThat(held.structured().objects("reasons")).singleElement()
        .satisfies(reason -> assertThat(reason.text("type")).hasValue("held"));
    assertThat(held.structured().raw()).contains("\"state\":\"active\"", "\"expires_at\"", "\"waiters\":0",
        "\"retry_after_seconds\":60");
    assertThat(actions(held)).containsExactly("acquire_lock {\"lock_name\":\"prod\",\"wait_seconds\":600}");
    assertThat(actions(explain(VIC, "prod"))).containsExactly("look again later");

    tools.done(ANN, "acquire_lock", of("shop-live", "r2", ""));
    assertThat(actions(explain(BOB, "shop-live"))).containsExactly(
        "wait in line with a run of deploy-app: call it with tower_wait_seconds; it takes the lock itself");
    assertThat(explain(BOB, "shop-live").structured().texts("intents")).containsExactly("deploy-app");
    assertThat(explain(VIC, "shop-live").structured().texts("intents")).isEmpty();
  }

  @Test
  @DisplayName("explain_lock sends those who meet a stale, frozen or unreadable lock to an operator, or lets them wait")
  void troubled() throws IOException {
    tools.done(ANN, "acquire_lock", of("prod", "r1", ",\"ttl_seconds\":1"));
    Await.until("the lock is stale",
        () -> explain(BOB, "prod").structured().text("state").filter("stale"::equals).isPresent());
    assertThat(actions(explain(BOB, "prod"))).containsExactly(
        "ask an operator to run: tower force-release prod --reason 'its holder is gone' (free the lock)");

    tools.home.freezes().freeze(new FreezeRequest(new LeaseName("web"), new RequestId("f1"), "olga",
        "release day", new Ttl(600), null), null);
    Called frozen = explain(BOB, "web");
    assertThat(frozen.text()).contains("frozen by olga until ", "release day");
    assertThat(actions(frozen)).containsExactly("acquire_lock {\"lock_name\":\"web\",\"wait_seconds\":3600}");

    tools.home.freezes().freeze(new FreezeRequest(new LeaseName("long"), new RequestId("f2"), "olga",
        "release day", new Ttl(7200), null), null);
    String until = "the freeze lasts until \\S+Z, longer than the longest wait of 1h: ask again after that";
    String wait = " \\{\"lock_name\":\"long\",\"wait_seconds\":3600\\}";
    assertThat(String.join("\n", actions(explain(BOB, "long")))).as("U12").matches(until + "\nacquire_lock" + wait);
    assertThat(tools.call("acquire_lock", "{\"lock_name\":\"long\"}").text()).as("U12")
        .containsPattern("\nNext: " + until
            + ", or ask who froze it to lift it: explain_lock \\{\"lock_name\":\"long\"\\}"
            + "\nNext: wait, in case it is lifted earlier: acquire_lock" + wait);

    String path = tools.done(ANN, "acquire_lock", of("db", "r3", "")).text("request_id")
        .map(_ -> tools.home.locks().pathOf(new LeaseName("db"))).orElseThrow();
    Files.write(Path.of(path), "garbage".getBytes(StandardCharsets.UTF_8));
    assertThat(actions(explain(BOB, "db"))).containsExactly(
        "ask an operator to run: tower force-release db --reason 'it is not held' (remove it if it is not held)");
  }

  @Test
  @DisplayName("explain_lock names the halts that may cover a request for the lock; one of all actors blocks it")
  void halted() {
    tools.home.halts().place(new HaltRequest("bots", new RequestId("h1"),
        Halt.Scope.of(List.of("claude-*"), List.of(), List.of()), Halt.Level.ADMIT, "olga", null, "one", null), null);
    assertThat(explain(BOB, "web").text())
        .contains("Lock web is free: halt bots (admit) covers actors claude-*, by olga until it is lifted: one.");
    tools.home.halts().place(new HaltRequest("night", new RequestId("h2"),
        Halt.Scope.of(List.of(), List.of(), List.of("web")), Halt.Level.KILL, "olga", null, "two", null), null);
    assertThat(explain(BOB, "web").text()).contains("Lock web is blocked: ",
        "halt night (kill) covers locks web, by olga");
    assertThat(explain(BOB, "db").text()).doesNotContain("night");
  }

  @Test
  @DisplayName("explain_lock for a lock that a live run holds offers to wait for the run")
  void liveRun() throws IOException {
    CompletableFuture<Called> run = holdingRun();
    Called held = explain(BOB, "held");
    assertThat(held.structured().get("holder")).isNull();
    assertThat(actions(held)).containsExactly("wait_run {\"request_id\":\"r1\"}",
        "wait in line with a run of hold: call it with tower_wait_seconds; it takes the lock itself");

    CompletableFuture<Called> waiting = CompletableFuture
        .supplyAsync(() -> tools.perform(BOB, held.actions().getFirst()));
    Files.createFile(go);
    assertThat(waiting).succeedsWithin(Await.LIMIT).extracting(Called::outcome).isEqualTo("succeeded");
    assertThat(run).succeedsWithin(Await.LIMIT).extracting(Called::outcome).isEqualTo("succeeded");
  }

  @Test
  @DisplayName("explain_lock for a lock whose run was killed with its process offers to look at the run")
  void killedRun() throws IOException, InterruptedException {
    Process holder = new ProcessBuilder(
        JavaProcess.command(KilledTools.class, root.toString(), "hold", "{\"tower_request_id\":\"r1\"}")).start();
    try {
      awaitHolding();
    } finally {
      holder.destroyForcibly().waitFor();
    }
    Called held = explain(BOB, "held");
    assertThat(held.structured().text("holder")).hasValue("gone");
    assertThat(actions(held)).first().isEqualTo("get_run {\"request_id\":\"r1\"}");
    assertThat(actions(held)).last().asString().startsWith("ask an operator to run: tower force-release held ");

    Called run = tools.perform(BOB, held.actions().getFirst());
    assertThat(run.outcome()).isEqualTo("interrupted");
    assertThat(run.structured().text("request_id")).hasValue("r1");
    Files.createFile(go);
  }

  @Test
  @DisplayName("No result names a path of the home, not even that of a file that cannot be read")
  void noPaths() throws IOException {
    CompletableFuture<Called> run = holdingRun();
    tools.done(ANN, "list_runs", "{}");
    Called running = tools.call("get_run", "{\"request_id\":\"r1\"}");
    assertThat(running.structured().object("lock").orElseThrow().text("lock_name")).hasValue("held");
    Files.createFile(go);
    assertThat(run).succeedsWithin(Await.LIMIT);

    Path lock = Path.of(tools.home.locks().pathOf(new LeaseName("db")));
    assertThat(lock.getParent()).isDirectory().asString().startsWith(root.toString());
    Files.writeString(lock, "garbage");
    Files.writeString(lock.resolveSibling(".web.freeze"), "garbage");
    assertThat(tools.done(ANN, "list_locks", "{}").objects("locks")).hasSize(2);
    assertThat(explain(ANN, "db").text()).contains("its file cannot be read as a lock");
    assertThat(explain(ANN, "web").text()).contains("frozen by a file, which cannot be read");
    assertThat(tools.call("acquire_lock", of("db", "r3", "")).error()).isEqualTo("lock_corrupt");
    Called frozen = tools.call("acquire_lock", of("web", "r4", ""));
    assertThat(frozen.error()).isEqualTo("lock_frozen");
    assertThat(frozen.text()).contains("lock web is frozen by its file, which cannot be read");
    assertThat(frozen.structured().text("suggestion"))
        .hasValue("Look at it; if the freeze is not wanted, ask an operator to lift it");
  }

  @Test
  @DisplayName("list_locks shows pages of locks, which a model can read, and says how to go on")
  void bounds() {
    assertThat(tools.call(VIC, "list_locks", "{}").text()).startsWith("0 locks.");
    for (int i = 1; i <= 51; i++) {
      tools.done(ANN, "acquire_lock", of("lock-" + i, "r-" + i, ""));
      if (i >= 50) {
        JsonObject list = tools.done(VIC, "list_locks", "{}");
        assertThat(list.objects("locks")).hasSize(50);
        assertThat(list.text("next").isPresent()).isEqualTo(i == 51);
      }
    }
    Called first = tools.call(VIC, "list_locks", "{\"limit\":49}");
    String next = first.structured().text("next").orElseThrow();
    assertThat(first.text()).startsWith("49 locks; for the next ones repeat the call with cursor " + next + ".");
    assertThat(tools.done(VIC, "list_locks", "{\"cursor\":\"" + next + "\"}").objects("locks"))
        .extracting(lock -> lock.text("lock_name").orElseThrow()).containsExactly("lock-8", "lock-9");
    assertThat(tools.call(VIC, "list_locks", "{\"cursor\":\"x\"}").error()).isEqualTo("invalid_request");
    assertThat(tools.call(VIC, "list_locks", "{\"limit\":101}").text())
        .contains("'limit' must be a whole number from 1 to 100, not");
  }

  @Test
  @DisplayName("A page of locks with large metadata ends early")
  void size() {
    for (int i = 1; i <= 8; i++) {
      tools.home.locks().acquire(TestRequest.of(new LeaseName("lock-" + i), new RequestId("r-" + i), TestRequest.HOLDER,
          Ttl.DEFAULT, false, new AcquireRequest.Metadata(Map.of("note", JsonWriter.quote("x".repeat(15_000))))));
    }
    Called page = tools.call(VIC, "list_locks", "{}");
    assertThat(page.structured().objects("locks")).hasSize(4);
    assertThat(page.structured().text("next")).isPresent();
  }
}
