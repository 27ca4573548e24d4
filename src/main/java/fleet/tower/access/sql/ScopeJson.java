package fleet.tower.access.sql;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import fleet.tower.access.AllowedIntents;
import fleet.tower.access.AllowedIntents.ValuePattern;
import fleet.tower.access.NamePattern;
import fleet.tower.access.Scope;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;

/**
 * The limits of a token and its right to approve, as five JSON lists. Reading is strict: an unknown member could be a
 * limit of a later version, and ignoring it would widen the rights.
 */
record ScopeJson(String intents, String locks, String mailboxes, String tasks, String approve) {
  private static final String NAME = "name";
  private static final String PARAMS = "params";

  static ScopeJson of(Scope scope) {
    return new ScopeJson(list(scope.intents().stream().map(ScopeJson::json).toList()), names(scope.locks()),
        names(scope.mailboxes()), names(scope.tasks()), names(scope.approve()));
  }

  private static String names(List<NamePattern> patterns) {
    return list(patterns.stream().map(it -> JsonWriter.quote(it.text())).toList());
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
  Scope read() {
    return new Scope(items(intents).stream().map(ScopeJson::allowed).toList(), names(locks, NamePattern::lock),
        names(mailboxes, NamePattern::mailbox), names(tasks, NamePattern::project),
        names(approve, NamePattern::intent));
  }

  private static List<NamePattern> names(String json, Function<String, NamePattern> pattern) {
    return items(json).stream().map(it -> pattern.apply(text(it))).toList();
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
    return new AllowedIntents(NamePattern.intent(json.text(NAME).orElse("")), params);
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
