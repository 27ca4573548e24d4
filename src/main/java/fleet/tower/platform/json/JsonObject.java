package fleet.tower.platform.json;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;

/** A JSON object with distinct keys, in the order of the source text. */
public record JsonObject(Map<String, JsonValue> members, String source, int start, int end) implements JsonValue {
  public JsonObject {
    members = Collections.unmodifiableMap(members);
  }

  /** The value of a key, or null. */
  public @Nullable JsonValue get(String key) {
    return members.get(key);
  }

  /** The string under a key; empty if the key is missing or has another type. */
  public Optional<String> text(String key) {
    return members.get(key) instanceof Text text ? Optional.of(text.value()) : Optional.empty();
  }

  /**
   * The integer under a key, if it is written as one and fits in a long; {@code 900.0} and {@code "900"} do not
   * count.
   */
  public OptionalLong integer(String key) {
    return members.get(key) instanceof Numeral numeral ? integer(numeral) : OptionalLong.empty();
  }

  /** The string under a key that has one in every document of its kind; otherwise, an IllegalArgumentException. */
  public String requiredText(String key) {
    return text(key).orElseThrow(() -> new IllegalArgumentException("no text " + key));
  }

  /** The integer under a key that has one in every document of its kind; otherwise, an IllegalArgumentException. */
  public long requiredInteger(String key) {
    return integer(key).orElseThrow(() -> new IllegalArgumentException("no number " + key));
  }

  /** Whether the value of a key is {@code true}. */
  public boolean isTrue(String key) {
    return members.get(key) instanceof Bool bool && bool.value();
  }

  private static OptionalLong integer(Numeral numeral) {
    try {
      return OptionalLong.of(Long.parseLong(numeral.literal()));
    } catch (NumberFormatException notAnIntegerThatFits) {
      return OptionalLong.empty();
    }
  }

  /** The object under a key; empty if the key is missing or has another type. */
  public Optional<JsonObject> object(String key) {
    return members.get(key) instanceof JsonObject object ? Optional.of(object) : Optional.empty();
  }

  /** The values of the list under a key; empty if the key is missing or has another type. */
  public List<JsonValue> items(String key) {
    return members.get(key) instanceof Items items ? items.values() : List.of();
  }

  /** The objects in the list under a key. */
  public List<JsonObject> objects(String key) {
    return items(key).stream().filter(JsonObject.class::isInstance).map(JsonObject.class::cast).toList();
  }

  /** The strings in the list under a key. */
  public List<String> texts(String key) {
    return items(key).stream().filter(Text.class::isInstance).map(item -> ((Text) item).value()).toList();
  }

  /** Those of the list that are integers. */
  public List<Long> integers(String key) {
    return items(key).stream().filter(Numeral.class::isInstance).flatMapToLong(item -> integer((Numeral) item).stream())
        .boxed().toList();
  }

  /** The source text of this object. */
  public String raw() {
    return source.substring(start, end);
  }

  /** The source text of one of this object's values. */
  public String raw(JsonValue value) {
    return source.substring(value.start(), value.end());
  }

  /** The source text with one member's value replaced and all other characters unchanged. */
  public String withMember(String key, String json) {
    JsonValue old = members.get(key);
    if (old == null) {
      throw new IllegalStateException("no member " + key + " to replace");
    }
    return source.substring(0, old.start()) + json + source.substring(old.end());
  }
}
