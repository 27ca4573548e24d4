package fleet.tower.service.config.api;

import java.util.Locale;
import java.util.regex.Pattern;

import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.yaml.Node;
import fleet.tower.platform.yaml.Node.Scalar;

/** Nodes as text: as JSON for programs, as YAML for people. Read again, both are the same nodes. */
final class NodeText {
  /** What can be a key without quotes and is read as nothing but a text. */
  private static final Pattern PLAIN_KEY = Pattern.compile("[A-Za-z$/][A-Za-z0-9_$./{}-]*");

  private NodeText() {}

  /** On one line. */
  static String json(Node node) {
    StringBuilder out = new StringBuilder();
    json(node, out);
    return out.toString();
  }

  private static void json(Node node, StringBuilder out) {
    String separator = "";
    switch (node) {
      case Scalar scalar -> out.append(literal(scalar));
      case Node.Sequence sequence -> {
        out.append('[');
        for (Node item : sequence.items()) {
          out.append(separator);
          json(item, out);
          separator = ",";
        }
        out.append(']');
      }
      case Node.Mapping mapping -> {
        out.append('{');
        for (Node.Entry entry : mapping.entries()) {
          out.append(separator).append(JsonWriter.quote(entry.key().text())).append(':');
          json(entry.value(), out);
          separator = ",";
        }
        out.append('}');
      }
    }
  }

  /** In blocks, two blanks a level. */
  static String yaml(Node node) {
    StringBuilder out = new StringBuilder();
    block(node, "\n", out);
    return out.substring(1) + "\n";
  }

  private static void block(Node node, String indent, StringBuilder out) {
    switch (node) {
      case Scalar scalar -> out.append(' ').append(literal(scalar));
      case Node.Sequence sequence when sequence.items().isEmpty() -> out.append(" []");
      case Node.Mapping mapping when mapping.entries().isEmpty() -> out.append(" {}");
      case Node.Sequence sequence -> sequence.items().forEach(item -> {
        out.append(indent).append('-');
        block(item, indent + "  ", out);
      });
      case Node.Mapping mapping -> mapping.entries().forEach(entry -> {
        String key = entry.key().text();
        out.append(indent).append(PLAIN_KEY.matcher(key).matches() ? key : JsonWriter.quote(key)).append(':');
        block(entry.value(), indent + "  ", out);
      });
    }
  }

  /** JSON's own words are YAML's too. */
  private static String literal(Scalar scalar) {
    return switch (scalar.kind()) {
      case STRING -> JsonWriter.quote(scalar.text());
      case INTEGER, NUMBER -> scalar.text();
      case BOOLEAN -> scalar.text().toLowerCase(Locale.ROOT);
      case NULL -> "null";
    };
  }
}
