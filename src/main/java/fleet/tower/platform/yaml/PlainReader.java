package fleet.tower.platform.yaml;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Parses the simplest YAML, block mappings of scalars on one line each, without the YAML library: loading that takes
 * longer than a short command. A text with anything else, valid or not, is left to {@link NodeReader}, which yields the
 * same nodes for the texts that both parse.
 */
public final class PlainReader {
  private static final Pattern ENTRY = Pattern.compile(" *([A-Za-z][A-Za-z0-9_.-]{0,99}):"
      + "(?: +(?:([A-Za-z0-9/](?:[A-Za-z0-9/._:?&=@%+,-]*[A-Za-z0-9/._?&=@%+,-])?)|\"([^\"\\\\]*)\"|'([^']*)'))?"
      + "(?: +#.*| *)");
  private static final int NO_VALUE = -1;

  private final List<Line> lines;
  private int at;

  private PlainReader(List<Line> lines) {
    this.lines = lines;
  }

  /** A line with an entry. */
  private record Line(int number, int indent, Matcher entry) {
    Node.Scalar key() {
      return new Node.Scalar(entry.group(1), true, position(1), List.of());
    }

    private Node.Position position(int group) {
      return new Node.Position(number, entry.start(group) + 1);
    }

    /** The group of the value, by its quotes. */
    private int group() {
      return entry.start(2) >= 0 ? 2 : entry.start(3) >= 0 ? 3 : entry.start(4) >= 0 ? 4 : NO_VALUE;
    }

    Node.Scalar value() {
      int group = group();
      if (group == NO_VALUE) {
        return new Node.Scalar("", true, new Node.Position(number, entry.end(1) + 2), List.of());
      }
      boolean isPlain = group == 2;
      return new Node.Scalar(entry.group(group), isPlain, isPlain ? position(group) : position(group).right(-1),
          List.of());
    }
  }

  /** The mapping that a text is; empty if it is not of the simplest kind. */
  public static Optional<Node> read(String text) {
    List<Line> lines = new ArrayList<>();
    if (isUnusual(text)) {
      return Optional.empty();
    }
    int number = 0;
    for (String line : text.split("\n", -1)) {
      number++;
      String content = line.stripLeading();
      if (!content.isEmpty() && content.charAt(0) != '#') {
        Matcher entry = ENTRY.matcher(line);
        if (!entry.matches()) {
          return Optional.empty();
        }
        lines.add(new Line(number, line.length() - content.length(), entry));
      }
    }
    PlainReader reader = new PlainReader(lines);
    Node.Mapping root = lines.isEmpty() ? null : reader.mapping(0);
    return root == null || reader.at < lines.size() ? Optional.empty() : Optional.of(root);
  }

  /** Whether a text has tabs, line breaks other than newlines, or references. */
  private static boolean isUnusual(String text) {
    return text.indexOf('\t') >= 0 || text.indexOf('\r') >= 0 || text.indexOf('\u0085') >= 0
        || text.indexOf('\u2028') >= 0 || text.indexOf('\u2029') >= 0 || text.contains("${");
  }

  /** The mapping whose entries begin at a column; null if there is none. */
  private Node.@Nullable Mapping mapping(int indent) {
    Node.Position start = lines.get(at).key().position();
    List<Node.Entry> entries = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    while (at < lines.size() && lines.get(at).indent() == indent) {
      Line line = lines.get(at++);
      if (!seen.add(line.key().text())) {
        return null;
      }
      Node value = line.value();
      if (at < lines.size() && lines.get(at).indent() > indent) {
        value = line.group() == NO_VALUE ? mapping(lines.get(at).indent()) : null;
      }
      if (value == null) {
        return null;
      }
      entries.add(new Node.Entry(line.key(), value));
    }
    return entries.isEmpty() || (at < lines.size() && lines.get(at).indent() > indent)
        ? null
        : new Node.Mapping(entries, start);
  }
}
