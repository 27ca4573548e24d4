package fleet.tower.cli.mcp;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** The text of a TOML file in which one table changes while every other character stays. */
final class TomlText {
  private static final Pattern BARE_KEY = Pattern.compile("[A-Za-z0-9_-]+");
  private static final Pattern BARE_VALUE = Pattern
      .compile("true|false|[+-]?(?:inf|nan|\\d[\\w.+-]*)|\\d{4}-\\d\\d-\\d\\d(?:[Tt ][\\d:.]+(?:[Zz]|[+-][\\d:]+)?)?"
          + "|\\d\\d:[\\d:.]+");

  private final String text;
  private int at;

  TomlText(String text) {
    this.text = text;
  }

  private enum Kind {
    TABLE, LIST, PAIR
  }

  /**
   * A header of a table or of a list of tables, or a pair.
   *
   * @param table the names of the header, or of the header above a pair
   * @param path the names of the header, or those of the header above a pair and of the pair
   */
  private record Part(Kind kind, List<String> table, List<String> path, int start, int end) {}

  /** The text with a table. Pairs of an existing table that are not {@code own} are kept. */
  String with(List<String> table, Map<String, String> members, Set<String> own) throws UnreadableConfiguration {
    List<Part> parts = parts();
    String newline = text.contains("\r\n") ? "\r\n" : "\n";
    StringBuilder lines = new StringBuilder();
    members.forEach((name, value) -> lines.append(name).append(" = ").append(value).append(newline));
    int header = header(parts, table);
    if (header < 0) {
      String gap = text.isBlank() ? "" : text.endsWith("\n") ? newline : newline + newline;
      return text + gap + "[" + String.join(".", table) + "]" + newline + lines;
    }
    StringBuilder edited = new StringBuilder(text.substring(0, parts.get(header).end()));
    if (edited.charAt(edited.length() - 1) != '\n') {
      edited.append(newline);
    }
    edited.append(lines);
    int copied = parts.get(header).end();
    for (Part pair : parts.subList(header + 1, parts.size())) {
      if (pair.kind() != Kind.PAIR) {
        break;
      }
      if (own.contains(pair.path().get(table.size()))) {
        edited.append(text, copied, pair.start());
        copied = pair.end();
      }
    }
    return edited.append(text.substring(copied)).toString();
  }

  /** The index of a table's header; -1 for none. A table that is written in another form is not changed. */
  private int header(List<Part> parts, List<String> table) throws UnreadableConfiguration {
    int header = -1;
    for (int index = 0; index < parts.size(); index++) {
      Part part = parts.get(index);
      if (part.kind() == Kind.TABLE && part.path().equals(table)) {
        header = index;
      } else if (isInOtherForm(part, table)) {
        throw new UnreadableConfiguration("line " + line(part.start()) + " does not define "
            + String.join(".", table) + " as a table [" + String.join(".", table) + "]; write it as one first");
      }
    }
    return header;
  }

  private static boolean isInOtherForm(Part part, List<String> table) {
    return switch (part.kind()) {
      case TABLE -> false;
      case LIST -> isWithin(table, part.path());
      case PAIR -> !isWithin(part.table(), table) && (isWithin(part.path(), table) || isWithin(table, part.path()));
    };
  }

  private static boolean isWithin(List<String> path, List<String> other) {
    return path.size() >= other.size() && path.subList(0, other.size()).equals(other);
  }

  private List<Part> parts() throws UnreadableConfiguration {
    List<Part> parts = new ArrayList<>();
    List<String> table = List.of();
    at = 0;
    while (at < text.length()) {
      int start = at;
      skipBlanks();
      if (isAt('[')) {
        boolean isList = text.startsWith("[[", at);
        at += isList ? 2 : 1;
        table = key();
        expect(isList ? "]]" : "]");
        endLine();
        parts.add(new Part(isList ? Kind.LIST : Kind.TABLE, table, table, start, at));
      } else if (isAtEndOfLine()) {
        endLine();
      } else {
        List<String> path = new ArrayList<>(table);
        path.addAll(key());
        expect("=");
        skipBlanks();
        value();
        endLine();
        parts.add(new Part(Kind.PAIR, table, List.copyOf(path), start, at));
      }
    }
    return parts;
  }

  private List<String> key() throws UnreadableConfiguration {
    List<String> key = new ArrayList<>();
    do {
      skipBlanks();
      int start = at;
      if (isAt('"') || isAt('\'')) {
        string();
        key.add(text.substring(start + 1, at - 1));
      } else {
        while (at < text.length() && BARE_KEY.matcher(text.substring(at, at + 1)).matches()) {
          at++;
        }
        if (at == start) {
          throw problem("a key is missing");
        }
        key.add(text.substring(start, at));
      }
      skipBlanks();
    } while (skip('.'));
    return List.copyOf(key);
  }

  private void value() throws UnreadableConfiguration {
    if (isAt('"') || isAt('\'')) {
      string();
    } else if (skip('[')) {
      items();
    } else if (skip('{')) {
      members();
    } else {
      int start = at;
      while (at < text.length() && ",]}#\r\n".indexOf(text.charAt(at)) < 0) {
        at++;
      }
      if (!BARE_VALUE.matcher(text.substring(start, at).strip()).matches()) {
        at = start;
        throw problem("not a value");
      }
    }
  }

  private void items() throws UnreadableConfiguration {
    skipLines();
    while (!skip(']')) {
      value();
      skipLines();
      if (!skip(',') && !isAt(']')) {
        throw problem("expected ',' or ']'");
      }
      skipLines();
    }
  }

  private void members() throws UnreadableConfiguration {
    skipLines();
    while (!skip('}')) {
      key();
      expect("=");
      skipBlanks();
      value();
      skipLines();
      if (!skip(',') && !isAt('}')) {
        throw problem("expected ',' or '}'");
      }
      skipLines();
    }
  }

  private void string() throws UnreadableConfiguration {
    char quote = text.charAt(at);
    String three = String.valueOf(quote).repeat(3);
    int start = at;
    boolean isLong = text.startsWith(three, at);
    String end = isLong ? three : String.valueOf(quote);
    at += end.length();
    while (at < text.length() && !text.startsWith(end, at)) {
      if (!isLong && text.charAt(at) == '\n') {
        break;
      }
      at += quote == '"' && text.charAt(at) == '\\' ? 2 : 1;
    }
    if (at >= text.length() || !text.startsWith(end, at)) {
      at = start;
      throw problem("a string without an end");
    }
    at += end.length();
    // A long string may end in up to two quotes of its own.
    while (isLong && isAt(quote)) {
      at++;
    }
  }

  private void endLine() throws UnreadableConfiguration {
    skipBlanks();
    if (!isAtEndOfLine()) {
      throw problem("text after the end of the value");
    }
    int end = text.indexOf('\n', at);
    at = end < 0 ? text.length() : end + 1;
  }

  private boolean isAtEndOfLine() {
    return at >= text.length() || "#\r\n".indexOf(text.charAt(at)) >= 0;
  }

  private void skipBlanks() {
    while (isAt(' ') || isAt('\t')) {
      at++;
    }
  }

  private void skipLines() {
    while (at < text.length() && " \t\r\n#".indexOf(text.charAt(at)) >= 0) {
      if (isAt('#')) {
        int end = text.indexOf('\n', at);
        at = end < 0 ? text.length() : end;
      } else {
        at++;
      }
    }
  }

  private boolean isAt(char c) {
    return at < text.length() && text.charAt(at) == c;
  }

  private boolean skip(char c) {
    boolean isNext = isAt(c);
    at += isNext ? 1 : 0;
    return isNext;
  }

  private void expect(String word) throws UnreadableConfiguration {
    if (!text.startsWith(word, at)) {
      throw problem("expected '" + word + "'");
    }
    at += word.length();
  }

  private UnreadableConfiguration problem(String what) {
    return new UnreadableConfiguration("it is not valid TOML: line " + line(at) + ": " + what);
  }

  private long line(int position) {
    return text.substring(0, Math.min(position, text.length())).chars().filter(c -> c == '\n').count() + 1;
  }
}
