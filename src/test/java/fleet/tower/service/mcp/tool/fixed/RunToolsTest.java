package fleet.tower.service.mcp.tool.fixed;

import static fleet.tower.service.mcp.task.Follow.isError;
import static fleet.tower.service.mcp.task.Follow.structured;
import static fleet.tower.service.mcp.task.Follow.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.access.Caller;
import fleet.tower.access.Places;
import fleet.tower.access.Role;
import fleet.tower.access.Scope;
import fleet.tower.answer.CommonProblems;
import fleet.tower.answer.LockEstimates;
import fleet.tower.answer.RefusedCall;
import fleet.tower.harness.Await;
import fleet.tower.lease.RequestId;
import fleet.tower.operation.Operations;
import fleet.tower.operation.RunHandlers;
import fleet.tower.operation.TooManyCalls;
import fleet.tower.operation.WaitingCalls;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.run.ManualProcesses;
import fleet.tower.run.Processes;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.execute.LockTerms;
import fleet.tower.run.submit.IntentBuilder;
import fleet.tower.run.submit.QueuedRuns;
import fleet.tower.run.submit.TestExecutor;
import fleet.tower.service.mcp.task.Follow;
import fleet.tower.service.mcp.task.RecordedExchange;
import fleet.tower.service.mcp.tool.IntentOffer;
import fleet.tower.service.mcp.tool.IntentTools;
import fleet.tower.service.mcp.tool.InvalidArguments;
import fleet.tower.service.mcp.tool.Tool;
import fleet.tower.service.mcp.tool.ToolResult;
import fleet.tower.service.mcp.tool.UsualDurations;
import fleet.tower.service.mcp.wire.Exchange;

class RunToolsTest {
  private static final Processes.Exit OK = new Processes.Exited(0);
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(45);
  private static final QueuedRuns.Backlog NO_QUEUE = new QueuedRuns.Backlog() {
    @Override
    public void put(RequestId requestId, Run.@Nullable Declaration declaration) {
      throw new AssertionError("queued " + requestId);
    }

    @Override
    public long size() {
      return 0;
    }
  };
  private final Follow follow;
  private final TestExecutor works;
  private final RunTools tools;
  private final IntentTools intents;

  RunToolsTest(@TempDir Path directory) {
    follow = new Follow(directory);
    works = follow.works;
    works.with(IntentBuilder.mutate("deploy-app").lock("${params.app}-prod").undoable("build").step("ship", "cp"));
    WaitingCalls waiting = new WaitingCalls(Places.ofOneCaller(2));
    LockEstimates estimates = new LockEstimates(works.locks, works.runs, works.time);
    Operations operations = new Operations(new RunHandlers(new RunHandlers.Standing(works.catalogue, works.runs,
        works.processes, works.runs.queued(NO_QUEUE)), works.time, works.time, waiting).all());
    tools = new RunTools(works.catalogue, operations, waiting, follow.waits, follow.results, follow.limits,
        estimates);
    intents = new IntentTools(new IntentOffer(works.catalogue, IntentOffer.Mode.EACH), operations, waiting, estimates,
        follow.followed,
        new UsualDurations(works.runs::usualDuration, works.time));
  }

  @AfterEach
  void close() {
    follow.close();
  }

  private ToolResult call(String name, String arguments, Exchange exchange) {
    Tool tool = tools.tools(exchange.caller()).stream().filter(it -> it.name().equals(name)).findFirst()
        .orElseThrow(() -> new AssertionError("no tool " + name));
    JsonObject given = RecordedExchange.json(arguments);
    tool.check(given);
    return tool.call(given, exchange);
  }

  /** The members of the refusal of a call. */
  private JsonObject refused(String tool, String arguments, Exchange exchange) {
    RuntimeException failure = catchThrowableOfType(RuntimeException.class, () -> call(tool, arguments, exchange));
    return RecordedExchange.json(CommonProblems.ofFailure(failure).orElseThrow(() -> new AssertionError(failure))
        .members(new Follow.Repeater(exchange)).end());
  }

  private JsonObject refused(String tool, String arguments) {
    return refused(tool, arguments, RecordedExchange.plain());
  }

  private ToolResult call(String tool, String arguments) {
    return call(tool, arguments, RecordedExchange.plain());
  }

  private CompletableFuture<ToolResult> later(String tool, String arguments, Exchange exchange) {
    return CompletableFuture.supplyAsync(() -> call(tool, arguments, exchange),
        work -> Thread.ofVirtual().start(work));
  }

  private void begin(String id) {
    works.accepted(TestExecutor.request("deploy-app", id, LockTerms.PLAIN));
  }

  @Test
  @DisplayName("Eight tools, five for a viewer, with schemas and descriptions in under 2.7 kB")
  void definitions() {
    assertThat(tools.tools(RecordedExchange.agent("alice"))).extracting(Tool::name).containsExactly("plan_intent",
        "run_again", "get_run", "wait_run", "cancel_run", "probe_intent", "settle_run", "list_runs");
    assertThat(tools.tools(Caller.of("vic", Role.VIEWER, Scope.ALL))).extracting(Tool::name)
        .containsExactly("plan_intent", "get_run", "wait_run", "probe_intent", "list_runs");
    int bytes = 0;
    for (Tool tool : tools.tools(RecordedExchange.agent("alice"))) {
      JsonObject definition = RecordedExchange.json(tool.definition().end());
      assertThat(definition.text("name")).hasValue(tool.name());
      assertThat(definition.text("description")).isPresent();
      assertThat(definition.object("outputSchema").orElseThrow().texts("required")).containsExactly("outcome");
      bytes += definition.raw().length();
    }
    assertThat(bytes).isLessThan(2_700);
  }

  @Test
  @DisplayName("get_run shows a run, and is not an error if the run failed")
  void get() {
    works.processes.plan("build", new Processes.Exited(3)).plan("build.rollback", OK);
    begin("r1");
    works.runs.find(new RequestId("r1")).orElseThrow().await();

    ToolResult result = call("get_run", "{\"request_id\":\"r1\"}");

    assertThat(isError(result)).isFalse();
    assertThat(structured(result).text("outcome")).hasValue("failed");
    assertThat(structured(result).members()).as("what only HTTP shows").doesNotContainKeys("params", "waiting");
    assertThat(isError(call("wait_run", "{\"request_id\":\"r1\"}"))).isTrue();
  }

  @Test
  @DisplayName("An unknown, invalid or missing id is refused with the members of HTTP")
  void unknown() {
    for (String tool : new String[]{"get_run", "wait_run", "cancel_run"}) {
      JsonObject refused = refused(tool, "{\"request_id\":\"nobody\"}");
      assertThat(refused.text("error")).hasValue("run_not_found");
      assertThat(refused.text("request_id")).hasValue("nobody");
      assertThat(refused.objects("next_actions")).isNotEmpty();
      assertThat(refused(tool, "{\"request_id\":\"../x\"}").text("error")).hasValue("invalid_request");
      assertThatThrownBy(() -> call(tool, "{}")).isInstanceOf(InvalidArguments.class);
    }
    assertThatThrownBy(() -> call("wait_run", "{\"request_id\":\"r1\",\"wait_seconds\":-1}"))
        .isInstanceOf(RefusedCall.class).hasMessage("'wait_seconds' must be a whole number from 0 to 3600, not '-1'");
  }

  @Test
  @DisplayName("wait_run waits for the end with progress, and answers within answer-within or wait_seconds")
  void await() {
    begin("r1");
    ManualProcesses.Hand build = works.processes.awaitStart(1);
    CompletableFuture<ToolResult> brief = later("wait_run", "{\"request_id\":\"r1\",\"wait_seconds\":3}",
        RecordedExchange.plain());
    follow.awaitTimers(Duration.ofSeconds(3), 1);
    works.time.advance(Duration.ofSeconds(3));
    assertThat(structured(brief.join()).text("outcome")).hasValue("running");
    assertThat(structured(brief.join()).objects("next_actions").getFirst().text("tool")).hasValue("wait_run");

    RecordedExchange accepting = RecordedExchange.accepting("");
    CompletableFuture<ToolResult> whole = later("wait_run", "{\"request_id\":\"r1\",\"wait_seconds\":3600}", accepting);
    follow.awaitTimers(ANSWER_WITHIN, 1);
    works.time.advance(ANSWER_WITHIN);
    assertThat(structured(whole.join()).text("outcome")).as("never a task").hasValue("running");

    RecordedExchange wanting = RecordedExchange.wantingProgress();
    CompletableFuture<ToolResult> last = later("wait_run", "{\"request_id\":\"r1\"}", wanting);
    follow.awaitTimers(Duration.ofMillis(500), 1);
    works.time.advance(Duration.ofSeconds(1));
    Await.until("progress", () -> !wanting.notes().isEmpty());
    build.exit(0);
    works.processes.awaitStart(2).exit(0);
    assertThat(structured(last.join()).text("outcome")).hasValue("succeeded");
  }

  @Test
  @DisplayName("A client that leaves wait_run ends nothing but its call, not even the wait for a lock")
  void left() {
    works.hold("money-prod", "other");
    works.accepted(TestExecutor.request("deploy-app", "r1", new LockTerms(false, Duration.ofMinutes(5))));
    works.awaitWaiter("money-prod");
    RecordedExchange exchange = RecordedExchange.plain();
    CompletableFuture<ToolResult> waiting = later("wait_run", "{\"request_id\":\"r1\"}", exchange);
    follow.awaitTimers(ANSWER_WITHIN, 1);

    exchange.cancellation().cancel();

    assertThat(structured(waiting.join()).text("outcome")).hasValue("waiting");
    works.delete("money-prod");
    works.time.advance(Duration.ofSeconds(5));
    works.processes.awaitStart(1).exit(0);
    works.processes.awaitStart(2).exit(0);
    Await.until("it has ended",
        () -> works.store.find(new RequestId("r1")).orElseThrow().status() == RunStatus.SUCCEEDED);
  }

  @Test
  @DisplayName("The number of waiting calls is limited; one more is refused with the time to retry")
  void crowded() {
    begin("r1");
    works.processes.awaitStart(1);
    RecordedExchange exchange = RecordedExchange.plain();
    CompletableFuture<ToolResult> one = later("wait_run", "{\"request_id\":\"r1\"}", exchange);
    CompletableFuture<ToolResult> two = later("wait_run", "{\"request_id\":\"r1\"}", exchange);
    follow.awaitTimers(ANSWER_WITHIN, 2);

    assertThat(refused("wait_run", "{\"request_id\":\"r1\"}").text("error")).hasValue("too_many_waiting_calls");

    exchange.cancellation().cancel();
    one.join();
    two.join();
  }

  @Test
  @DisplayName("A call that runs an intent waits for its end, and is refused before it starts if too many wait")
  void crowdedIntents() {
    RecordedExchange exchange = RecordedExchange.plain();
    Tool deploy = intents.tools(exchange.caller()).getFirst();
    List<CompletableFuture<ToolResult>> calls = List.of("shop", "news").stream()
        .map(app -> CompletableFuture.supplyAsync(
            () -> deploy.call(RecordedExchange.json("{\"app\":\"" + app + "\"}"), exchange),
            work -> Thread.ofVirtual().start(work)))
        .toList();
    follow.awaitTimers(ANSWER_WITHIN, 2);
    works.processes.awaitStart(2);
    List<String> recorded = works.store.calls();

    TooManyCalls refused = catchThrowableOfType(TooManyCalls.class,
        () -> deploy.call(RecordedExchange.json("{\"tower_request_id\":\"r3\"}"), exchange));

    assertThat(CommonProblems.ofFailure(refused).orElseThrow().detail())
        .isEqualTo("2 calls already wait or stream here");
    assertThat(works.store.find(new RequestId("r3"))).isEmpty();
    assertThat(works.store.calls()).isEqualTo(recorded);
    exchange.cancellation().cancel();
    calls.forEach(CompletableFuture::join);
  }

  @Test
  @DisplayName("cancel_run stops, rolls back, releases, and answers with the record; a repeated call answers the same")
  void cancel() {
    begin("r1");
    works.processes.awaitStart(1);
    works.processes.plan("build.rollback", OK);

    ToolResult result = call("cancel_run", "{\"request_id\":\"r1\"}");

    assertThat(isError(result)).isFalse();
    JsonObject structured = structured(result);
    assertThat(structured.text("outcome")).hasValue("cancelled");
    assertThat(structured.objects("rollback")).extracting(piece -> piece.text("status").orElseThrow())
        .containsExactly("succeeded");
    assertThat(text(result)).startsWith("Run r1 of deploy-app was cancelled at step build. It was rolled back.");
    assertThat(works.isLocked("money-prod")).isFalse();
    assertThat(structured(call("cancel_run", "{\"request_id\":\"r1\"}")).raw()).isEqualTo(structured.raw());
  }

  @Test
  @DisplayName("run_again runs the intent of an ended run with its parameters under a new id, which joins when repeated")
  void again() {
    begin("r1");
    assertThatThrownBy(() -> call("run_again", "{\"again\":\"r1\"}"))
        .hasMessage("run r1 is running; it can be run again when it has ended");
    works.processes.plan("build", OK).plan("ship", OK);
    works.processes.awaitStart(1).exit(0);
    works.runs.find(new RequestId("r1")).orElseThrow().await();

    for (int call = 0; call < 2; call++) {
      JsonObject again = structured(call("run_again", "{\"again\":\"r1\",\"request_id\":\"r2\"}"));
      assertThat(again.text("outcome")).hasValue("succeeded");
      assertThat(again.text("again")).hasValue("r1");
    }
    assertThat(works.store.find(new RequestId("r2")).orElseThrow().header().params())
        .isEqualTo(works.store.find(new RequestId("r1")).orElseThrow().header().params());
    assertThat(works.processes.events().stream().filter("start build"::equals)).hasSize(2);
    assertThat(refused("run_again", "{\"again\":\"r9\"}").text("error")).hasValue("run_not_found");
  }

  @Test
  @DisplayName("cancel_run refuses the run of another agent, and a run that has ended otherwise")
  void notCancelled() {
    begin("r1");
    ManualProcesses.Hand build = works.processes.awaitStart(1);
    JsonObject others = refused("cancel_run", "{\"request_id\":\"r1\"}",
        RecordedExchange.plain().by(RecordedExchange.agent("bob")));
    assertThat(others.text("error")).hasValue("forbidden");
    assertThat(others.text("reason")).hasValue("not_yours");
    build.exit(0);
    works.processes.awaitStart(2).exit(0);
    works.runs.find(new RequestId("r1")).orElseThrow().await();

    assertThat(refused("cancel_run", "{\"request_id\":\"r1\"}").text("error")).hasValue("run_finished");
  }

  @Test
  @DisplayName("list_runs lists runs by intent, status and number, the newest first")
  void list() {
    works.processes.plan("build", OK).plan("ship", OK);
    for (String id : new String[]{"r1", "r2", "r3"}) {
      begin(id);
      works.runs.find(new RequestId(id)).orElseThrow().await();
      works.time.advance(Duration.ofSeconds(1));
    }

    ToolResult result = call("list_runs", "{\"intent\":\"deploy_app\",\"status\":\"succeeded\",\"limit\":2}");

    assertThat(structured(result).text("outcome")).hasValue("done");
    assertThat(structured(result).objects("runs")).extracting(run -> run.text("request_id").orElseThrow())
        .containsExactly("r3", "r2");
    String next = structured(result).text("next").orElseThrow();
    assertThat(text(result)).isEqualTo("""
        2 runs; for the next ones repeat the call with cursor %s.
        r3 deploy-app succeeded 2026-01-01T10:00:02Z alice
        r2 deploy-app succeeded 2026-01-01T10:00:01Z alice""".formatted(next));
    assertThat(
        text(call("list_runs", "{\"intent\":\"deploy_app\",\"status\":\"succeeded\",\"cursor\":\"" + next + "\"}")))
        .isEqualTo("1 run.\nr1 deploy-app succeeded 2026-01-01T10:00:00Z alice");
    assertThat(text(call("list_runs", "{\"status\":\"running\"}"))).isEqualTo("0 runs.");
    for (int limit : List.of(0, 101)) {
      assertThatThrownBy(() -> call("list_runs", "{\"limit\":" + limit + "}")).isInstanceOf(RefusedCall.class)
          .hasMessage("'limit' must be a whole number from 1 to 100, not '" + limit + "'");
    }
    for (String invalid : List.of("{\"status\":\"suceeded\"}", "{\"id\":\"r1\"}")) {
      assertThatThrownBy(() -> call("list_runs", invalid)).isInstanceOf(InvalidArguments.class);
    }
  }

  @Test
  @DisplayName("plan_intent shows what a run would do, by the name of the intent or of its tool, and starts nothing")
  void plan() {
    works.hold("shop-prod", "other");
    ToolResult result = call("plan_intent", "{\"intent\":\"deploy_app\",\"params\":{\"app\":\"shop\"}}");

    JsonObject structured = structured(result);
    assertThat(structured.text("outcome")).hasValue("done");
    assertThat(structured.text("lock_name")).hasValue("shop-prod");
    assertThat(structured.text("lock_state")).hasValue("held");
    assertThat(structured.text("plan_hash")).isPresent();
    assertThat(works.processes.events()).isEmpty();
    assertThat(works.store.calls()).isEmpty();

    assertThat(refused("plan_intent", "{\"intent\":\"deploy\"}").text("error")).hasValue("intent_not_found");
    JsonObject invalid = refused("plan_intent", "{\"intent\":\"deploy_app\",\"params\":{\"ap\":1}}");
    assertThat(invalid.text("error")).hasValue("invalid_params");
    assertThat(invalid.objects("errors")).isNotEmpty();
    JsonObject secret = refused("plan_intent", "{\"intent\":\"deploy_app\",\"params\":{\"key\":\"hunter2-hunter2\"}}");
    assertThat(secret.text("error")).hasValue("invalid_params");
    assertThat(secret.raw()).doesNotContain("hunter2");
  }
}
