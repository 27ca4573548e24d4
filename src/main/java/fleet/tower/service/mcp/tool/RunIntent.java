package fleet.tower.service.mcp.tool;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import fleet.tower.access.Caller;
import fleet.tower.answer.IntentProblems;
import fleet.tower.answer.RefusedCall;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Intent;
import fleet.tower.intent.Values;
import fleet.tower.operation.GivenParams;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.submit.SubmitOutcome;
import fleet.tower.service.mcp.tool.InvalidArguments.Mistake;
import fleet.tower.service.mcp.wire.Exchange;

/** The tool that runs any intent, with the same arguments as a tool of its own would have. */
final class RunIntent implements Tool {
  static final String NAME = "run_intent";
  static final String INTENT = "intent";
  static final String ARGUMENTS = "arguments";

  private final IntentTools intents;

  RunIntent(IntentTools intents) {
    this.intents = intents;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public JsonWriter definition() {
    JsonWriter properties = JsonWriter.line().raw(INTENT, "{\"type\":\"string\",\"maxLength\":128}")
        .raw(ARGUMENTS, "{\"type\":\"object\",\"description\":\"as defined by the intent's input_schema\"}");
    return JsonWriter.line().put("name", NAME)
        .put("description",
            "Runs an intent that search_intents found. What it changes, its lock and its rollback are in"
                + " the intent's description.")
        .put("inputSchema",
            JsonWriter.line().put("type", "object").put("properties", IntentSchema.own(properties, false))
                .list("required", List.of(JsonWriter.quote(INTENT))).put("additionalProperties", false))
        .raw("outputSchema", IntentTool.OUTPUT).raw("annotations", "{\"destructiveHint\":true}");
  }

  @Override
  public ToolResult call(JsonObject arguments, Exchange exchange) {
    Caller caller = exchange.caller();
    Catalogue catalogue = intents.offer().catalogue();
    String name = arguments.text(INTENT).orElse("");
    JsonObject given = arguments.object(ARGUMENTS).orElseGet(() -> JsonReader.readOwn("{}"));
    Intent intent = catalogue.find(name)
        .orElseThrow(() -> new RefusedCall(IntentProblems.of(
            new SubmitOutcome.UnknownIntent(name, catalogue.closest(name)),
            other -> accepts(caller, other, given))));
    caller.requireIntent(name);
    IntentTool tool = intents.tool(intent, caller);
    try {
      tool.check(given);
    } catch (InvalidArguments e) {
      throw new InvalidArguments(
          e.mistakes().stream().map(it -> new Mistake("/" + ARGUMENTS + it.pointer(), it.message())).toList(),
          Optional.ofNullable(e.nearest()).map(json -> with(arguments, json)).orElse(null));
    }
    Map<String, JsonValue> flat = new LinkedHashMap<>(given.members());
    flat.putAll(IntentSchema.ownOf(arguments).members());
    return tool.call(new JsonObject(flat, arguments.source(), arguments.start(), arguments.end()), exchange);
  }

  private boolean accepts(Caller caller, String intent, JsonObject given) {
    Map<String, Values.Given> params = GivenParams.of(given);
    return !intents.offer().hasSecrets(intent, params.keySet()) && intents.offer().catalogue().find(intent)
        .filter(it -> Values.read(it.params(), params) instanceof Values.Accepted(Values values)
            && caller.mayRun(intent, values.texts()))
        .isPresent();
  }

  private static String with(JsonObject arguments, String params) {
    JsonWriter json = JsonWriter.line();
    arguments.members()
        .forEach((name, value) -> json.raw(name, name.equals(ARGUMENTS) ? params : arguments.raw(value)));
    return json.end();
  }
}
