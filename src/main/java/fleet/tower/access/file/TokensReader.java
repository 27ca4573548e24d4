package fleet.tower.access.file;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Grant;
import fleet.tower.access.IntentPattern;
import fleet.tower.access.Role;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.platform.yaml.Complaints;
import fleet.tower.platform.yaml.FileKind;
import fleet.tower.platform.yaml.Node;
import fleet.tower.platform.yaml.NodeReader;
import fleet.tower.platform.yaml.Schema;

/**
 * Makes grants of the text of {@code tokens.yaml}. Only a text without any mistake gives some: one that is half understood would
 * lock somebody out, or in.
 */
final class TokensReader {
  static final FileKind FORM = new FileKind("tokens.yaml", null, "write all tokens into one list",
      "that is more than a thousand tokens");

  private final Complaints complaints;

  private TokensReader(Complaints complaints) {
    this.complaints = complaints;
  }

  /** A grant, and where it begins. */
  record Entry(Grant grant, Node.Position position) {}

  static Schema schema() {
    return Schema.of(TokensReader.class, "tokens.schema.json");
  }

  /** What a text holds; nothing where there is a mistake. An empty one holds no tokens. */
  static Optional<List<Entry>> read(String text, Schema schema, Complaints complaints) {
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
      once(item, "name", "there is a token of this name already", names);
      once(item, "sha256", "this is another's token already", digests);
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
      List<IntentPattern> intents = item.items("intents").stream()
          .map(it -> new IntentPattern(((Node.Scalar) it).text())).toList();
      return Optional.of(new Grant(text(item, "name"), role, text(item, "sha256"), intents, expires(item)));
    } catch (InvalidValue e) {
      complaints.error(item.position(), e.problem());
      return Optional.empty();
    }
  }

  private @Nullable Instant expires(Node item) {
    Node.Scalar scalar = item.scalar("expires").orElse(null);
    if (scalar == null) {
      return null;
    }
    Optional<Instant> moment = Timestamps.parse(scalar.text());
    if (moment.isEmpty()) {
      complaints.error(scalar.position(), "is no day on the calendar");
    }
    return moment.orElse(null);
  }

  private static String text(Node item, String key) {
    return item.scalar(key).map(Node.Scalar::text).orElse("");
  }
}
