package fleet.tower.service.mcp.tool;

import java.util.Set;
import java.util.stream.Collectors;

import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;

/**
 * The members of HTTP's answers as results of tools have them: without paths of the service's host.
 */
public final class ToolMembers {
  private static final Set<String> PATHS = Set.of("lock_path", "freeze_path");
  private static final String METADATA = "metadata";
  private ToolMembers() {}

  /** The members without paths. The metadata of a caller stays as it is. */
  public static JsonWriter of(JsonWriter members) {
    return of(JsonReader.readOwn(members.end()));
  }

  private static JsonWriter of(JsonObject members) {
    JsonWriter json = JsonWriter.line();
    members.members().forEach((name, value) -> {
      if (!PATHS.contains(name)) {
        json.raw(name, name.equals(METADATA) ? members.raw(value) : value(members, value));
      }
    });
    return json;
  }

  private static String value(JsonObject in, JsonValue value) {
    return switch (value) {
      case JsonObject object -> of(object).end();
      case JsonValue.Items(var values, int _, int _) ->
        values.stream().map(item -> value(in, item)).collect(Collectors.joining(",", "[", "]"));
      case JsonValue.Text _,JsonValue.Numeral _,JsonValue.Bool _,JsonValue.Null _ -> in.raw(value);
    };
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
