package fleet.tower.access.file;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.AllowedIntents;
import fleet.tower.access.AllowedIntents.ValuePattern;
import fleet.tower.access.Generation;
import fleet.tower.access.Grant;
import fleet.tower.access.NamePattern;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.platform.yaml.Complaints;
import fleet.tower.platform.yaml.YamlSchema;

/**
 * The text of {@code tokens.yaml} and its meaning. Every change is parsed again: if the result differs from the
 * intended one, because the list is written in an unusual style, the entry or the list is rewritten.
 *
 * @param isKept whether everything that was not to be changed is unchanged
 */
record TokensText(String text, List<TokensReader.Entry> entries, boolean isKept) {
  static final TokensText EMPTY = new TokensText("", List.of(), true);
  private static final String HEAD = """
      # The callers of the service. It re-reads this file after each change; `tower token` edits it.
      """;
  private static final Pattern FIRST_KEY = Pattern.compile("(\\s*-\\s+)\\S.*");

  static Optional<TokensText> of(String text, Complaints complaints) {
    return TokensReader.read(text, schema(), complaints).map(entries -> new TokensText(text, entries, true));
  }

  private static YamlSchema schema() {
    return TokensReader.schema();
  }

  List<Grant> grants() {
    return entries.stream().map(TokensReader.Entry::grant).toList();
  }

  /** With a grant appended. */
  TokensText with(Grant grant) {
    List<Grant> expected = new ArrayList<>(grants());
    expected.add(grant);
    String before = text.isEmpty() ? HEAD : text.endsWith("\n") ? text : text + "\n";
    return checked(before + entry(grant), expected).orElseGet(() -> rewritten(expected));
  }

  /** Without the grant of a name. Keeps lines before the next grant, such as a comment about it. */
  TokensText without(String name) {
    List<Grant> expected = grants().stream().filter(grant -> !grant.name().equals(name)).toList();
    List<String> lines = new ArrayList<>(text.lines().toList());
    linesOf(name, lines).clear();
    return checked(lines.isEmpty() ? "" : joined(lines), expected).orElseGet(() -> rewritten(expected));
  }

  /** With another grant of the same name in its place. Only what differs is written, if possible. */
  TokensText replacing(Grant changed) {
    List<Grant> expected = grants().stream().map(it -> it.name().equals(changed.name()) ? changed : it).toList();
    Grant old = grants().stream().filter(it -> it.name().equals(changed.name())).findFirst().orElseThrow();
    List<String> edited = new ArrayList<>(text.lines().toList());
    edit(linesOf(changed.name(), edited), old, changed);
    List<String> replaced = new ArrayList<>(text.lines().toList());
    List<String> own = linesOf(changed.name(), replaced);
    boolean hasComments = own.stream().anyMatch(line -> line.contains("#"));
    own.clear();
    own.addAll(entry(changed).lines().toList());
    return checked(joined(edited), expected)
        .or(() -> checked(joined(replaced), expected).map(it -> new TokensText(it.text(), it.entries(), !hasComments)))
        .orElseGet(() -> rewritten(expected));
  }

  /** The lines of an entry, as a view; empty if they cannot be determined. */
  private List<String> linesOf(String name, List<String> lines) {
    int index = grants().stream().map(Grant::name).toList().indexOf(name);
    int from = dashOf(index, lines);
    int to = index + 1 < entries.size() ? dashOf(index + 1, lines) : lines.size();
    while (to > from + 1 && lines.get(to - 1).matches("\\s*(#.*)?")) {
      to--;
    }
    return from >= 0 && to > from ? lines.subList(from, to) : lines.subList(0, 0);
  }

  /** The line with the dash of an entry. */
  private int dashOf(int index, List<String> lines) {
    int line = entries.get(index).position().line() - 1;
    while (line >= 0 && !lines.get(line).matches("\\s*-(\\s.*)?")) {
      line--;
    }
    return line;
  }

  /** Replaces the digest and the times of an entry in block style; the result for another style is useless. */
  private static void edit(List<String> lines, Grant old, Grant changed) {
    Matcher first = FIRST_KEY.matcher(lines.isEmpty() ? "" : lines.getFirst());
    String indent = " ".repeat(first.matches() ? first.group(1).length() : 2);
    removeBlock(lines, indent, "previous");
    lines.replaceAll(line -> line.replace(old.current().sha256(), changed.current().sha256()));
    set(lines, indent, "expires", time(changed.current().expires()));
    set(lines, indent, "created", time(changed.current().created()));
    previous(changed).lines().forEach(line -> lines.add(indent + line.substring(2)));
  }

  private static void removeBlock(List<String> lines, String indent, String key) {
    int from = lines.indexOf(indent + key + ":");
    if (from >= 0) {
      int to = from + 1;
      while (to < lines.size() && lines.get(to).matches(indent + "(\\s|-\\s).*")) {
        to++;
      }
      lines.subList(from, to).clear();
    }
  }

  /** Sets the value of a key, or removes the key, and keeps a comment after it. */
  private static void set(List<String> lines, String indent, String key, @Nullable String value) {
    Pattern line = Pattern.compile("(" + indent + "|\\s*-\\s+)" + key + ":\\s*\\S+(.*)");
    for (int i = 0; i < lines.size(); i++) {
      Matcher matcher = line.matcher(lines.get(i));
      if (matcher.matches()) {
        if (value == null) {
          lines.remove(i);
        } else {
          lines.set(i, matcher.group(1) + key + ": " + value + matcher.group(2));
        }
        return;
      }
    }
    if (value != null) {
      lines.add(indent + key + ": " + value);
    }
  }

  private static String joined(List<String> lines) {
    return String.join("\n", lines) + "\n";
  }

  private static Optional<TokensText> checked(String changed, List<Grant> expected) {
    return of(changed, new Complaints("")).filter(it -> it.grants().equals(expected));
  }

  private TokensText rewritten(List<Grant> expected) {
    StringBuilder lines = new StringBuilder(HEAD);
    expected.forEach(grant -> lines.append(entry(grant)));
    TokensText written = of(lines.toString(), new Complaints(""))
        .orElseThrow(() -> new IllegalStateException("the rewritten tokens cannot be parsed"));
    return new TokensText(written.text(), written.entries(), !text.contains("#"));
  }

  /** An entry, with the name in quotes: some names would be numbers otherwise. */
  private static String entry(Grant grant) {
    StringBuilder entry = new StringBuilder("- name: \"").append(grant.name()).append("\"\n  role: ")
        .append(grant.role()).append("\n  sha256: ").append(grant.current().sha256()).append('\n');
    line(entry, "owner", grant.owner() == null ? null : JsonWriter.quote(grant.owner()));
    List<AllowedIntents> intents = grant.scope().intents();
    if (intents.stream().allMatch(it -> it.params().isEmpty())) {
      line(entry, "intents", quoted(intents.stream().map(it -> it.name().text())));
    } else {
      entry.append("  intents:\n");
      intents.forEach(it -> entry.append("    - ").append(item(it)).append('\n'));
    }
    line(entry, "locks", quoted(grant.scope().locks().stream().map(NamePattern::text)));
    line(entry, "mailboxes", quoted(grant.scope().mailboxes().stream().map(NamePattern::text)));
    line(entry, "tasks", quoted(grant.scope().tasks().stream().map(NamePattern::text)));
    line(entry, "approve", quoted(grant.scope().approve().stream().map(NamePattern::text)));
    line(entry, "expires", time(grant.current().expires()));
    line(entry, "created", time(grant.current().created()));
    return entry.append(previous(grant)).toString();
  }

  private static void line(StringBuilder entry, String key, @Nullable String value) {
    if (value != null && !value.equals("[]")) {
      entry.append("  ").append(key).append(": ").append(value).append('\n');
    }
  }

  private static String item(AllowedIntents intents) {
    String params = intents.params().entrySet().stream().map(
        (Map.Entry<String, List<ValuePattern>> it) -> it.getKey() + ": "
            + quoted(it.getValue().stream().map(ValuePattern::text)))
        .collect(Collectors.joining(", "));
    return params.isEmpty()
        ? JsonWriter.quote(intents.name().text())
        : "{name: " + JsonWriter.quote(intents.name().text()) + ", params: {" + params + "}}";
  }

  private static String quoted(Stream<String> texts) {
    return texts.map(JsonWriter::quote).collect(Collectors.joining(", ", "[", "]"));
  }

  private static String previous(Grant grant) {
    return grant.previous().isEmpty()
        ? ""
        : "  previous:\n" + grant.previous().stream().map(TokensText::item).collect(Collectors.joining());
  }

  private static String item(Generation token) {
    return "    - {sha256: " + token.sha256() + (token.created() == null ? "" : ", created: " + time(token.created()))
        + ", expires: " + time(token.expires()) + "}\n";
  }

  private static @Nullable String time(@Nullable Instant moment) {
    return moment == null ? null : Timestamps.format(moment);
  }
}
