package fleet.tower.access.file;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.AllowedIntents;
import fleet.tower.access.AllowedIntents.ValuePattern;
import fleet.tower.access.Generation;
import fleet.tower.access.Grant;
import fleet.tower.access.NamePattern;
import fleet.tower.access.Role;
import fleet.tower.access.Scope;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.platform.yaml.Complaints;
import fleet.tower.platform.yaml.Node;
import fleet.tower.platform.yaml.NodeReader;
import fleet.tower.platform.yaml.SourceFile;
import fleet.tower.platform.yaml.YamlSchema;

/**
 * Parses {@code tokens.yaml} into grants. Any mistake makes the whole text invalid: partial content could lock out a
 * caller, or admit one.
 */
final class TokensReader {
  static final SourceFile.Kind FORM = new SourceFile.Kind("tokens.yaml", null, "put all tokens in one list",
      "there are more than a thousand tokens");

  private final Complaints complaints;

  private TokensReader(Complaints complaints) {
    this.complaints = complaints;
  }

  /** A grant and its position. */
  record Entry(Grant grant, Node.Position position) {}

  static YamlSchema schema() {
    return YamlSchema.of(TokensReader.class, "tokens.schema.json");
  }

  /** The entries of a text; empty if there is a mistake. An empty text has no entries. */
  static Optional<List<Entry>> read(String text, YamlSchema schema, Complaints complaints) {
    Optional<Node> root = NodeReader.read(text, FORM, complaints);
    root.ifPresent(node -> schema.violations(node).forEach(it -> complaints.error(it.position(), it.message())));
    if (complaints.hasErrors()) {
      return Optional.empty();
    }
    List<Entry> entries = new TokensReader(complaints)
        .entries(
            root.map(node -> node instanceof Node.Sequence list ? list.items() : List.<Node>of()).orElse(List.of()));
    return complaints.hasErrors() ? Optional.empty() : Optional.of(entries);
  }

  private List<Entry> entries(List<Node> items) {
    List<Entry> entries = new ArrayList<>();
    Map<String, Node.Position> names = new HashMap<>();
    Map<String, Node.Position> digests = new HashMap<>();
    for (Node item : items) {
      once(item, "name", "another token has this name", names);
      once(item, "sha256", "another entry has this token", digests);
      item.items("previous").forEach(it -> once(it, "sha256", "another entry has this token", digests));
      grant(item).ifPresent(grant -> entries.add(new Entry(grant, item.position())));
    }
    return entries;
  }

  private void once(Node item, String key, String otherwise, Map<String, Node.Position> seen) {
    item.scalar(key).ifPresent(scalar -> {
      Node.Position first = seen.putIfAbsent(scalar.text(), scalar.position());
      if (first != null) {
        complaints.error(scalar.position(), otherwise + ", on line " + first.line());
      }
    });
  }

  private Optional<Grant> grant(Node item) {
    try {
      Role role = Role.valueOf(text(item, "role").toUpperCase(Locale.ROOT));
      Scope scope = new Scope(item.items("intents").stream().map(TokensReader::intents).toList(),
          patterns(item, "locks", NamePattern::lock), patterns(item, "mailboxes", NamePattern::mailbox),
          patterns(item, "tasks", NamePattern::project), patterns(item, "approve", NamePattern::intent));
      String owner = item.scalar("owner").map(Node.Scalar::text).orElse(null);
      return Optional.of(new Grant(text(item, "name"), owner, role, scope, generation(item),
          item.items("previous").stream().map(this::generation).toList()));
    } catch (InvalidValue e) {
      complaints.error(item.position(), e.problem());
      return Optional.empty();
    }
  }

  private static List<NamePattern> patterns(Node item, String key, Function<String, NamePattern> pattern) {
    return item.items(key).stream().map(it -> pattern.apply(text(it))).toList();
  }

  private static AllowedIntents intents(Node item) {
    if (item instanceof Node.Scalar name) {
      return AllowedIntents.any(NamePattern.intent(name.text()));
    }
    Map<String, List<ValuePattern>> params = new LinkedHashMap<>();
    item.entries("params").forEach(param -> params.put(param.key().text(), param.value() instanceof Node.Sequence values
        ? values.items().stream().map(it -> new ValuePattern(text(it))).toList()
        : List.of()));
    return new AllowedIntents(NamePattern.intent(text(item, "name")), params);
  }

  private Generation generation(Node item) {
    return new Generation(text(item, "sha256"), moment(item, "created"), moment(item, "expires"));
  }

  private @Nullable Instant moment(Node item, String key) {
    Node.Scalar scalar = item.scalar(key).orElse(null);
    if (scalar == null) {
      return null;
    }
    Optional<Instant> moment = Timestamps.parse(scalar.text());
    if (moment.isEmpty()) {
      complaints.error(scalar.position(), "is not a calendar date");
    }
    return moment.orElse(null);
  }

  private static String text(Node node) {
    return node instanceof Node.Scalar scalar ? scalar.text() : "";
  }

  private static String text(Node item, String key) {
    return item.scalar(key).map(Node.Scalar::text).orElse("");
  }
}
