package fleet.tower.cli.mcp;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;

/**
 * The text of a JSON file in which one member changes while every other character stays.
 *
 * @param hasComments whether comments and trailing commas are allowed, as in the files of VS Code
 */
record JsonText(String text, boolean hasComments) {
  private static final String UNIT = "  ";

  /** The text with an object at a path. Members of an existing object that are not {@code own} are kept. */
  JsonText with(List<String> path, Map<String, String> members, Set<String> own) throws UnreadableConfiguration {
    JsonObject in = root();
    int at = 0;
    for (; at < path.size() - 1 && in.get(path.get(at)) != null; at++) {
      in = object(in, path.get(at));
    }
    String key = path.get(at);
    if (at < path.size() - 1) {
      Map<String, String> inner = members;
      String value = block(inner);
      for (int level = path.size() - 1; level > at; level--) {
        inner = Map.of(path.get(level), value);
        value = block(inner);
      }
      return inserted(in, JsonWriter.quote(key) + ": " + value);
    }
    return in.get(key) == null
        ? inserted(in, JsonWriter.quote(key) + ": " + block(members))
        : replaced(in, object(in, key), members, own);
  }

  /** The text with an object in a list of the root; an object with the same identity stays as it is. */
  JsonText withItem(String list, String identity, String id, Map<String, String> members)
      throws UnreadableConfiguration {
    JsonObject root = root();
    JsonValue present = root.get(list);
    if (present == null) {
      return inserted(root, JsonWriter.quote(list) + ": [\n" + UNIT + indented(block(members), UNIT) + "\n]");
    }
    if (!(present instanceof JsonValue.Items items)) {
      throw new UnreadableConfiguration("its \"" + list + "\" is not a list");
    }
    if (root.objects(list).stream().anyMatch(item -> item.text(identity).filter(id::equals).isPresent())) {
      return this;
    }
    String outer = lineIndent(root, items.start());
    String indent = outer + UNIT;
    return edited(items.start() + 1, items.start() + 1, newline() + indent
        + indented(block(members), indent).replace("\n", newline())
        + (items.values().isEmpty() ? newline() + outer : ","));
  }

  private JsonObject root() throws UnreadableConfiguration {
    try {
      return JsonReader.readObject(text.isBlank() ? "{}" : hasComments ? masked(text) : text);
    } catch (JsonException e) {
      throw new UnreadableConfiguration("it is not valid JSON: " + e.getMessage());
    }
  }

  private static JsonObject object(JsonObject in, String key) throws UnreadableConfiguration {
    if (in.get(key) instanceof JsonObject object) {
      return object;
    }
    throw new UnreadableConfiguration("its \"" + key + "\" is not an object");
  }

  /** Inserts a member as the first of an object, which leaves commas and comments of the others alone. */
  private JsonText inserted(JsonObject in, String member) {
    if (text.isBlank()) {
      return new JsonText("{\n" + UNIT + indented(member, UNIT) + "\n}\n", hasComments);
    }
    String outer = lineIndent(in, in.start());
    if (in.members().isEmpty()) {
      String indent = outer + UNIT;
      boolean isOnOneLine = text.substring(in.start(), in.end()).indexOf('\n') < 0;
      return edited(in.start() + 1, in.start() + 1, newline() + indent
          + indented(member, indent).replace("\n", newline()) + (isOnOneLine ? newline() + outer : ""));
    }
    String before = in.source().substring(in.start() + 1, in.source().indexOf('"', in.start()));
    int line = before.lastIndexOf('\n');
    if (line < 0) {
      return edited(in.start() + 1, in.start() + 1, before + compact(member) + "," + (before.isEmpty() ? " " : ""));
    }
    String indent = before.substring(line + 1);
    return edited(in.start() + 1, in.start() + 1,
        newline() + indent + indented(member, indent).replace("\n", newline()) + ",");
  }

  private JsonText replaced(JsonObject in, JsonObject old, Map<String, String> members, Set<String> own) {
    Map<String, String> all = new LinkedHashMap<>(members);
    old.members().forEach((name, value) -> {
      if (!own.contains(name)) {
        all.put(name, text.substring(value.start(), value.end()));
      }
    });
    String indent = lineIndent(in, old.start());
    return edited(old.start(), old.end(), indented(block(all), indent).replace("\n", newline()));
  }

  private JsonText edited(int start, int end, String insertion) {
    return new JsonText(text.substring(0, start) + insertion + text.substring(end), hasComments);
  }

  private String newline() {
    return text.contains("\r\n") ? "\r\n" : "\n";
  }

  /** The white space at the beginning of the line of a position. */
  private static String lineIndent(JsonObject in, int position) {
    int start = in.source().lastIndexOf('\n', position - 1) + 1;
    int end = start;
    while (end < position && (in.source().charAt(end) == ' ' || in.source().charAt(end) == '\t')) {
      end++;
    }
    return in.source().substring(start, end);
  }

  /** An object with one member per line. */
  private static String block(Map<String, String> members) {
    List<String> lines = new ArrayList<>();
    members.forEach((name, value) -> lines.add(UNIT + JsonWriter.quote(name) + ": " + indented(value, UNIT)));
    return "{\n" + String.join(",\n", lines) + "\n}";
  }

  private static String indented(String block, String indent) {
    return block.replace("\n", "\n" + indent);
  }

  /** A block on one line; its strings have no line feeds. */
  private static String compact(String block) {
    return block.replaceAll("\n *", " ");
  }

  /** The text with spaces in place of comments and trailing commas, so that positions stay the same. */
  static String masked(String text) {
    StringBuilder masked = new StringBuilder(text);
    int comma = -1;
    for (int at = 0; at < text.length(); at++) {
      char c = text.charAt(at);
      if (c == '"') {
        at = endOfString(text, at);
        comma = -1;
      } else if (text.startsWith("//", at) || text.startsWith("/*", at)) {
        int end = endOfComment(text, at);
        for (int blank = at; blank < end; blank++) {
          masked.setCharAt(blank, text.charAt(blank) == '\n' ? '\n' : ' ');
        }
        at = end - 1;
      } else if (c == ',') {
        comma = at;
      } else if ((c == '}' || c == ']') && comma >= 0) {
        masked.setCharAt(comma, ' ');
        comma = -1;
      } else if (!Character.isWhitespace(c)) {
        comma = -1;
      }
    }
    return masked.toString();
  }

  /** The position of the quote that ends a string; the last one of the text if none does. */
  private static int endOfString(String text, int start) {
    int at = start + 1;
    while (at < text.length() && text.charAt(at) != '"') {
      at += text.charAt(at) == '\\' ? 2 : 1;
    }
    return at;
  }

  /** The position after a comment. An unfinished one stays, so that the text is rejected. */
  private static int endOfComment(String text, int start) {
    boolean isLine = text.startsWith("//", start);
    int end = text.indexOf(isLine ? "\n" : "*/", start + 2);
    return end < 0 ? (isLine ? text.length() : start + 1) : isLine ? end : end + 2;
  }
}
