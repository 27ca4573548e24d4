package fleet.tower.service.mcp.tool;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.answer.NextAction;
import fleet.tower.answer.RefusedRequest;
import fleet.tower.answer.Remedy;
import fleet.tower.answer.Remedy.Change;
import fleet.tower.intent.Intent;
import fleet.tower.intent.ToolName;
import fleet.tower.operation.Arg.Via;
import fleet.tower.operation.Ask;
import fleet.tower.operation.CommonArgs;
import fleet.tower.operation.Given;
import fleet.tower.operation.LockOperations;
import fleet.tower.operation.Operation;
import fleet.tower.operation.Operations;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.mcp.wire.Exchange;

/**
 * A refused call of a tool. Its actions are calls of tools; what no tool does becomes advice to ask an operator. A call
 * with secrets or with long arguments is not repeated.
 */
public final class RefusedToolCall implements RefusedRequest {
  private static final String PLAN = RunOperations.PLAN.toolName();
  private static final int MAX_REPEATED = 16 * 1024;
  private final Caller caller;
  private final String tool;
  private final JsonObject arguments;
  private final IntentOffer intents;

  RefusedToolCall(Exchange exchange, IntentOffer intents) {
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

  /** No tool does what only operators may. */
  @Override
  public boolean isOperator() {
    return false;
  }

  @Override
  public boolean isCaller(String actor) {
    return caller.name().equals(actor);
  }

  @Override
  public boolean permitsIntent(String intent) {
    return caller.allows(intent);
  }

  /** The operation of a tool. */
  private static Optional<Operation> operation(String tool) {
    return Operations.all().filter(one -> one.tool() != null && one.toolName().equals(tool)).findFirst();
  }

  /** Whether requests for an operation have an id of their own, rather than that of a run or a lock. */
  private static boolean isNamed(Operation operation) {
    return operation.args().contains(CommonArgs.REQUEST_ID) && !operation.inPath().contains(CommonArgs.REQUEST_ID)
        && !operation.equals(LockOperations.RENEW) && !operation.equals(LockOperations.RELEASE);
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
    return tool.equals(RunIntent.NAME) || tool.equals(PLAN)
        ? arguments.object(tool.equals(PLAN) ? RunOperations.PARAMS.name() : RunIntent.ARGUMENTS)
            .orElseGet(() -> JsonReader.readOwn("{}"))
        : IntentSchema.paramsOf(arguments);
  }

  /** The operation that the call asks for, as far as another door could repeat it. */
  private Optional<Ask> ask() {
    return intent().map(name -> new Ask(RunOperations.SUBMIT, Given.NOTHING.with(RunOperations.INTENT, name)
        .with(RunOperations.PARAMS, JsonReader.readOwn(object(params())))))
        .or(() -> arguments.text(LockOperations.NAME.name()).map(name -> new Ask(LockOperations.ACQUIRE,
            Given.NOTHING.with(LockOperations.NAME, name))));
  }

  @Override
  public NextAction listing() {
    return operation(tool).map(one -> Operations.listOf(one.path())
        .filter(list -> list.tool() != null).map(list -> asking(new Ask(list, Given.NOTHING), "see what is there"))
        .orElseGet(() -> intent().map(this::schema)
            .orElseGet(() -> NextAction.advice("see the input schema of the tool " + tool))))
        .orElseGet(() -> schema(intent().orElse("")));
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
        // The tool chooses an id then, unless the id names what it works on.
        case Change.NewId() -> {
          if (runsIntent() || operation(tool).filter(RefusedToolCall::isNamed).isPresent()) {
            members.remove(runsIntent() ? IntentSchema.REQUEST_ID : CommonArgs.REQUEST_ID.name());
          }
        }
        case Change.Planned _ -> {
          return ask().filter(_ -> intent().isPresent()).map(ask -> asking(ask.planned(), why))
              .orElseGet(() -> NextAction.advice(why));
        }
        // No tool has these arguments.
        case Change.Forced(boolean force) -> {
          if (force) {
            return changed(change, why);
          }
        }
        case Change.Queued() -> {
          return changed(change, why);
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
    return runsIntent()
        ? Optional.of(IntentSchema.WAIT_SECONDS)
        : operation(tool).filter(LockOperations.ACQUIRE::equals).map(_ -> LockOperations.WAIT.name());
  }

  private NextAction changed(Change change, String why) {
    return ask().map(ask -> RefusedRequest.super.asking(change.to(ask), why)).orElseGet(() -> NextAction.advice(why));
  }

  private static String object(JsonObject members) {
    JsonWriter json = JsonWriter.line();
    return json.members(members).end();
  }

  /** Calls of tools, best first, then advice. */
  @Override
  public List<NextAction> actions(List<Remedy> remedies) {
    List<NextAction> actions = RefusedRequest.super.actions(remedies).stream().map(RefusedToolCall::callable).distinct()
        .toList();
    return Stream.concat(actions.stream().filter(action -> action.tool() != null),
        actions.stream().filter(action -> action.tool() == null)).toList();
  }

  @Override
  public NextAction asking(Ask ask, String why) {
    Operation operation = ask.operation();
    if (operation.equals(RunOperations.LIST_INTENTS) || operation.equals(RunOperations.VIEW_INTENT)) {
      return schema(ask.given().find(RunOperations.INTENT).orElse(""));
    }
    return operation.tool() == null || !operation.takes(ask.given(), Via.TOOL)
        ? RefusedRequest.super.asking(ask, why)
        : NextAction.tool(operation.toolName(), chosen(JsonReader.readOwn(ask.arguments().end())).end(), why);
  }

  /** The members without an id that the caller would have to choose: the tool chooses one. */
  private static JsonWriter chosen(JsonObject members) {
    JsonWriter chosen = JsonWriter.line();
    members.members().forEach((name, value) -> {
      if (members.text(name).filter(NextAction.NEW::equals).isEmpty()) {
        chosen.raw(name, members.raw(value));
      }
    });
    return chosen;
  }

  private static NextAction callable(NextAction action) {
    return action.command() == null
        ? action
        : NextAction.advice("ask an operator to run: " + action.command() + " (" + action.why() + ")");
  }
}
