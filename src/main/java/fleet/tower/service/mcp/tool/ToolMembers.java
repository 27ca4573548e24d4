package fleet.tower.service.mcp.tool;

import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;

/**
 * The members of HTTP's answers as results of tools have them: without paths of the service's host, and with
 * suggestions that a caller of tools can follow.
 */
public final class ToolMembers {
  private static final Set<String> PATHS = Set.of("lock_path", "freeze_path");
  private static final String METADATA = "metadata";
  private static final String SUGGESTION = "suggestion";
  /** What only another door has: options and names of commands, calls over HTTP, keys of a terminal. */
  private static final Pattern OTHER_DOOR = Pattern.compile("--[a-z]|\\btower [a-z]|\\b(?:GET|POST|PUT|DELETE) /"
      + "|\\bforce-release\\b|\\buse unfreeze\\b|\\bCtrl-C\\b|\"queue\"");
  private static final Pattern CLAUSE = Pattern.compile("; |, then: ");

  private ToolMembers() {}

  /** The members without paths. The metadata of a caller stays as it is. */
  public static JsonWriter of(JsonWriter members) {
    return of(JsonReader.readOwn(members.end()), null);
  }

  /**
   * The members of a refusal.
   *
   * @param next what the first of the next actions does, which replaces commands in the suggestion; empty for no action
   */
  public static JsonWriter ofRefusal(JsonWriter members, String next) {
    return of(JsonReader.readOwn(members.end()), next);
  }

  private static JsonWriter of(JsonObject members, @Nullable String next) {
    JsonWriter json = JsonWriter.line();
    members.members().forEach((name, value) -> {
      if (next != null && name.equals(SUGGESTION) && value instanceof JsonValue.Text text) {
        String suggestion = suggestion(text.value(), next);
        if (!suggestion.isEmpty()) {
          json.put(name, suggestion);
        }
      } else if (!PATHS.contains(name)) {
        json.raw(name, name.equals(METADATA) ? members.raw(value) : value(members, value));
      }
    });
    return json;
  }

  private static String value(JsonObject in, JsonValue value) {
    return switch (value) {
      case JsonObject object -> of(object, null).end();
      case JsonValue.Items(var values, int _, int _) ->
        values.stream().map(item -> value(in, item)).collect(Collectors.joining(",", "[", "]"));
      case JsonValue.Text _,JsonValue.Numeral _,JsonValue.Bool _,JsonValue.Null _ -> in.raw(value);
    };
  }

  /** The clauses without commands, then the next action. */
  private static String suggestion(String suggestion, String next) {
    if (!OTHER_DOOR.matcher(suggestion).find()) {
      return suggestion;
    }
    return Stream.concat(CLAUSE.splitAsStream(suggestion).filter(clause -> !OTHER_DOOR.matcher(clause).find()),
        Stream.of(next)).filter(clause -> !clause.isEmpty()).collect(Collectors.joining("; "));
  }

  /** A text that names no path of the members. */
  static String withoutPaths(String text, JsonObject members) {
    String shown = text;
    for (String member : PATHS) {
      shown = shown.replace(members.text(member).filter(path -> !path.isEmpty()).orElse("\0"), "its file");
    }
    return shown;
  }
}
