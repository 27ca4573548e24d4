package fleet.tower.platform.yaml;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** A node of a YAML file with its position. */
public sealed interface Node {
  /** Where the node begins. */
  Position position();

  /** A line and a column, both starting at 1. */
  record Position(int line, int column) implements Comparable<Position> {
    public static final Position START = new Position(1, 1);

    public Position right(int columns) {
      return new Position(line, column + columns);
    }

    @Override
    public int compareTo(Position other) {
      return line == other.line ? Integer.compare(column, other.column) : Integer.compare(line, other.line);
    }
  }

  /**
   * A scalar. Its value is always its text; {@link #kind} is the type that the text could represent.
   *
   * @param isPlain whether it is written without quotes
   * @param references the position of each <code>${</code> of the text; empty if the positions cannot be determined
   */
  record Scalar(String text, boolean isPlain, Position position, List<Position> references) implements Node {
    private static final Pattern NUMBER = Pattern.compile("-?(?:0|[1-9]\\d{0,30})(\\.\\d{1,30})?([eE][+-]?\\d{1,3})?");

    public Scalar {
      references = List.copyOf(references);
    }

    /** The JSON type of a scalar. */
    public enum Kind {
      STRING, INTEGER, NUMBER, BOOLEAN, NULL
    }

    public Kind kind() {
      if (!isPlain) {
        return Kind.STRING;
      }
      return switch (text) {
        case "", "~", "null", "Null", "NULL" -> Kind.NULL;
        case "true", "True", "TRUE", "false", "False", "FALSE" -> Kind.BOOLEAN;
        default -> numberKind();
      };
    }

    private Kind numberKind() {
      var number = NUMBER.matcher(text);
      if (!number.matches()) {
        return Kind.STRING;
      }
      return number.group(1) == null && number.group(2) == null ? Kind.INTEGER : Kind.NUMBER;
    }

    /** The position of the <code>${</code> at an index of the text; the position of the scalar if that is unknown. */
    public Position positionOf(int index) {
      int before = 0;
      for (int at = text.indexOf("${"); at >= 0 && at < index; at = text.indexOf("${", at + 2)) {
        before++;
      }
      return before < references.size() ? references.get(before) : position;
    }
  }

  /** A list. */
  record Sequence(List<Node> items, Position position) implements Node {
    public Sequence {
      items = List.copyOf(items);
    }
  }

  /** A mapping; its keys are distinct. */
  record Mapping(List<Entry> entries, Position position) implements Node {
    public Mapping {
      entries = List.copyOf(entries);
    }

    public Optional<Entry> entry(String key) {
      return entries.stream().filter(entry -> entry.key().text().equals(key)).findFirst();
    }
  }

  /** A key and its value. */
  record Entry(Scalar key, Node value) {}

  /** The scalar under a key, if there is one. */
  default Optional<Scalar> scalar(String key) {
    return node(key).filter(Scalar.class::isInstance).map(Scalar.class::cast);
  }

  /** The entries of the mapping under a key; empty if there is no mapping. */
  default List<Entry> entries(String key) {
    return node(key).filter(Mapping.class::isInstance).map(it -> ((Mapping) it).entries()).orElse(List.of());
  }

  /** The items of the list under a key; empty if there is no list. */
  default List<Node> items(String key) {
    return node(key).filter(Sequence.class::isInstance).map(it -> ((Sequence) it).items()).orElse(List.of());
  }

  /** The node under a key, if this is a mapping with that key. */
  default Optional<Node> node(String key) {
    return this instanceof Mapping mapping ? mapping.entry(key).map(Entry::value) : Optional.empty();
  }
}
