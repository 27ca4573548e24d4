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
 * The text of {@code tokens.yaml} together with what it says. Every change is read back: where it does not say what was meant,
 * because the list is written in some other style, it is written anew.
 *
 * @param isKept whether all that was not to be changed stands as it stood
 */
record TokensText(String text, List<TokensReader.Entry> entries, boolean isKept) {
  static final TokensText EMPTY = new TokensText("", List.of(), true);
  private static final String HEAD = """
      # Who may call the service. It is re-read when it changes; `tower token` changes it.
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

  /** With one more behind the others. */
  TokensText with(Grant grant) {
    List<Grant> wanted = new ArrayList<>(grants());
    wanted.add(grant);
    String before = text.isEmpty() ? HEAD : text.endsWith("\n") ? text : text + "\n";
    return checked(before + entry(grant), wanted);
  }

  /** Without the one of a name. What stands in front of the next one, such as a comment about it, stays. */
  TokensText without(String name) {
    List<Grant> wanted = grants().stream().filter(grant -> !grant.name().equals(name)).toList();
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
    return checked(lines.isEmpty() ? "" : String.join("\n", lines) + "\n", wanted);
  }

  /** The line on which the dash of an entry stands. */
  private int dashOf(int index, List<String> lines) {
    int line = entries.get(index).position().line() - 1;
    while (line >= 0 && !lines.get(line).matches("\\s*-(\\s.*)?")) {
      line--;
    }
    return line;
  }

  private TokensText checked(String changed, List<Grant> wanted) {
    return of(changed, new Complaints("")).filter(it -> it.grants().equals(wanted)).orElseGet(() -> anew(wanted));
  }

  private TokensText anew(List<Grant> wanted) {
    StringBuilder lines = new StringBuilder(HEAD);
    wanted.forEach(grant -> lines.append(entry(grant)));
    TokensText written = of(lines.toString(), new Complaints(""))
        .orElseThrow(() -> new IllegalStateException("what is written cannot be read"));
    return new TokensText(written.text(), written.entries(), !text.contains("#"));
  }

  /** The name in quotes: some names would be numbers otherwise. */
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
