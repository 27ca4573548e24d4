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
 * Reads a YAML text into nodes, from the parser's events: nothing is resolved, merged, referred to or constructed, so none of
 * YAML's surprises can happen. What has no meaning here (anchors, tags, a second document) is complained of.
 */
public final class NodeReader {
  private static final int MAX_DEPTH = 20;

  private final int[] text;
  private final ParserImpl events;
  private final Form form;
  private final Complaints complaints;
  private int depth;

  private NodeReader(String text, Form form, Complaints complaints) {
    this.form = form;
    this.text = text.codePoints().toArray();
    this.events = new ParserImpl(new StreamReader(text), new LoaderOptions());
    this.complaints = complaints;
  }

  /** Nested deeper than anything that is meant. */
  private static final class TooDeep extends Exception {
    private static final long serialVersionUID = 1;
  }

  /** The root of a text; nothing where there is none, and then there is a complaint, unless nothing may stand there. */
  public static Optional<Node> read(String text, Form form, Complaints complaints) {
    try {
      return Optional.ofNullable(new NodeReader(text, form, complaints).document());
    } catch (TooDeep e) {
      return Optional.empty();
    } catch (MarkedYAMLException e) {
      complaints.error(e.getProblemMark() == null ? Node.Place.START : place(e.getProblemMark()), message(e));
      return Optional.empty();
    } catch (YAMLException e) {
      complaints.error(Node.Place.START, "is no YAML: " + e.getMessage());
      return Optional.empty();
    }
  }

  private static String message(MarkedYAMLException e) {
    String problem = String.valueOf(e.getProblem()).replaceAll("\\s+", " ").strip();
    if (problem.contains("TAB")) {
      return "a tab, which YAML does not take here; indent with blanks";
    }
    String context = e.getContext() == null ? "" : e.getContext().replaceAll("\\s+", " ").strip() + ": ";
    return "is no YAML: " + context + problem + "; a text with { } [ ] : # or , in it may want quotes";
  }

  private @Nullable Node document() throws TooDeep {
    events.getEvent();
    if (!(events.getEvent() instanceof DocumentStartEvent start)) {
      if (form.ifEmpty() != null) {
        complaints.error(Node.Place.START, form.ifEmpty());
      }
      return null;
    }
    if (start.getVersion() != null) {
      complaints.error(place(start.getStartMark()), "a %YAML directive; take it out");
    }
    Node root = node();
    events.getEvent();
    if (events.peekEvent() instanceof DocumentStartEvent second) {
      complaints.error(place(second.getStartMark()), "a second document; " + form.ifSecond());
    }
    while (!events.checkEvent(Event.ID.StreamEnd)) {
      events.getEvent();
    }
    return root;
  }

  private Node node() throws TooDeep {
    Event event = events.getEvent();
    Node.Place place = place(event.getStartMark());
    if (event instanceof AliasEvent) {
      complaints.error(place, "an alias (*); write the value out");
      return new Node.Scalar("", true, place, List.of());
    }
    if (event instanceof NodeEvent node && node.getAnchor() != null) {
      complaints.error(place, "an anchor (&" + node.getAnchor() + "); write the value out wherever it is needed");
    }
    if (event instanceof ScalarEvent scalar) {
      refuseTag(scalar.getTag(), place);
      return new Node.Scalar(scalar.getValue(), scalar.isPlain(), place, references(scalar));
    }
    if (event instanceof CollectionStartEvent start) {
      refuseTag(start.getTag(), place);
    }
    if (++depth > MAX_DEPTH) {
      complaints.error(place, "nested deeper than " + MAX_DEPTH + " levels");
      throw new TooDeep();
    }
    Node node = switch (event) {
      case MappingStartEvent _ -> mapping(place);
      case SequenceStartEvent _ -> sequence(place);
      default -> throw new IllegalStateException("no node begins with " + event);
    };
    depth--;
    return node;
  }

  private void refuseTag(@Nullable String tag, Node.Place place) {
    if (tag != null) {
      complaints.error(place,
          "a tag (" + Complaints.shown(tag.replace("tag:yaml.org,2002:", "!!"))
              + "); values are taken as they are written, without one");
    }
  }

  private Node sequence(Node.Place place) throws TooDeep {
    List<Node> items = new ArrayList<>();
    while (!events.checkEvent(Event.ID.SequenceEnd)) {
      items.add(node());
    }
    events.getEvent();
    return new Node.Sequence(items, place);
  }

  private Node mapping(Node.Place place) throws TooDeep {
    List<Node.Entry> entries = new ArrayList<>();
    Map<String, Node.Place> seen = new HashMap<>();
    while (!events.checkEvent(Event.ID.MappingEnd)) {
      Node key = node();
      Node value = node();
      switch (key) {
        case Node.Scalar name when name.isPlain() && name.text().equals("<<") ->
          complaints.error(name.place(), "a merge key (<<); write the keys out");
        case Node.Scalar name when seen.putIfAbsent(name.text(), name.place()) != null ->
          complaints.error(name.place(), "key " + Complaints.shown(name.text()) + " stands twice, first on line "
              + seen.getOrDefault(name.text(), name.place()).line());
        case Node.Scalar name -> entries.add(new Node.Entry(name, value));
        case Node.Mapping _,Node.Sequence _ -> complaints.error(key.place(), "a key must be a text");
      }
    }
    events.getEvent();
    return new Node.Mapping(entries, place);
  }

  /** Found in the file's own text, in whatever style the scalar is written; escapes that hide one make them uncertain. */
  private List<Node.Place> references(ScalarEvent scalar) {
    if (!scalar.getValue().contains("${")) {
      return List.of();
    }
    int line = scalar.getStartMark().getLine() + 1;
    int column = scalar.getStartMark().getColumn() + 1;
    List<Node.Place> places = new ArrayList<>();
    for (int at = scalar.getStartMark().getIndex(); at < scalar.getEndMark().getIndex(); at++) {
      if (is(at, '$') && is(at + 1, '{')) {
        places.add(new Node.Place(line, column));
      }
      boolean isBreak = is(at, '\n') || (is(at, '\r') && !is(at + 1, '\n'));
      line += isBreak ? 1 : 0;
      column = isBreak ? 1 : column + 1;
    }
    return places.size() == count(scalar.getValue()) ? places : List.of();
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

  private static Node.Place place(Mark mark) {
    return new Node.Place(mark.getLine() + 1, mark.getColumn() + 1);
  }
}
