package fleet.tower.platform.json;

import java.util.List;

/** A JSON value with its position in the source text, so that one value can be replaced and the rest kept. */
public sealed interface JsonValue permits JsonObject, JsonValue.Text, JsonValue.Numeral, JsonValue.Bool, JsonValue.Null,
    JsonValue.Items {

  /** The index of the value's first character. */
  int start();

  /** The index after the value's last character. */
  int end();

  /** A string, without its escapes. */
  record Text(String value, int start, int end) implements JsonValue {}

  /** A number as written; {@code 1.0}, {@code 1e0} and {@code 1} are three different texts. */
  record Numeral(String literal, int start, int end) implements JsonValue {}

  /** {@code true} or {@code false}. */
  record Bool(boolean value, int start, int end) implements JsonValue {}

  /** {@code null}. */
  record Null(int start, int end) implements JsonValue {}

  /** A list. */
  record Items(List<JsonValue> values, int start, int end) implements JsonValue {
    public Items {
      values = List.copyOf(values);
    }
  }
}
