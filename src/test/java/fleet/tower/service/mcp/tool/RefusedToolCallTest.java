package fleet.tower.service.mcp.tool;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.answer.NextAction;
import fleet.tower.answer.Remedies;
import fleet.tower.answer.Remedy;
import fleet.tower.answer.Remedy.Change;
import fleet.tower.answer.TaskRemedies;
import fleet.tower.intent.ToolName;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Holder;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.FreezeRequest;
import fleet.tower.lock.Locks.Result;
import fleet.tower.lock.TestRequest;
import fleet.tower.operation.Given;
import fleet.tower.operation.LockOperations;
import fleet.tower.operation.MailboxOperations;
import fleet.tower.operation.RunOperations;
import fleet.tower.operation.TaskOperations;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.service.mcp.tool.ToolsHome.Called;
import fleet.tower.service.mcp.wire.Revision;

@DisplayName("The actions after a refused call of a tool")
class RefusedToolCallTest {
  private static final Given PROD = Given.NOTHING.with(LockOperations.NAME, "prod");
  private static final Given JOBS = Given.NOTHING.with(MailboxOperations.MAILBOX, "jobs");
  private static final Caller AGENT = ToolsHome.caller(Role.AGENT);
  private static final Caller OPERATOR = ToolsHome.caller(Role.OPERATOR);
  private static final LeaseName LOCK = new LeaseName("shop-staging");

  @AutoClose
  private final ToolsHome tools;

  RefusedToolCallTest(@TempDir Path root) {
    tools = new ToolsHome(ToolsHome.withSamples(root), IntentOffer.Mode.AUTO);
  }

  private RefusedToolCall asked(Caller caller, String tool, String arguments) {
    return tools.offer.refused(ToolsHome.exchange(caller, Revision.V2026_07_28, "tools/call",
        "{\"name\":\"" + tool + "\",\"arguments\":" + arguments + "}"));
  }

  private List<String> actions(Caller caller, String tool, String arguments, Remedy... steps) {
    return asked(caller, tool, arguments).actions(List.of(steps)).stream().map(NextAction::json).toList();
  }

  private AcquireOutcome hold(RequestId by, long ttlSeconds) {
    return tools.home.locks()
        .acquire(TestRequest.of(LOCK, by, new Holder("bob", "manual", "none", "tower-02", 1, false),
            new Ttl(ttlSeconds), false));
  }

  @Test
  @DisplayName("A held lock: wait for it, in a known place in line; the same call runs when it is free")
  void blocked() {
    RequestId bob = new RequestId("bob-1");
    assertThat(hold(bob, 900)).isInstanceOf(AcquireOutcome.Granted.class);

    Called refused = tools.call("deploy_app", "{\"app\":\"shop\",\"tower_request_id\":\"r-1\"}");

    assertThat(refused.isError()).isTrue();
    assertThat(refused.error()).isEqualTo("lock_blocked");
    assertThat(refused.structured().object("held_by").flatMap(it -> it.text("actor"))).hasValue("bob");
    assertThat(refused.structured().integer("position")).hasValue(1);
    assertThat(refused.structured().integer("retry_after_seconds")).isPresent();
    assertThat(refused.actions().stream().map(JsonObject::raw)).containsExactly("""
        {"tool":"deploy_app","arguments":{"app":"shop","tower_request_id":"r-1","tower_wait_seconds":600},\
        "why":"wait for it"}""", """
        {"tool":"explain_lock","arguments":{"lock_name":"shop-staging"},"why":"see who holds it, and until when"}""");
    assertThat(refused.text()).contains("lock shop-staging is held by ", "\nNext: wait for it: deploy_app {\"app\"");
    assertThat(tools.perform(AGENT, refused.actions().getLast()).structured().raw()).contains("bob");
    tools.home.locks().release(new Actor("bob", Door.CLI), LOCK, Owner.ofClient(bob, "bob"), FencingToken.NONE,
        Result.SUCCESS, null);
    Called done = tools.perform(AGENT, refused.actions().getFirst());
    assertThat(done.outcome()).isEqualTo("succeeded");
    assertThat(done.structured().text("request_id")).hasValue("r-1");
  }

  static Stream<Arguments> repetitions() {
    String call = "{\"app\":\"shop\",\"tower_request_id\":\"r-1\"}";
    return Stream.of(
        Arguments.of("deploy_app", call, new Change.Waiting(60), """
            {"tool":"deploy_app","arguments":{"app":"shop","tower_request_id":"r-1","tower_wait_seconds":60},\
            "why":"do"}"""),
        Arguments.of("deploy_app", call, new Change.NewId(),
            "{\"tool\":\"deploy_app\",\"arguments\":{\"app\":\"shop\"},\"why\":\"do\"}"),
        Arguments.of("deploy_app", call, new Change.Planned(null), """
            {"tool":"plan_intent","arguments":{"intent":"deploy-app","params":{"app":"shop"}},"why":"do"}"""),
        Arguments.of("deploy_app", call, new Change.Forced(true),
            "{\"why\":\"ask an operator to run: tower run deploy-app -p app=shop --force-lock (do)\"}"),
        Arguments.of("deploy_app", call, new Change.Queued(),
            "{\"why\":\"ask an operator to run: tower run deploy-app -p app=shop --queue (do)\"}"),
        Arguments.of("run_intent", "{\"intent\":\"deploy-app\",\"arguments\":{\"app\":\"shop\"}}",
            new Change.Planned(null), """
                {"tool":"plan_intent","arguments":{"intent":"deploy-app","params":{"app":"shop"}},"why":"do"}"""),
        Arguments.of("acquire_lock", "{\"lock_name\":\"prod\",\"request_id\":\"r\"}", new Change.Waiting(60), """
            {"tool":"acquire_lock","arguments":{"lock_name":"prod","request_id":"r","wait_seconds":60},"why":"do"}"""),
        Arguments.of("acquire_lock", "{\"lock_name\":\"prod\",\"request_id\":\"r\"}", new Change.NewId(),
            "{\"tool\":\"acquire_lock\",\"arguments\":{\"lock_name\":\"prod\"},\"why\":\"do\"}"),
        Arguments.of("acquire_lock", "{\"lock_name\":\"prod\"}", new Change.Forced(true),
            "{\"why\":\"ask an operator to run: tower lock prod --force-lock (do)\"}"),
        Arguments.of("release_lock", "{\"lock_name\":\"prod\",\"request_id\":\"r\"}", new Change.NewId(), """
            {"tool":"release_lock","arguments":{"lock_name":"prod","request_id":"r"},"why":"do"}"""),
        Arguments.of("rotate_key", "{\"api_key\":\"hush-hush\"}", new Change.Waiting(60),
            "{\"why\":\"do; the call is not repeated here, because its arguments are secret\"}"),
        Arguments.of("word_count", "{\"text\":\"" + "x".repeat(17_000) + "\"}", new Change.Waiting(60),
            "{\"why\":\"do; the call is not repeated here, because its arguments are long\"}"));
  }

  @ParameterizedTest
  @MethodSource("repetitions")
  @DisplayName("A repeated call keeps its arguments, and changes what the step changes; force is left to operators")
  void repeated(String tool, String arguments, Change change, String expected) {
    Role needed = change instanceof Change.Forced ? Role.OPERATOR : Role.VIEWER;

    assertThat(actions(AGENT, tool, arguments, Remedy.again(needed, "do", change))).containsExactly(expected);
    assertThat(actions(OPERATOR, tool, arguments, Remedy.again(needed, "do", change))).containsExactly(expected);
  }

  static Stream<Arguments> calls() {
    Given byAnn = Given.NOTHING.with(TaskOperations.WORKER, "ann").with(TaskOperations.REQUEST_ID, "NEW");
    return Stream.of(
        Arguments.of(Remedy.ask(LockOperations.LIST, Given.NOTHING, "why"), "list_locks {}"),
        Arguments.of(Remedy.ask(LockOperations.VIEW, PROD, "why"), "explain_lock {\"lock_name\":\"prod\"}"),
        Arguments.of(Remedy.ask(RunOperations.LIST, Given.NOTHING, "why"), "list_runs {}"),
        Arguments.of(Remedy.ask(RunOperations.LIST, Given.NOTHING.with(RunOperations.STATUS, "running"), "why"),
            "list_runs {\"status\":\"running\"}"),
        Arguments.of(Remedies.see(new RequestId("req_1"), "why"), "get_run {\"request_id\":\"req_1\"}"),
        Arguments.of(Remedy.ask(TaskOperations.CLAIM, byAnn, "why"),
            "claim_task {\"agent\":\"ann\"}"),
        Arguments.of(Remedy.ask(TaskOperations.START, byAnn.with(TaskOperations.ID, "t-1"),
            "why"), "claim_task {\"agent\":\"ann\",\"task_id\":\"t-1\"}"),
        Arguments.of(Remedy.ask(MailboxOperations.RECEIVE, JOBS, "why"), "receive_message {\"mailbox\":\"jobs\"}"),
        Arguments.of(Remedy.ask(MailboxOperations.ACK, JOBS.with(MailboxOperations.RECEIPT, "h"), "why"),
            "settle_message {\"mailbox\":\"jobs\",\"receipt_handle\":\"h\",\"action\":\"ack\"}"));
  }

  @ParameterizedTest
  @MethodSource("calls")
  @DisplayName("A call over HTTP is a call of the tool that does the same")
  void translated(Remedy step, String expected) {
    String tool = expected.replaceFirst(" .*", "");

    assertThat(ToolName.FIXED).contains(tool);
    assertThat(actions(AGENT, "greet", "{}", step)).containsExactly("{\"tool\":\"" + tool + "\",\"arguments\":"
        + expected.substring(tool.length() + 1) + ",\"why\":\"why\"}");
  }

  @Test
  @DisplayName("What no tool does is advice to ask an operator, after the calls")
  void advice() {
    Remedy unfreeze = Remedy.ask(LockOperations.UNFREEZE, PROD, "lift it");

    for (Caller caller : List.of(AGENT, OPERATOR)) {
      assertThat(actions(caller, "greet", "{}", unfreeze, Remedy.ask(LockOperations.LIST, Given.NOTHING, "look")))
          .containsExactly("{\"tool\":\"list_locks\",\"arguments\":{},\"why\":\"look\"}",
              "{\"why\":\"ask an operator to run: tower unfreeze prod (lift it)\"}");
    }
    assertThat(actions(ToolsHome.caller(Role.VIEWER), "plan_intent", "{}", TaskRemedies.list()))
        .containsExactly("{\"why\":\"ask an operator to run: tower task list (list the tasks)\"}");
  }

  @Test
  @DisplayName("A frozen lock, a used id, a bad name and an unknown run: each call works exactly as given")
  void performed() {
    assertThat(tools.home.freezes().freeze(new FreezeRequest(LOCK, new RequestId("f-1"), "bob", "release day",
        new Ttl(600), null), Door.CLI)).isNotNull();
    Called frozen = tools.call("deploy_app", "{\"app\":\"shop\"}");
    Called unknownRun = tools.call("get_run", "{\"request_id\":\"nope\"}");
    Called unknownIntent = tools.call("plan_intent", "{\"intent\":\"deploy-ap\",\"params\":{\"app\":\"cart\"}}");
    Called badName = tools.call("explain_lock", "{\"lock_name\":\"No!\"}");
    Called notMine = tools.call("renew_lock", "{\"lock_name\":\"free\",\"request_id\":\"r\"}");

    assertThat(List.of(frozen, unknownRun, unknownIntent, badName, notMine)).extracting(Called::error)
        .containsExactly("lock_frozen", "run_not_found", "intent_not_found", "invalid_lock_name", "lock_not_found");
    assertThat(frozen.actions().getFirst().object("arguments").orElseThrow().raw())
        .isEqualTo("{\"app\":\"shop\",\"tower_wait_seconds\":3600}");
    for (Called refused : List.of(unknownRun, unknownIntent, badName, notMine)) {
      assertThat(refused.actions()).isNotEmpty().allSatisfy(action -> {
        if (action.get("tool") != null) {
          assertThat(tools.perform(AGENT, action).isError()).isFalse();
        }
      });
      assertThat(refused.actions().getFirst().get("tool")).isNotNull();
    }
    assertThat(tools.perform(AGENT, frozen.actions().getLast()).structured().raw()).contains("release day");
  }

  @Test
  @DisplayName("After every error of a call, the actions are calls of tools or advice, without a placeholder")
  void everyCode() {
    for (String tool : List.of("deploy_app", "plan_intent", "get_run", "acquire_lock", "claim_task", "send_message")) {
      String arguments = tool.equals("plan_intent") ? "{\"intent\":\"deploy-app\"}" : "{}";
      for (ErrorCode code : Arrays.stream(ErrorCode.values()).filter(ErrorCode::hasStatus).toList()) {
        for (Caller caller : List.of(ToolsHome.caller(Role.VIEWER), AGENT, OPERATOR)) {
          List<NextAction> actions = asked(caller, tool, arguments).actions(Remedies.of(code));
          assertThat(actions).as(tool + " " + code).isNotEmpty().allSatisfy(action -> {
            assertThat(action.method()).isNull();
            assertThat(action.command()).isNull();
            assertThat(action.why()).isNotEmpty().doesNotContain("NEW");
            if (action.tool() != null) {
              assertThat(Stream.concat(ToolName.FIXED.stream(), Stream.of("deploy_app"))).contains(action.tool());
              assertThat(action.arguments()).isNotNull().doesNotContain("NEW");
            }
          });
        }
      }
    }
  }
}
