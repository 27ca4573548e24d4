package fleet.tower.run;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import fleet.tower.lock.PreviousLock;
import fleet.tower.platform.json.CanonicalJson;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;

/** What a probe saw at one moment. */
public sealed interface Observation {
  /** The length of the longest state, in bytes. */
  int MAX_BYTES = 64 << 10;

  /** A state, as canonical JSON. */
  record Seen(String state) implements Observation {
    /** A state that a probe printed. */
    public static Seen of(JsonObject printed) {
      return new Seen(CanonicalJson.of(printed));
    }

    /** The hash that identifies the state. */
    public String fingerprint() {
      return "sha256:"
          + HexFormat.of().formatHex(PreviousLock.sha256().digest(state.getBytes(StandardCharsets.UTF_8)));
    }
  }

  /** No state, and why. */
  record Unknown(String why) implements Observation {}

  /**
   * A part of a state that is not as desired.
   *
   * @param path the member, such as {@code services[0].version}; empty for the state itself
   * @param desired as JSON
   * @param actual as JSON; null if the state does not have it
   */
  record Difference(String path, String desired, @Nullable String actual) {
    /** The difference in words. */
    public String text() {
      return path + (actual == null ? " is missing" : " is " + actual) + ", not " + desired;
    }

    /** The difference as JSON. */
    public JsonWriter json() {
      JsonWriter json = JsonWriter.line().put("path", path).raw("desired", desired);
      return actual == null ? json : json.raw("actual", actual);
    }
  }

  /** Whether a desired state holds for certain. */
  default boolean holds(String desired) {
    return this instanceof Seen && differences(desired).isEmpty();
  }

  /**
   * The parts of a desired state that do not hold; an unknown state has no parts.
   *
   * @param desired a JSON object
   */
  default List<Difference> differences(String desired) {
    List<Difference> differences = new ArrayList<>();
    if (this instanceof Seen(String state)) {
      compare("", parsed(desired), parsed(state), differences);
    }
    return differences;
  }

  private static JsonObject parsed(String json) {
    try {
      return JsonReader.readObject(json);
    } catch (JsonException e) {
      throw new IllegalArgumentException("a state must be a JSON object: " + e.getMessage(), e);
    }
  }

  private static void compare(String path, JsonValue desired, @Nullable JsonValue actual, List<Difference> into) {
    if (desired instanceof JsonObject members && actual instanceof JsonObject others) {
      for (Map.Entry<String, JsonValue> member : members.members().entrySet()) {
        compare(path.isEmpty() ? member.getKey() : path + "." + member.getKey(), member.getValue(),
            others.get(member.getKey()), into);
      }
    } else if (desired instanceof JsonValue.Items(List<JsonValue> elements, int _, int _)
        && actual instanceof JsonValue.Items(List<JsonValue> others, int _, int _)
        && elements.size() == others.size()) {
      for (int i = 0; i < elements.size(); i++) {
        compare(path + "[" + i + "]", elements.get(i), others.get(i), into);
      }
    } else if (actual == null || !CanonicalJson.of(desired).equals(CanonicalJson.of(actual))) {
      into.add(new Difference(path, CanonicalJson.of(desired), actual == null ? null : CanonicalJson.of(actual)));
    }
  }

  /** The observation as JSON: the state with its fingerprint, or why there is none. */
  default JsonWriter json() {
    return switch (this) {
      case Seen seen -> JsonWriter.line().raw("state", seen.state()).put("fingerprint", seen.fingerprint());
      case Unknown(String why) -> JsonWriter.line().raw("state", "null").put("unknown", why);
    };
  }

  /** Reads what {@link #json} has written. */
  static Observation read(JsonObject json) {
    return json.object("state").<Observation>map(Seen::of).orElseGet(() -> new Unknown(json.requiredText("unknown")));
  }
}
