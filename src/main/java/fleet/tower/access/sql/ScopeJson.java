package fleet.tower.access.sql;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import fleet.tower.access.AllowedIntents;
import fleet.tower.access.IntentPattern;
import fleet.tower.access.LockPattern;
import fleet.tower.access.Scope;
import fleet.tower.access.ValuePattern;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;

/**
 * The limits of a token as two JSON lists. Reading is strict: an unknown member could be a limit of a later version,
 * and ignoring it would widen the rights.
 */
final class ScopeJson {
  private static final String NAME = "name";
  private static final String PARAMS = "params";

  private ScopeJson() {}

  static String intents(Scope scope) {
    return list(scope.intents().stream().map(ScopeJson::json).toList());
  }

  static String locks(Scope scope) {
    return list(scope.locks().stream().map(it -> JsonWriter.quote(it.text())).toList());
  }

  private static String list(List<String> items) {
    return "[" + String.join(",", items) + "]";
  }

  private static String json(AllowedIntents intents) {
    JsonWriter params = JsonWriter.line();
    intents.params().forEach((param, values) -> params.list(param,
        values.stream().map(it -> JsonWriter.quote(it.text())).toList()));
    return JsonWriter.line().put(NAME, intents.name().text()).put(PARAMS, params).end();
  }

  /** @throws InvalidValue if a text is not what this class writes */
  static Scope read(String intents, String locks) {
    return new Scope(items(intents).stream().map(ScopeJson::allowed).toList(),
        items(locks).stream().map(it -> new LockPattern(text(it))).toList());
  }

  private static List<JsonValue> items(String json) {
    try {
      if (JsonReader.readValue(json) instanceof JsonValue.Items items) {
        return items.values();
      }
    } catch (JsonException notJson) {
      throw invalid(json);
    }
    throw invalid(json);
  }

  private static AllowedIntents allowed(JsonValue item) {
    if (!(item instanceof JsonObject json) || !Set.of(NAME, PARAMS).equals(json.members().keySet())
        || !(json.get(PARAMS) instanceof JsonObject limits)) {
      throw invalid("intents");
    }
    Map<String, List<ValuePattern>> params = new LinkedHashMap<>();
    limits.members().forEach((param, values) -> params.put(param, values instanceof JsonValue.Items items
        ? items.values().stream().map(it -> new ValuePattern(text(it))).toList()
        : List.of()));
    return new AllowedIntents(new IntentPattern(json.text(NAME).orElse("")), params);
  }

  private static String text(JsonValue value) {
    if (value instanceof JsonValue.Text text) {
      return text.value();
    }
    throw invalid("a pattern");
  }

  private static InvalidValue invalid(String what) {
    return new InvalidValue(InvalidValue.Kind.REQUEST, InvalidValue.shown(what) + " is not of this version");
  }
}
