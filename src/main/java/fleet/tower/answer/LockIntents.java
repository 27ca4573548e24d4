package fleet.tower.answer;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import fleet.tower.intent.Template;
import fleet.tower.intent.Template.Fact;
import fleet.tower.intent.Template.Literal;
import fleet.tower.intent.Template.Param;
import fleet.tower.intent.Template.Reference;
import fleet.tower.lease.LeaseName;
import fleet.tower.operation.Given;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;

/**
 * The intents whose runs may take a lock, found by matching its name against their lock templates. A run takes its lock
 * itself, so a person who wants to run the intent must not take the lock first.
 *
 * @param request a run of the intent under this very lock; null if the lock's name does not determine every required
 *     parameter
 */
public record LockIntents(String intent, @Nullable Given request) {

  /** The intents that may take a lock. */
  public static List<LockIntents> of(LeaseName name, List<JsonObject> intents) {
    return intents.stream().flatMap(intent -> of(name, intent).stream()).toList();
  }

  private static Optional<LockIntents> of(LeaseName name, JsonObject intent) {
    Optional<String> lock = intent.text("lock");
    if (lock.isEmpty() || intent.text("mode").filter("observe"::equals).isPresent()) {
      return Optional.empty();
    }
    try {
      return new Match(intent).with(Template.parse(lock.get()), name);
    } catch (Template.Malformed | PatternSyntaxException ofANewerVersion) {
      return Optional.empty();
    }
  }

  /** The match of a template with a name. */
  private static final class Match {
    private final JsonObject intent;
    private final Optional<JsonObject> schema;
    private final List<String> params = new ArrayList<>();
    private int free;

    Match(JsonObject intent) {
      this.intent = intent;
      this.schema = intent.object("params");
    }

    Optional<LockIntents> with(Template template, LeaseName name) {
      StringBuilder pattern = new StringBuilder();
      for (Template.Part part : template.parts()) {
        switch (part) {
          case Literal(String text) -> pattern.append(Pattern.quote(text));
          case Reference(Param(String param), int _) -> {
            params.add(param);
            pattern.append('(').append(allowed(param)).append(')');
          }
          case Reference(Fact fact, int _) -> pattern.append(switch (fact) {
            case INTENT_NAME -> Pattern.quote(text("name"));
            case INTENT_VERSION -> Pattern.quote(text("version"));
            case REQUEST_ID, REQUEST_ACTOR, LOCK_TOKEN -> {
              free = 2;
              yield ".+";
            }
          });
        }
      }
      Matcher matcher = Pattern.compile(pattern.toString()).matcher(name.value());
      return matcher.matches() && hasAllowedValues(matcher)
          ? Optional.of(new LockIntents(text("name"), request(matcher)))
          : Optional.empty();
    }

    /** The values of a parameter as a regular expression without capturing groups. */
    private String allowed(String param) {
      Optional<JsonObject> property = property(param);
      List<JsonValue> values = property.map(it -> it.items("enum")).orElse(List.of());
      if (!values.isEmpty()) {
        return values.stream().map(Match::plain).map(Pattern::quote).collect(Collectors.joining("|"));
      }
      free++;
      return ".+";
    }

    private boolean hasAllowedValues(Matcher matcher) {
      for (int i = 0; i < params.size(); i++) {
        String value = matcher.group(i + 1);
        if (property(params.get(i)).flatMap(it -> it.text("pattern"))
            .filter(pattern -> !Pattern.compile(pattern).matcher(value).find()).isPresent()) {
          return false;
        }
      }
      return true;
    }

    private Optional<JsonObject> property(String param) {
      return schema.flatMap(it -> it.object("properties")).flatMap(it -> it.object(param));
    }

    /** With two parameters of any text, a name can be split in several ways. */
    private @Nullable Given request(Matcher matcher) {
      Map<String, String> values = new LinkedHashMap<>();
      for (int i = 0; i < params.size(); i++) {
        String before = values.put(params.get(i), matcher.group(i + 1));
        if (before != null && !before.equals(matcher.group(i + 1))) {
          return null;
        }
      }
      List<String> required = schema.map(it -> it.texts("required")).orElse(List.of());
      if (free > 1 || !values.keySet().containsAll(required)) {
        return null;
      }
      JsonWriter params = JsonWriter.line();
      values.forEach((param, value) -> {
        if (property(param).map(it -> it.get("default")).filter(it -> plain(it).equals(value)).isEmpty()) {
          params.put(param, value);
        }
      });
      return Given.NOTHING.with(RunOperations.INTENT, text("name"))
          .with(RunOperations.PARAMS, JsonReader.readOwn(params.end()));
    }

    private static String plain(JsonValue value) {
      return switch (value) {
        case JsonValue.Text text -> text.value();
        case JsonValue.Numeral numeral -> numeral.literal();
        case JsonValue.Bool bool -> String.valueOf(bool.value());
        case JsonValue.Null _,JsonValue.Items _,JsonObject _ -> "";
      };
    }

    private String text(String key) {
      return intent.text(key).orElse("");
    }
  }
}
