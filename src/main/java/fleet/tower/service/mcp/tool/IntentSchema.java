package fleet.tower.service.mcp.tool;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;

import fleet.tower.access.AllowedIntents;
import fleet.tower.access.AllowedIntents.ValuePattern;
import fleet.tower.access.Caller;
import fleet.tower.answer.IntentJson;
import fleet.tower.intent.Intent;
import fleet.tower.intent.Parameter;
import fleet.tower.intent.Parameter.Limits;
import fleet.tower.intent.ToolName;
import fleet.tower.lock.queue.Wait;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.submit.PlanHash;

/** The input schema of an intent's tool: the parameters, except secrets, and the arguments that every intent has. */
final class IntentSchema {
  static final String REQUEST_ID = ToolName.OWN_ARGUMENTS + "request_id";
  static final String WAIT_SECONDS = ToolName.OWN_ARGUMENTS + "wait_seconds";
  static final String PLAN_HASH = ToolName.OWN_ARGUMENTS + "plan_hash";
  /** The arguments that every intent has. */
  private static final String TEXT = "{\"type\":\"string\"}";
  static final Map<String, String> OWN = ownSchemas();
  private static final String ESCAPE = "\\\\[nrt.^$|/\\\\()\\[\\]{}*+?]|\\\\[dDwW]";
  private static final String CLASS = "\\[\\^?(?:(?!-\\\\)[^\\\\\\[\\]&]|(?:" + ESCAPE + "|\\\\-)(?!-[^\\]]))+\\]";
  /**
   * Regular expressions that mean the same in Java and in ECMAScript: characters, classes, groups, alternatives and
   * quantifiers. Any other could break a client that compiles it.
   */
  private static final Pattern PORTABLE = Pattern.compile("(?:\\(\\?:|\\(|[|^$]|(?:[^\\\\\\[\\](){}*+?|^$]|" + ESCAPE
      + "|" + CLASS + "|\\))(?:(?:[*+?]|\\{\\d+(?:,\\d*)?\\})\\??)?)*");

  private final List<Parameter> params;
  private final boolean isRepeatable;

  private static Map<String, String> ownSchemas() {
    Map<String, String> own = new LinkedHashMap<>();
    own.put(REQUEST_ID, "{\"type\":\"string\",\"description\":\"same id, same run\"}");
    own.put(WAIT_SECONDS, "{\"type\":\"integer\"}");
    own.put(PLAN_HASH, TEXT);
    return own;
  }

  IntentSchema(Intent intent, Caller caller) {
    isRepeatable = intent.mode() != Intent.Mode.MUTATE;
    List<AllowedIntents> limits = caller.scope().limitsOf(intent.name());
    params = intent.params().stream().filter(param -> !param.secret()).map(param -> shown(narrowed(param, limits)))
        .toList();
  }

  /** The parameters alone. */
  JsonWriter ofParams() {
    return schema(false);
  }

  /** The parameters, and the arguments that every intent has. */
  JsonWriter ofTool() {
    return schema(true);
  }

  /** The arguments that every intent has, alone, with limits that tools do not repeat in each list. */
  static JsonWriter ofOwn() {
    JsonWriter properties = JsonWriter.line();
    OWN.forEach((name, schema) -> properties.raw(name, switch (name) {
      case WAIT_SECONDS -> "{\"type\":\"integer\",\"minimum\":0,\"maximum\":" + Wait.MAX_SECONDS + "}";
      case PLAN_HASH -> JsonWriter.line().put("type", "string").put("pattern", PlanHash.PATTERN).end();
      default -> schema;
    }));
    return JsonWriter.line().put("type", "object").put("properties", properties);
  }

  /** @param isRepeatable whether it does not matter that an id runs once */
  static JsonWriter own(JsonWriter properties, boolean isRepeatable) {
    OWN.forEach((name, schema) -> properties.raw(name, isRepeatable && name.equals(REQUEST_ID) ? TEXT : schema));
    return properties;
  }

  private JsonWriter schema(boolean withOwn) {
    JsonWriter properties = JsonWriter.line();
    params.forEach(param -> properties.put(param.name(), IntentJson.param(param)));
    if (withOwn) {
      own(properties, isRepeatable);
    }
    JsonWriter schema = JsonWriter.line().put("type", "object").put("properties", properties);
    List<String> required = params.stream().filter(Parameter::required).map(param -> JsonWriter.quote(param.name()))
        .toList();
    return (required.isEmpty() ? schema : schema.list("required", required)).put("additionalProperties", false);
  }

  /** The arguments of a tool that are parameters. */
  static JsonObject paramsOf(JsonObject arguments) {
    return members(arguments, name -> !OWN.containsKey(name));
  }

  /** The arguments that every intent has. */
  static JsonObject ownOf(JsonObject arguments) {
    return members(arguments, OWN::containsKey);
  }

  private static JsonObject members(JsonObject arguments, Predicate<String> wanted) {
    Map<String, JsonValue> members = new LinkedHashMap<>(arguments.members());
    members.keySet().removeIf(wanted.negate());
    return new JsonObject(members, arguments.source(), arguments.start(), arguments.end());
  }

  /**
   * The parameter with the values that the caller's token allows. A default that is not among them would be refused, so
   * the caller must give a value.
   */
  private static Parameter narrowed(Parameter param, List<AllowedIntents> limits) {
    if (limits.isEmpty() || !limits.stream().allMatch(limit -> limit.params().containsKey(param.name()))) {
      return param;
    }
    Limits old = param.limits();
    List<ValuePattern> patterns = limits.stream()
        .flatMap(limit -> limit.params().getOrDefault(param.name(), List.of()).stream()).toList();
    List<String> allowed = old.allowed().stream()
        .filter(value -> patterns.stream().anyMatch(pattern -> pattern.matches(value))).toList();
    String fallback = param.defaultValue();
    boolean hasDefault = fallback != null && patterns.stream().anyMatch(pattern -> pattern.matches(fallback));
    return new Parameter(param.name(), param.type(), !hasDefault, hasDefault ? fallback : null, param.secret(),
        allowed.isEmpty() ? old : new Limits(old.pattern(), allowed, old.minimum(), old.maximum()),
        param.description());
  }

  static boolean isPortable(String pattern) {
    return PORTABLE.matcher(pattern).matches();
  }

  private static Parameter shown(Parameter param) {
    Limits old = param.limits();
    Pattern pattern = old.pattern();
    boolean isPortable = pattern != null && isPortable(pattern.pattern());
    String description = PlainText.line(pattern == null || isPortable
        ? param.description()
        : param.description() + " (must match " + pattern + ")");
    return new Parameter(param.name(), param.type(), param.required(), param.defaultValue(), false,
        new Limits(isPortable ? pattern : null, old.allowed(), old.minimum(), old.maximum()), description);
  }
}
