package fleet.tower.cli.token;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.AllowedIntents;
import fleet.tower.access.Generation;
import fleet.tower.access.Grant;
import fleet.tower.access.LockPattern;
import fleet.tower.access.Role;
import fleet.tower.access.Tokens;
import fleet.tower.cli.reply.CallerJson;
import fleet.tower.cli.reply.Table;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Timestamps;

/** The list of tokens as a table and as JSON. */
record TokenTable(Tokens tokens, Instant now) {
  private static final String NEVER = "never";
  private static final String NONE = "-";

  /** The rights of a name and the expiry of its current token. */
  static JsonWriter members(Grant grant) {
    JsonWriter json = JsonWriter.line().put("name", grant.name()).put("role", grant.role().toString())
        .list("intents", grant.scope().intents().stream().map(it -> JsonWriter.quote(it.name().text())).toList());
    if (grant.role() == Role.AGENT) {
      json.list("allowed_intents", CallerJson.intents(grant.scope()))
          .list("allowed_locks", CallerJson.locks(grant.scope()));
    }
    return json.members(times(grant.current()));
  }

  /** When a token was created and when it expires. */
  static JsonWriter times(Generation token) {
    JsonWriter json = JsonWriter.line();
    return moment(moment(json, "created_at", token.created()), "expires_at", token.expires());
  }

  private static JsonWriter moment(JsonWriter json, String key, @Nullable Instant moment) {
    return moment == null ? json.raw(key, "null") : json.put(key, moment);
  }

  JsonWriter json(List<Grant> grants) {
    JsonWriter json = JsonWriter.line().list("tokens", grants.stream().map(grant -> used(members(grant),
        grant.current()).list("previous", previous(grant.previous())).end()).toList());
    return tokens.operator().map(operator -> json.put("operator",
        used(times(operator.current()), operator.current()).list("previous", previous(operator.previous()))))
        .orElseGet(() -> json.raw("operator", "null"));
  }

  private List<String> previous(List<Generation> generations) {
    return generations.stream().map(it -> used(times(it), it).end()).toList();
  }

  private JsonWriter used(JsonWriter json, Generation token) {
    return moment(json.put("expired", token.isExpiredAt(now)), "last_used_at", tokens.lastUse(token).orElse(null));
  }

  /** A row for each token; none if there are no tokens. */
  List<String> lines(List<Grant> grants) {
    List<List<String>> rows = new ArrayList<>();
    Optional<Tokens.OperatorToken> operator = tokens.operator();
    operator.ifPresent(it -> {
      rows.add(row(Role.OPERATOR.toString(), Role.OPERATOR, NONE, NONE, it.current()));
      it.previous().forEach(token -> rows.add(row("operator (previous)", Role.OPERATOR, NONE, NONE, token)));
    });
    for (Grant grant : grants) {
      String intents = joined(grant.scope().intents().stream().map(AllowedIntents::toString).toList());
      String locks = joined(grant.scope().locks().stream().map(LockPattern::text).toList());
      rows.add(row(grant.name(), grant.role(), intents, locks, grant.current()));
      grant.previous()
          .forEach(token -> rows.add(row(grant.name() + " (previous)", grant.role(), intents, locks, token)));
    }
    if (rows.isEmpty()) {
      return List.of();
    }
    rows.addFirst(List.of("NAME", "ROLE", "INTENTS", "LOCKS", "CREATED", "LAST USED", "EXPIRES"));
    return Table.lines(rows);
  }

  private static String joined(List<String> patterns) {
    return patterns.isEmpty() ? NONE : String.join(",", patterns);
  }

  private List<String> row(String name, Role role, String intents, String locks, Generation token) {
    Instant created = token.created();
    Instant expires = token.expires();
    return List.of(name, role.toString(), intents, locks, created == null ? NONE : Timestamps.format(created),
        tokens.lastUse(token).map(Timestamps::format).orElse(NEVER),
        expires == null ? NEVER : Timestamps.format(expires) + (token.isExpiredAt(now) ? " (expired)" : ""));
  }
}
