package fleet.tower.service.mcp.tool.lock;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.answer.Answer;
import fleet.tower.answer.IntentJson;
import fleet.tower.answer.LockEstimates;
import fleet.tower.answer.LockIntents;
import fleet.tower.answer.StrandedRun;
import fleet.tower.home.RunEngine;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.Locks;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.list.Page;
import fleet.tower.platform.list.Rows;
import fleet.tower.service.call.Needs;
import fleet.tower.service.call.lock.LockCalls;
import fleet.tower.service.mcp.task.LockWaitNotes;
import fleet.tower.service.mcp.tool.FixedTool;
import fleet.tower.service.mcp.tool.FixedTool.Definition;
import fleet.tower.service.mcp.tool.FixedTool.Effect;
import fleet.tower.service.mcp.tool.Tool;
import fleet.tower.service.mcp.tool.ToolBox;
import fleet.tower.service.mcp.tool.ToolPages;
import fleet.tower.service.mcp.wire.Exchange;

/** The tools {@code explain_lock list_locks acquire_lock renew_lock release_lock}. None takes a lock by force. */
public final class LockTools implements ToolBox {
  private static final String LOCK_NAME = "lock_name";
  private static final String REQUEST_ID = "request_id";
  private static final String FENCING_TOKEN = "fencing_token";
  private static final String OWN = "\"lock_name\":{\"type\":\"string\"},\"request_id\":{\"type\":\"string\"},"
      + "\"fencing_token\":{\"type\":\"integer\"}";

  private static final Definition EXPLAIN = new Definition("explain_lock",
      "Says who holds or froze a lock, and what frees it.", "\"lock_name\":{\"type\":\"string\"}",
      List.of(LOCK_NAME), Effect.NOTHING);
  private static final Definition LIST = new Definition("list_locks", "Lists held and frozen locks.",
      ToolPages.ARGUMENTS,
      List.of(), Effect.NOTHING);
  private static final Definition ACQUIRE = new Definition("acquire_lock",
      "Acquires a lock for work no intent does. Renew it within ttl_seconds; release it.",
      """
          "lock_name":{"type":"string"},"request_id":{"type":"string"},\
          "ttl_seconds":{"type":"integer","default":%d},"wait_seconds":{"type":"integer","minimum":0},\
          "intent":{"type":"string"}""".formatted(Ttl.DEFAULT.seconds()),
      List.of(LOCK_NAME), Effect.OWN_ONCE);
  private static final Definition RENEW = new Definition("renew_lock",
      "Keeps your lock for ttl_seconds more. If refused, stop.", OWN, List.of(LOCK_NAME, REQUEST_ID),
      Effect.OWN);
  private static final Definition RELEASE = new Definition("release_lock", "Releases your lock.",
      OWN + ",\"result\":{\"enum\":[\"success\",\"failure\",\"aborted\"]}", List.of(LOCK_NAME, REQUEST_ID),
      Effect.OWN);

  private final LockCalls calls;
  private final Locks locks;
  private final RunEngine engine;
  private final LockEstimates estimates;
  private final Duration answerWithin;
  private final List<FixedTool> tools;

  /** @param answerWithin the longest wait of one call */
  public LockTools(LockCalls calls, Locks locks, RunEngine engine, LockEstimates estimates, Duration answerWithin) {
    this.calls = calls;
    this.locks = locks;
    this.engine = engine;
    this.estimates = estimates;
    this.answerWithin = answerWithin;
    tools = List.of(
        FixedTool.of(EXPLAIN, Role.VIEWER, this::explain, LockExplanation::sentence),
        FixedTool.of(LIST, Role.VIEWER, (arguments, _) -> list(arguments), LockTools::count),
        FixedTool.of(ACQUIRE, Role.AGENT, this::acquire, LockTools::held),
        FixedTool.of(RENEW, Role.AGENT, this::renew, LockTools::held),
        FixedTool.of(RELEASE, Role.AGENT, this::release,
            lock -> "Lock " + lock.text(LOCK_NAME).orElse("") + " is released."));
  }

  @Override
  public List<Tool> tools(Caller caller) {
    return FixedTool.permitted(tools, caller);
  }

  @Needs(Role.VIEWER)
  private Answer explain(JsonObject arguments, Exchange exchange) {
    LeaseName name = name(arguments);
    Caller caller = exchange.caller();
    List<String> intents = LockIntents
        .of(name, JsonReader.readOwn(IntentJson.catalogue(engine.catalogue()).end()).objects("intents")).stream()
        .map(LockIntents::intent)
        .toList();
    return Answer.ok(new LockExplanation(locks.view(name), locks.waiters(name), intents, StrandedRun.of(name, engine),
        caller, estimates).json());
  }

  @Needs(Role.VIEWER)
  private Answer list(JsonObject arguments) {
    Page page = LockCalls.page(ToolPages.limit(arguments), ToolPages.cursor(arguments));
    return Answer.ok(ToolPages.read(page, rows -> calls.list(page, rows)).jsonOf("locks", Function.identity()));
  }

  private static String count(JsonObject list) {
    int count = list.items("locks").size();
    return (count == 1 ? "1 lock" : count + " locks") + ToolPages.end(list.text(Rows.NEXT).orElse(null));
  }

  @Needs(Role.AGENT)
  private Answer acquire(JsonObject arguments, Exchange exchange) {
    long wait = Math.min(arguments.integer("wait_seconds").orElse(0), answerWithin.toSeconds());
    return calls.acquire(name(arguments).value(),
        new LockCalls.AcquireBody(arguments.text(REQUEST_ID).orElse(null),
            FixedTool.integer(arguments, "ttl_seconds"), arguments.text("intent").orElse(null), null, false, wait,
            null, null),
        exchange.caller(), exchange.cancellation(), new LockWaitNotes(name(arguments), exchange));
  }

  @Needs(Role.AGENT)
  private Answer renew(JsonObject arguments, Exchange exchange) {
    return calls.renew(arguments.text(LOCK_NAME).orElse(""),
        new LockCalls.HeartbeatBody(arguments.text(REQUEST_ID).orElse(""), FixedTool.integer(arguments, FENCING_TOKEN)),
        exchange.caller());
  }

  @Needs(Role.AGENT)
  private Answer release(JsonObject arguments, Exchange exchange) {
    return calls.release(name(arguments),
        new LockCalls.Release(new RequestId(arguments.text(REQUEST_ID).orElse("")),
            LockCalls.result(arguments.text("result").orElse("success")),
            new FencingToken(Objects.requireNonNullElse(FixedTool.integer(arguments, FENCING_TOKEN), 0L)), null),
        exchange.caller());
  }

  private static String held(JsonObject lock) {
    return "You hold lock " + lock.text(LOCK_NAME).orElse("") + " as request " + lock.text(REQUEST_ID).orElse("")
        + " until " + lock.text("expires_at").orElse("") + ".";
  }

  private static LeaseName name(JsonObject arguments) {
    return new LeaseName(arguments.text(LOCK_NAME).orElse(""));
  }
}
