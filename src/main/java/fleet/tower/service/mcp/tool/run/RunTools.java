package fleet.tower.service.mcp.tool.run;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.answer.Answer;
import fleet.tower.answer.Asked;
import fleet.tower.answer.Problem;
import fleet.tower.answer.Rejected;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.ToolName;
import fleet.tower.lease.LeaseName;
import fleet.tower.operation.WaitingCalls;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.list.Page;
import fleet.tower.platform.list.Rows;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.service.call.Needs;
import fleet.tower.service.call.run.RunBody;
import fleet.tower.service.call.run.RunCall;
import fleet.tower.service.call.run.RunCalls;
import fleet.tower.service.call.run.RunDoor;
import fleet.tower.service.mcp.task.FollowLimits;
import fleet.tower.service.mcp.task.RunResults;
import fleet.tower.service.mcp.task.RunWaitOutcome;
import fleet.tower.service.mcp.task.RunWaits;
import fleet.tower.service.mcp.tool.FixedTool;
import fleet.tower.service.mcp.tool.Tool;
import fleet.tower.service.mcp.tool.ToolBox;
import fleet.tower.service.mcp.tool.ToolPages;
import fleet.tower.service.mcp.tool.ToolResult;
import fleet.tower.service.mcp.wire.Exchange;

/** The tools about runs: {@code plan_intent get_run wait_run cancel_run list_runs}. */
public final class RunTools implements ToolBox {
  private static final long MAX_WAIT_SECONDS = 3600;

  private final Catalogue catalogue;
  private final RunCalls calls;
  private final WaitingCalls waiting;
  private final RunWaits waits;
  private final RunResults results;
  private final FollowLimits limits;
  private final Function<Exchange, Asked> asked;
  private final List<FixedTool> tools;

  /** @param asked the request of an exchange, which can be repeated */
  public RunTools(Catalogue catalogue, RunCalls calls, WaitingCalls waiting, RunWaits waits, RunResults results,
      FollowLimits limits, Function<Exchange, Asked> asked) {
    this.catalogue = catalogue;
    this.calls = calls;
    this.waiting = waiting;
    this.waits = waits;
    this.results = results;
    this.limits = limits;
    this.asked = asked;
    tools = List.of(
        new FixedTool(RunToolDefinitions.PLAN, Role.VIEWER, this::plan),
        new FixedTool(RunToolDefinitions.GET, Role.VIEWER, this::get),
        new FixedTool(RunToolDefinitions.WAIT, Role.VIEWER, this::await),
        new FixedTool(RunToolDefinitions.CANCEL, Role.AGENT, this::cancel),
        new FixedTool(RunToolDefinitions.LIST, Role.VIEWER, this::list));
  }

  @Override
  public List<Tool> tools(Caller caller) {
    return FixedTool.permitted(tools, caller);
  }

  @Needs(Role.VIEWER)
  private ToolResult get(JsonObject arguments, Exchange exchange) {
    RunHandle run = calls.find(text(arguments, "request_id"));
    return results.shown(run.run(), run, exchange);
  }

  @Needs(Role.VIEWER)
  private ToolResult await(JsonObject arguments, Exchange exchange) {
    RunHandle run = calls.find(text(arguments, "request_id"));
    Duration wanted = Duration.ofSeconds(arguments.integer("wait_seconds").orElse(MAX_WAIT_SECONDS));
    return results.awaited(await(run, limits.atMost(wanted), exchange).run(), run, exchange);
  }

  private RunWaitOutcome await(RunHandle run, Duration limit, Exchange exchange) {
    try (var _ = waiting.enter(exchange.caller())) {
      RunWaitOutcome outcome = waits.await(run, limit, exchange);
      RunWaits.requireValid(exchange);
      return outcome;
    }
  }

  /** Also answers with the run if it was cancelled before: the first answer may have been lost. */
  @Needs(Role.AGENT)
  private ToolResult cancel(JsonObject arguments, Exchange exchange) {
    String id = text(arguments, "request_id");
    RunHandle run = calls.find(id);
    Answer answer = calls.cancel(id, exchange.caller(), asked.apply(exchange));
    if (answer instanceof Problem problem && run.run().status() != RunStatus.CANCELLED) {
      throw new Rejected(problem);
    }
    return results.shown(await(run, limits.answerWithin(), exchange).run(), run, exchange);
  }

  @Needs(Role.VIEWER)
  private ToolResult plan(JsonObject arguments, Exchange exchange) {
    String intent = intent(text(arguments, "intent"));
    RunBody body = new RunBody(arguments.object("params").orElse(null), null, false, null, null, false, null, null);
    RunCall call = calls.call(intent, body, exchange.caller(), new PlanDoor());
    return switch (calls.plan(call, exchange.caller())) {
      case Problem problem -> throw new Rejected(problem);
      case Answer.Done(int _, var _, JsonWriter plan) -> ToolResult.Complete.of(false,
          "The plan of a run of " + intent + "; nothing was started.\n" + plan.end(), done(plan));
      case Answer.Listing _ -> throw new IllegalStateException("a plan is no list");
    };
  }

  private static JsonWriter done(JsonWriter body) {
    return JsonWriter.line().put("outcome", "done").members(body);
  }

  /** The intent with a name, which may be written like the name of its tool. */
  private String intent(String name) {
    return catalogue.find(name).isPresent()
        ? name
        : catalogue.list().stream().map(intent -> intent.name())
            .filter(it -> ToolName.of(it).equals(name)).findFirst().orElse(name);
  }

  @Needs(Role.VIEWER)
  private ToolResult list(JsonObject arguments, Exchange exchange) {
    RunStore.Query wanted = new RunStore.Query(arguments.text("intent").map(this::intent).orElse(null),
        arguments.text("status").map(RunCalls::status).orElse(null), arguments.text("actor").orElse(null),
        arguments.text("lock_name").map(LeaseName::new).map(LeaseName::value).orElse(null), null, null,
        ToolPages.limit(arguments));
    Page page = wanted.page(ToolPages.cursor(arguments));
    Rows<String> runs = ToolPages.read(page, rows -> calls.list(wanted.of(page), rows));
    int count = runs.rows().size();
    String sentence = switch (count) {
      case 0 -> "No run matches.";
      case 1 -> "1 run" + ToolPages.end(runs.next());
      default -> count + " runs, the newest first" + ToolPages.end(runs.next());
    };
    return ToolResult.Complete.of(false,
        sentence + runs.rows().stream().map(RunTools::line).collect(Collectors.joining()),
        done(runs.jsonOf("runs", Function.identity())));
  }

  private static String line(String run) {
    try {
      JsonObject json = JsonReader.readObject(run);
      return "\n" + Stream.of("request_id", "intent", "status", "created_at", "actor")
          .map(member -> json.text(member).orElse("")).collect(Collectors.joining(" "));
    } catch (JsonException e) {
      throw new IllegalStateException("a run is not JSON: " + e.getMessage(), e);
    }
  }

  private static String text(JsonObject arguments, String name) {
    return arguments.text(name).orElse("");
  }

  /** A plan has no id. The arguments of a tool never contain a secret, because clients show and keep them. */
  private static final class PlanDoor implements RunDoor {
    @Override
    public void hasSecrets() {
      throw new Rejected(Problem.of(ErrorCode.INVALID_PARAMS, "a parameter is secret and is not accepted from a model",
          "plan or run the intent with `tower plan` or `tower run`"));
    }
  }
}
