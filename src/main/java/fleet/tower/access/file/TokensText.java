package fleet.tower.access.file;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import fleet.tower.access.Grant;
import fleet.tower.access.IntentPattern;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.platform.yaml.Complaints;
import fleet.tower.platform.yaml.Schema;

/**
 * The text of {@code tokens.yaml} and its meaning. Every change is parsed again: if the result differs from the
 * intended one, because the list is written in an unusual style, the list is rewritten.
 *
 * @param isKept whether everything that was not to be changed is unchanged
 */
record TokensText(String text, List<TokensReader.Entry> entries, boolean isKept) {
  static final TokensText EMPTY = new TokensText("", List.of(), true);
  private static final String HEAD = """
      # The callers of the service. It re-reads this file after each change; `tower token` edits it.
      """;

  static Optional<TokensText> of(String text, Complaints complaints) {
    return TokensReader.read(text, schema(), complaints).map(entries -> new TokensText(text, entries, true));
  }

  private static Schema schema() {
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
    return checked(before + entry(grant), expected);
  }

  /** Without the grant of a name. Keeps lines before the next grant, such as a comment about it. */
  TokensText without(String name) {
    List<Grant> expected = grants().stream().filter(grant -> !grant.name().equals(name)).toList();
    List<String> lines = new ArrayList<>(text.lines().toList());
    int index = grants().stream().map(Grant::name).toList().indexOf(name);
    int from = dashOf(index, lines);
    int to = index + 1 < entries.size() ? dashOf(index + 1, lines) : lines.size();
    while (to > from + 1 && lines.get(to - 1).matches("\\s*(#.*)?")) {
      to--;
    }
    if (from >= 0 && to > from) {
      lines.subList(from, to).clear();
    }
    return checked(lines.isEmpty() ? "" : String.join("\n", lines) + "\n", expected);
  }

  /** The line with the dash of an entry. */
  private int dashOf(int index, List<String> lines) {
    int line = entries.get(index).position().line() - 1;
    while (line >= 0 && !lines.get(line).matches("\\s*-(\\s.*)?")) {
      line--;
    }
    return line;
  }

  private TokensText checked(String changed, List<Grant> expected) {
    return of(changed, new Complaints("")).filter(it -> it.grants().equals(expected))
        .orElseGet(() -> rewritten(expected));
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
        .append(grant.role()).append("\n  sha256: ").append(grant.sha256()).append('\n');
    if (!grant.intents().isEmpty()) {
      entry.append("  intents: [\"")
          .append(String.join("\", \"", grant.intents().stream().map(IntentPattern::text).toList())).append("\"]\n");
    }
    if (grant.expires() != null) {
      entry.append("  expires: ").append(Timestamps.format(grant.expires())).append('\n');
    }
    return entry.toString();
  }
}
