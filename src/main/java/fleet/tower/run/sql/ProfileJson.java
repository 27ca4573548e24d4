package fleet.tower.run.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.SortedMap;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.members.MemberProfile;

/**
 * The stored form of a profile: a JSON array of labels, and a JSON object of digests by the name of the intent. An
 * intent that requires labels has an object with its digest and its labels instead of the digest.
 */
final class ProfileJson {
  private static final String DIGEST = "digest";
  private static final String RUNS_ON = "runs_on";

  private ProfileJson() {}

  static String labels(MemberProfile profile) {
    return array(profile.labels());
  }

  private static String array(List<String> texts) {
    return "[" + String.join(",", texts.stream().map(JsonWriter::quote).toList()) + "]";
  }

  static String intents(MemberProfile profile) {
    JsonWriter json = JsonWriter.line();
    profile.intents().forEach((name, intent) -> {
      if (intent.runsOn().isEmpty()) {
        json.put(name, intent.digest());
      } else {
        json.put(name, JsonWriter.line().put(DIGEST, intent.digest()).raw(RUNS_ON, array(intent.runsOn())));
      }
    });
    return json.end();
  }

  /** Reads a profile; null for a process that publishes none, or in a form of a later version. */
  static @Nullable MemberProfile read(@Nullable String labels, @Nullable String intents, @Nullable String policy) {
    if (labels == null || intents == null) {
      return null;
    }
    try {
      JsonObject json = JsonReader.readObject("{\"labels\":" + labels + ",\"intents\":" + intents + "}");
      SortedMap<String, MemberProfile.Published> published = new TreeMap<>();
      json.object("intents").orElseThrow().members()
          .forEach((name, value) -> published.put(name, intent(value)));
      return new MemberProfile(texts(json, "labels"), published, policy);
    } catch (JsonException | ClassCastException | NoSuchElementException unknown) {
      return null;
    }
  }

  private static MemberProfile.Published intent(JsonValue value) {
    return value instanceof JsonValue.Text text
        ? new MemberProfile.Published(text.value(), List.of())
        : new MemberProfile.Published(((JsonObject) value).text(DIGEST).orElse(""),
            texts((JsonObject) value, RUNS_ON));
  }

  private static List<String> texts(JsonObject json, String key) {
    List<String> texts = new ArrayList<>();
    json.items(key).forEach(item -> texts.add(((JsonValue.Text) item).value()));
    return texts;
  }
}
