package fleet.tower.service.mcp.tool;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.answer.Asked;
import fleet.tower.answer.CommandLine;
import fleet.tower.answer.NextAction;
import fleet.tower.answer.NextStep;
import fleet.tower.answer.NextStep.Change;
import fleet.tower.intent.Intent;
import fleet.tower.intent.ToolName;
import fleet.tower.operation.Arg.Via;
import fleet.tower.operation.Ask;
import fleet.tower.operation.Operation;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.mcp.wire.Exchange;

/**
 * A refused call of a tool. Its actions are calls of tools; what no tool does becomes advice to ask an operator. A call
 * with secrets or with long arguments is not repeated.
 */
public final class McpAsked implements Asked {
  static final String PLAN = "plan_intent";
  private static final String ACQUIRE = "acquire_lock";
  private static final String REQUEST_ID = "request_id";
  private static final int MAX_REPEATED = 16 * 1024;
  /** Tools whose request id names what they work on. */
  private static final Set<String> ABOUT_A_REQUEST = Set.of("get_run", "wait_run", "cancel_run", "renew_lock",
      "release_lock");

  private final Caller caller;
  private final String tool;
  private final JsonObject arguments;
  private final IntentOffer intents;

  McpAsked(Exchange exchange, IntentOffer intents) {
    JsonObject params = exchange.request().params();
    this.caller = exchange.caller();
    this.tool = params.text("name").orElse("");
    this.arguments = params.object("arguments").orElseGet(() -> JsonReader.readOwn("{}"));
    this.intents = intents;
  }

  @Override
  public boolean permits(@Nullable Role needed) {
    return needed == null || caller.role().covers(needed);
  }

  @Override
  public boolean replacesSuggestions() {
    return true;
  }

  @Override
  public boolean isCaller(String actor) {
    return caller.name().equals(actor);
  }

  @Override
  public boolean permitsIntent(String intent) {
    return caller.allows(intent);
  }

  /** Whether the tool runs an intent. */
  private boolean runsIntent() {
    return tool.equals(RunIntent.NAME) || intents.named(tool).isPresent();
  }

  /** The intent that the call names, or whose tool it calls. */
  private Optional<String> intent() {
    return tool.equals(RunIntent.NAME) || tool.equals(PLAN)
        ? arguments.text(RunIntent.INTENT)
        : intents.named(tool).map(Intent::name);
  }

  /** The parameters of the intent. */
  private JsonObject params() {
    return switch (tool) {
      case RunIntent.NAME -> arguments.object(RunIntent.ARGUMENTS).orElseGet(() -> JsonReader.readOwn("{}"));
      case PLAN -> arguments.object("params").orElseGet(() -> JsonReader.readOwn("{}"));
      default -> IntentSchema.paramsOf(arguments);
    };
  }

  @Override
  public NextAction listing() {
    return switch (tool) {
      case "list_locks", "explain_lock", ACQUIRE, "renew_lock", "release_lock" ->
        NextAction.tool("list_locks", "{}", "see what is there");
      case "get_run", "wait_run", "cancel_run", "list_runs" -> NextAction.tool("list_runs", "{}", "see what is there");
      case "claim_task", "renew_task", "close_task", "send_message", "receive_message", "settle_message" ->
        NextAction.advice("see the input schema of the tool " + tool);
      default -> schema(intent().orElse(""));
    };
  }

  /** The action that shows the parameters of an intent, or all intents. */
  private NextAction schema(String intent) {
    return intents.isSearched(caller)
        ? NextAction.tool(SearchIntents.NAME, JsonWriter.line().put(SearchIntents.QUERY, intent).end(),
            intent.isEmpty() ? "list the intents" : "see the parameters of " + intent)
        : NextAction.advice("see the input schema of the tool " + (intent.isEmpty() ? tool : ToolName.of(intent)));
  }

  @Override
  public NextAction again(List<Change> changes, @Nullable String instead, String why) {
    if (arguments.raw().length() > MAX_REPEATED || hasSecrets()) {
      return NextAction.advice(why + "; the call is not repeated here, because its arguments are "
          + (hasSecrets() ? "secret" : "long"));
    }
    Map<String, String> members = new LinkedHashMap<>();
    arguments.members().forEach((name, value) -> members.put(name, arguments.raw(value)));
    for (Change change : changes) {
      switch (change) {
        case Change.Waiting(long seconds) ->
          waiting().ifPresent(member -> members.put(member, Long.toString(seconds)));
        case Change.NewId() -> {
          if (!ABOUT_A_REQUEST.contains(tool)) {
            // The tool chooses an id then.
            members.remove(runsIntent() ? IntentSchema.REQUEST_ID : REQUEST_ID);
          }
        }
        case Change.Planned _ -> {
          return planned(why);
        }
        case Change.Forced(boolean force) -> {
          if (force) {
            return commanded("--force-lock", why);
          }
        }
        case Change.Queued() -> {
          return commanded("--queue", why);
        }
      }
    }
    String repeated = tool;
    if (instead != null && members.replace(RunIntent.INTENT, JsonWriter.quote(instead)) == null) {
      repeated = ToolName.of(instead);
    }
    JsonWriter json = JsonWriter.line();
    members.forEach(json::raw);
    return NextAction.tool(repeated, json.end(), why);
  }

  private boolean hasSecrets() {
    return intent().filter(name -> intents.hasSecrets(name, params().members().keySet())).isPresent();
  }

  /** The argument with the longest wait for a lock. */
  private Optional<String> waiting() {
    if (runsIntent()) {
      return Optional.of(IntentSchema.WAIT_SECONDS);
    }
    return tool.equals(ACQUIRE) ? Optional.of("wait_seconds") : Optional.empty();
  }

  private NextAction planned(String why) {
    return intent().map(name -> NextAction.tool(PLAN,
        JsonWriter.line().put(RunIntent.INTENT, name).raw("params", object(params())).end(), why))
        .orElseGet(() -> NextAction.advice(why));
  }

  private static String object(JsonObject members) {
    JsonWriter json = JsonWriter.line();
    members.members().forEach((name, value) -> json.raw(name, members.raw(value)));
    return json.end();
  }

  /** The command that does what the call does, with an option that no tool has. */
  private NextAction commanded(String option, String why) {
    CommandLine command = tool.equals(ACQUIRE)
        ? new CommandLine("lock").operand(arguments.text("lock_name").orElse(""))
        : new CommandLine("run").operand(intent().orElse(""));
    if (!tool.equals(ACQUIRE)) {
      JsonObject params = params();
      params.members().forEach((name, value) -> command.option("-p", name + "=" + text(params, value)));
    }
    return NextAction.command(command.flag(option).toString(), why);
  }

  private static String text(JsonObject in, JsonValue value) {
    return value instanceof JsonValue.Text text ? text.value() : in.raw(value);
  }

  /** Calls of tools, best first, then advice. */
  @Override
  public List<NextAction> actions(List<NextStep> steps) {
    List<NextAction> actions = Asked.super.actions(steps).stream().map(this::callable).distinct().toList();
    return Stream.concat(actions.stream().filter(action -> action.tool() != null),
        actions.stream().filter(action -> action.tool() == null)).toList();
  }

  @Override
  public NextAction asking(Ask ask, String why) {
    Operation.Tool known = ask.operation().tool();
    return known == null || !ask.operation().takes(ask.given(), Via.TOOL)
        ? Asked.super.asking(ask, why)
        : ToolCalls.of(known, ask, why);
  }

  private NextAction callable(NextAction action) {
    if (action.method() != null && action.href() != null) {
      Optional<NextAction> call = ToolCalls.of(action).or(() -> intentCall(action));
      if (call.isPresent()) {
        return call.get();
      }
    }
    return action.command() == null
        ? action
        : NextAction.advice("ask an operator to run: " + action.command() + " (" + action.why() + ")");
  }

  private Optional<NextAction> intentCall(NextAction action) {
    String href = String.valueOf(action.href());
    return "GET".equals(action.method()) && href.matches("/intents(/.*)?")
        ? Optional.of(schema(href.replaceFirst("^/intents/?", "")))
        : Optional.empty();
  }
}
