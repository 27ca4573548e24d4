package fleet.tower.platform.yaml;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.CollectionStartEvent;
import org.yaml.snakeyaml.events.DocumentStartEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.MappingStartEvent;
import org.yaml.snakeyaml.events.NodeEvent;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.events.SequenceStartEvent;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.StreamReader;

/**
 * Parses YAML into nodes from the parser's events. Nothing is resolved, merged or constructed, so YAML's implicit
 * conversions do not apply. Unsupported syntax (anchors, tags, a second document) is reported as an error.
 */
public final class NodeReader {
  private static final int MAX_DEPTH = 20;

  private final int[] text;
  private final ParserImpl events;
  private final SourceFile.Kind kind;
  private final Complaints complaints;
  private int depth;

  private NodeReader(String text, SourceFile.Kind kind, Complaints complaints) {
    this.kind = kind;
    this.text = text.codePoints().toArray();
    this.events = new ParserImpl(new StreamReader(text), new LoaderOptions());
    this.complaints = complaints;
  }

  /** Thrown if a text is nested deeper than {@link #MAX_DEPTH}. */
  private static final class TooDeep extends Exception {
    private static final long serialVersionUID = 1;
  }

  /** The root node; empty if there is none, and then an error is reported unless an empty file is allowed. */
  public static Optional<Node> read(String text, SourceFile.Kind kind, Complaints complaints) {
    try {
      return Optional.ofNullable(new NodeReader(text, kind, complaints).document());
    } catch (TooDeep e) {
      return Optional.empty();
    } catch (MarkedYAMLException e) {
      complaints.error(e.getProblemMark() == null ? Node.Position.START : position(e.getProblemMark()), message(e));
      return Optional.empty();
    } catch (YAMLException e) {
      complaints.error(Node.Position.START, "is not valid YAML: " + e.getMessage());
      return Optional.empty();
    }
  }

  private static String message(MarkedYAMLException e) {
    String problem = String.valueOf(e.getProblem()).replaceAll("\\s+", " ").strip();
    if (problem.contains("TAB")) {
      return "YAML does not allow a tab here; indent with spaces";
    }
    String context = e.getContext() == null ? "" : e.getContext().replaceAll("\\s+", " ").strip() + ": ";
    return "is not valid YAML: " + context + problem + "; quote a text that contains { } [ ] : # or ,";
  }

  private @Nullable Node document() throws TooDeep {
    events.getEvent();
    if (!(events.getEvent() instanceof DocumentStartEvent start)) {
      if (kind.ifEmpty() != null) {
        complaints.error(Node.Position.START, kind.ifEmpty());
      }
      return null;
    }
    if (start.getVersion() != null) {
      complaints.error(position(start.getStartMark()), "a %YAML directive is not supported; remove it");
    }
    Node root = node();
    events.getEvent();
    if (events.peekEvent() instanceof DocumentStartEvent second) {
      complaints.error(position(second.getStartMark()), "a second document is not allowed; " + kind.ifSecond());
    }
    while (!events.checkEvent(Event.ID.StreamEnd)) {
      events.getEvent();
    }
    return root;
  }

  private Node node() throws TooDeep {
    Event event = events.getEvent();
    Node.Position position = position(event.getStartMark());
    if (event instanceof AliasEvent) {
      complaints.error(position, "an alias (*) is not supported; write the value out");
      return new Node.Scalar("", true, position, List.of());
    }
    if (event instanceof NodeEvent node && node.getAnchor() != null) {
      complaints.error(position, "an anchor (&" + node.getAnchor() + ") is not supported; repeat the value instead");
    }
    if (event instanceof ScalarEvent scalar) {
      rejectTag(scalar.getTag(), position);
      return new Node.Scalar(scalar.getValue(), scalar.isPlain(), position, references(scalar));
    }
    if (event instanceof CollectionStartEvent start) {
      rejectTag(start.getTag(), position);
    }
    if (++depth > MAX_DEPTH) {
      complaints.error(position, "nested deeper than " + MAX_DEPTH + " levels");
      throw new TooDeep();
    }
    Node node = switch (event) {
      case MappingStartEvent _ -> mapping(position);
      case SequenceStartEvent _ -> sequence(position);
      default -> throw new IllegalStateException("no node begins with " + event);
    };
    depth--;
    return node;
  }

  private void rejectTag(@Nullable String tag, Node.Position position) {
    if (tag != null) {
      complaints.error(position,
          "a tag (" + Complaints.shown(tag.replace("tag:yaml.org,2002:", "!!"))
              + ") is not supported; remove it, values are read as written");
    }
  }

  private Node sequence(Node.Position position) throws TooDeep {
    List<Node> items = new ArrayList<>();
    while (!events.checkEvent(Event.ID.SequenceEnd)) {
      items.add(node());
    }
    events.getEvent();
    return new Node.Sequence(items, position);
  }

  private Node mapping(Node.Position position) throws TooDeep {
    List<Node.Entry> entries = new ArrayList<>();
    Map<String, Node.Position> seen = new HashMap<>();
    while (!events.checkEvent(Event.ID.MappingEnd)) {
      Node key = node();
      Node value = node();
      switch (key) {
        case Node.Scalar name when name.isPlain() && name.text().equals("<<") ->
          complaints.error(name.position(), "a merge key (<<) is not supported; write the keys out");
        case Node.Scalar name when seen.putIfAbsent(name.text(), name.position()) != null ->
          complaints.error(name.position(), "duplicate key " + Complaints.shown(name.text()) + "; first used on line "
              + seen.getOrDefault(name.text(), name.position()).line());
        case Node.Scalar name -> entries.add(new Node.Entry(name, value));
        case Node.Mapping _,Node.Sequence _ -> complaints.error(key.position(), "a key must be a string");
      }
    }
    events.getEvent();
    return new Node.Mapping(entries, position);
  }

  /**
   * The positions of the references in a scalar, found in the source text. If an escape sequence hides one, the
   * positions are unknown.
   */
  private List<Node.Position> references(ScalarEvent scalar) {
    if (!scalar.getValue().contains("${")) {
      return List.of();
    }
    int line = scalar.getStartMark().getLine() + 1;
    int column = scalar.getStartMark().getColumn() + 1;
    List<Node.Position> positions = new ArrayList<>();
    for (int at = scalar.getStartMark().getIndex(); at < scalar.getEndMark().getIndex(); at++) {
      if (is(at, '$') && is(at + 1, '{')) {
        positions.add(new Node.Position(line, column));
      }
      boolean isBreak = is(at, '\n') || (is(at, '\r') && !is(at + 1, '\n'));
      line += isBreak ? 1 : 0;
      column = isBreak ? 1 : column + 1;
    }
    return positions.size() == count(scalar.getValue()) ? positions : List.of();
  }

  private boolean is(int at, char c) {
    return at < text.length && text[at] == c;
  }

  private static int count(String text) {
    int count = 0;
    for (int at = text.indexOf("${"); at >= 0; at = text.indexOf("${", at + 2)) {
      count++;
    }
    return count;
  }

  private static Node.Position position(Mark mark) {
    return new Node.Position(mark.getLine() + 1, mark.getColumn() + 1);
  }
}
