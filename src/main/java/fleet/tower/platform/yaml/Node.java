package fleet.tower.platform.yaml;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** A piece of a file as it is written there, and where. */
public sealed interface Node {
  /** Where it begins. */
  Place place();

  /** A line and a column, both from 1. */
  record Place(int line, int column) {
    public static final Place START = new Place(1, 1);

    public Place right(int columns) {
      return new Place(line, column + columns);
    }
  }

  /**
   * A text. Its value is never anything but its characters; only what it could be meant as is told by {@link #kind}.
   *
   * @param isPlain whether it stands there without quotes
   * @param references where each <code>${</code> of the text stands in the file; empty where that cannot be told
   */
  record Scalar(String text, boolean isPlain, Place place, List<Place> references) implements Node {
    private static final Pattern NUMBER = Pattern.compile("-?(?:0|[1-9]\\d{0,30})(\\.\\d{1,30})?([eE][+-]?\\d{1,3})?");

    public Scalar {
      requireNonNull(text);
      requireNonNull(place);
      references = List.copyOf(references);
    }

    /** What JSON has for it. */
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

    /** Where the <code>${</code> at an index of the text stands in the file; where the text begins, if that cannot be told. */
    public Place placeOf(int index) {
      int before = 0;
      for (int at = text.indexOf("${"); at >= 0 && at < index; at = text.indexOf("${", at + 2)) {
        before++;
      }
      return before < references.size() ? references.get(before) : place;
    }
  }

  /** A list. */
  record Sequence(List<Node> items, Place place) implements Node {
    public Sequence {
      items = List.copyOf(items);
    }
  }

  /** Keys, all of them different, and what stands under them. */
  record Mapping(List<Entry> entries, Place place) implements Node {
    public Mapping {
      entries = List.copyOf(entries);
    }

    public Optional<Entry> entry(String key) {
      return entries.stream().filter(entry -> entry.key().text().equals(key)).findFirst();
    }
  }

  /** A key and its value. */
  record Entry(Scalar key, Node value) {}

  /** The text under a key, where there is one. */
  default Optional<Scalar> scalar(String key) {
    return node(key).filter(Scalar.class::isInstance).map(Scalar.class::cast);
  }

  /** The entries of the mapping under a key; none where there is no mapping. */
  default List<Entry> entries(String key) {
    return node(key).filter(Mapping.class::isInstance).map(it -> ((Mapping) it).entries()).orElse(List.of());
  }

  /** The items of the list under a key; none where there is no list. */
  default List<Node> items(String key) {
    return node(key).filter(Sequence.class::isInstance).map(it -> ((Sequence) it).items()).orElse(List.of());
  }

  /** What stands under a key, where this has one of that name. */
  default Optional<Node> node(String key) {
    return this instanceof Mapping mapping ? mapping.entry(key).map(Entry::value) : Optional.empty();
  }
}
