package fleet.tower.cli.token;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Generation;
import fleet.tower.access.Grant;
import fleet.tower.access.Role;
import fleet.tower.access.Scope;
import fleet.tower.access.TokenLifetime;
import fleet.tower.access.Tokens;
import fleet.tower.answer.CallerJson;
import fleet.tower.answer.Table;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Timestamps;

/**
 * The list of tokens as a table and as JSON.
 *
 * @param places where tokens are; the first has the operator's, unless it is a file of a fleet's host
 */
record TokenTable(List<TokenPlace> places, boolean isFleet, TokenLifetime lifetime, Instant now) {
  private static final String NEVER = "never";
  private static final String NONE = "-";

  /** The rights of a name and the expiry of its current token. */
  static JsonWriter members(Grant grant) {
    JsonWriter json = JsonWriter.line().put("name", grant.name()).put("role", grant.role().toString())
        .put("owner", grant.owner())
        .list("intents", grant.scope().intents().stream().map(it -> JsonWriter.quote(it.name().text())).toList());
    if (grant.role() == Role.AGENT) {
      json.list("allowed_intents", CallerJson.intents(grant.scope()))
          .list("allowed_locks", CallerJson.names(grant.scope().locks()))
          .list("allowed_mailboxes", CallerJson.names(grant.scope().mailboxes()))
          .list("allowed_tasks", CallerJson.names(grant.scope().tasks()));
    }
    return json.list("approve", CallerJson.quoted(grant.scope().approve())).members(times(grant.current()));
  }

  /** When a token was created and when it expires. */
  static JsonWriter times(Generation token) {
    JsonWriter json = JsonWriter.line();
    return moment(moment(json, "created_at", token.created()), "expires_at", token.expires());
  }

  private static JsonWriter moment(JsonWriter json, String key, @Nullable Instant moment) {
    return moment == null ? json.raw(key, "null") : json.put(key, moment);
  }

  boolean isEmpty() {
    return places.stream().allMatch(place -> place.tokens().list().isEmpty());
  }

  JsonWriter json() {
    JsonWriter json = JsonWriter.line().list("tokens", places.stream().flatMap(this::entries).toList());
    return operator().map(operator -> json.put("operator", onHost(used(times(operator.current()), operator.current())
        .list("previous", previous(operator.previous())), operator))).orElseGet(() -> json.raw("operator", "null"));
  }

  private Stream<String> entries(TokenPlace place) {
    return grants(place).stream().map(grant -> used(members(grant), grant.current())
        .list("previous", previous(grant.previous())).put("where", place.name()).end());
  }

  private List<Grant> grants(TokenPlace place) {
    return place.tokens().list().stream().map(lifetime::of).toList();
  }

  private static JsonWriter onHost(JsonWriter json, Tokens.OperatorToken operator) {
    return operator.hostId() == null ? json : json.put("host_id", operator.hostId());
  }

  private Optional<Tokens.OperatorToken> operator() {
    TokenPlace first = places.getFirst();
    return isFleet && first.isFile() ? Optional.empty() : first.tokens().operator();
  }

  private List<String> previous(List<Generation> generations) {
    return generations.stream().map(it -> used(times(it), it).end()).toList();
  }

  private JsonWriter used(JsonWriter json, Generation token) {
    return moment(json.put("expired", token.isExpiredAt(now)), "last_used_at", lastUse(token).orElse(null));
  }

  /** Every place has the uses on this host. */
  private Optional<Instant> lastUse(Generation token) {
    return places.getFirst().tokens().lastUse(token);
  }

  /** A row for each token; none if there are no tokens. */
  List<String> lines() {
    List<List<String>> rows = new ArrayList<>();
    operator().ifPresent(it -> {
      String where = places.getFirst().name();
      rows.add(row(Role.OPERATOR.toString(), null, Role.OPERATOR, Scope.ALL, it.current(), "", where));
      it.previous()
          .forEach(token -> rows.add(row("operator (previous)", null, Role.OPERATOR, Scope.ALL, token, "", where)));
    });
    places.forEach(place -> grants(place).forEach(grant -> rows.addAll(rows(grant, place.name()))));
    if (rows.isEmpty()) {
      return List.of();
    }
    rows.addFirst(columns("NAME", "ROLE", "OWNER", "INTENTS", "LOCKS", "MAILBOXES", "TASKS", "APPROVES", "CREATED",
        "LAST USED", "EXPIRES", "WHERE"));
    return Table.lines(rows);
  }

  private List<List<String>> rows(Grant grant, String where) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(row(grant.name(), grant.owner(), grant.role(), grant.scope(), grant.current(),
        lifetime.endsSoon(grant, now) ? " (soon)" : "", where));
    grant.previous().forEach(token -> rows
        .add(row(grant.name() + " (previous)", grant.owner(), grant.role(), grant.scope(), token, "", where)));
    return rows;
  }

  /** The last column is for fleets. */
  private List<String> columns(String... texts) {
    return List.of(texts).subList(0, isFleet ? texts.length : texts.length - 1);
  }

  private static String joined(List<?> patterns) {
    return patterns.isEmpty() ? NONE : patterns.stream().map(Object::toString).collect(Collectors.joining(","));
  }

  /** @param hint follows the expiry of a token that is valid */
  private List<String> row(String name, @Nullable String owner, Role role, Scope scope, Generation token, String hint,
      String where) {
    Instant created = token.created();
    Instant expires = token.expires();
    return columns(name, role.toString(), owner == null ? NONE : owner, joined(scope.intents()), joined(scope.locks()),
        joined(scope.mailboxes()), joined(scope.tasks()), joined(scope.approve()),
        created == null ? NONE : Timestamps.format(created),
        lastUse(token).map(Timestamps::format).orElse(NEVER),
        expires == null ? NEVER : Timestamps.format(expires) + (token.isExpiredAt(now) ? " (expired)" : hint),
        where);
  }
}
