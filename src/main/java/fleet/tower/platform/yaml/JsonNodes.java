package fleet.tower.platform.yaml;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.yaml.Node.Scalar;

/** JSON documents as nodes with their positions, and nodes as JSON. */
public final class JsonNodes {
  private final String source;
  private int at;
  private int line = 1;
  private int column = 1;

  private JsonNodes(String source) {
    this.source = source;
  }

  /** The tree of a document that was read from a text. */
  static Node read(String source, JsonValue document) {
    return new JsonNodes(source).node(document);
  }

  /** A tree as JSON, with the keys of each mapping in alphabetical order. */
  public static String write(Node node) {
    return switch (node) {
      case Node.Mapping mapping -> {
        Map<String, String> members = new TreeMap<>();
        mapping.entries().forEach(entry -> members.put(entry.key().text(), write(entry.value())));
        JsonWriter json = JsonWriter.line();
        members.forEach(json::raw);
        yield json.end();
      }
      case Node.Sequence sequence ->
        "[" + String.join(",", sequence.items().stream().map(JsonNodes::write).toList()) + "]";
      case Scalar scalar -> switch (scalar.kind()) {
        case STRING -> JsonWriter.quote(scalar.text());
        case INTEGER, NUMBER -> scalar.text();
        case BOOLEAN -> scalar.text().toLowerCase(Locale.ROOT);
        case NULL -> "null";
      };
    };
  }

  private Node node(JsonValue value) {
    Node.Position position = position(value.start());
    return switch (value) {
      case JsonObject object -> {
        List<Node.Entry> entries = new ArrayList<>();
        int end = object.start();
        for (Map.Entry<String, JsonValue> member : object.members().entrySet()) {
          Node.Position key = position(source.indexOf('"', end));
          entries.add(new Node.Entry(new Scalar(member.getKey(), false, key, List.of()), node(member.getValue())));
          end = member.getValue().end();
        }
        yield new Node.Mapping(entries, position);
      }
      case JsonValue.Items items -> new Node.Sequence(items.values().stream().map(this::node).toList(), position);
      case JsonValue.Text text -> new Scalar(text.value(), false, position, List.of());
      case JsonValue.Numeral numeral -> plain(numeral.literal(), position);
      case JsonValue.Bool bool -> plain(Boolean.toString(bool.value()), position);
      case JsonValue.Null _ -> plain("null", position);
    };
  }

  private static Scalar plain(String text, Node.Position position) {
    return new Scalar(text, true, position, List.of());
  }

  /** The position of an index that is not before that of the last call. */
  private Node.Position position(int index) {
    while (at < index) {
      int c = source.codePointAt(at);
      at += Character.charCount(c);
      column = c == '\n' ? 1 : column + 1;
      line += c == '\n' ? 1 : 0;
    }
    return new Node.Position(line, column);
  }
}
