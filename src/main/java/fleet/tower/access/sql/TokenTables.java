package fleet.tower.access.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Generation;
import fleet.tower.access.Grant;
import fleet.tower.access.Role;
import fleet.tower.access.Scope;
import fleet.tower.access.Tokens.OperatorToken;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.NamedValues;
import fleet.tower.platform.sql.Session;

/** The tables of tokens: what they contain, and one change at a time among all hosts. */
record TokenTables(Database database) {
  /** The topic of announcements of changes. */
  static final String TOPIC = "tokens";
  static final String OPERATOR = Role.OPERATOR.toString();
  private static final String VERSION = "SELECT version FROM token_changes";
  /**
   * Locks the row until the end of the transaction. The number grows with the clock, so that a server that has lost
   * changes, such as a standby, does not repeat one.
   */
  private static final String NEXT = "UPDATE token_changes SET version = GREATEST(version + 1,"
      + " CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)) RETURNING version";
  private static final String ALL = "SELECT name, digest, place, role, intents, locks, mailboxes, tasks,"
      + " approve, owner, created_at, expires_at, host_id FROM tokens ORDER BY name, place";
  private static final String INSERT = NamedValues.insertion("tokens",
      "digest, name, place, role, intents, locks, mailboxes, tasks, approve, owner, created_at, expires_at, host_id");
  private static final String DELETE = "DELETE FROM tokens WHERE name = ?";

  /** A row. */
  private record Row(String name, String digest, int place, String role, ScopeJson scope, @Nullable String owner,
      @Nullable Instant created, @Nullable Instant expires, String hostId) {

    static Row read(ResultSet row) throws SQLException {
      return new Row(row.getString(1), row.getString(2), row.getInt(3), row.getString(4),
          new ScopeJson(row.getString(5), row.getString(6), row.getString(7), row.getString(8), row.getString(9)),
          row.getString(10), Session.moment(row, 11), Session.moment(row, 12), row.getString(13));
    }

    Generation generation() {
      return new Generation(digest, created, expires);
    }
  }

  /** A change within its transaction. */
  interface Change<T extends @Nullable Object> {

    /**
     * Makes the change.
     *
     * @param number the number of this change
     */
    T run(Session session, long number) throws SQLException;
  }

  /** The number of the last change. */
  long version() {
    return database.read(TokenTables::version).orElse(0L);
  }

  private static long version(Session session) throws SQLException {
    return session.query(VERSION, row -> row.getLong(1)).getFirst();
  }

  /** All tokens. */
  StoredTokens load() {
    return database.read(session -> stored(version(session), session))
        .orElseGet(() -> new StoredTokens(0, Optional.empty(), List.of(), Map.of()));
  }

  /** All tokens as this transaction sees them. */
  static StoredTokens stored(long version, Session session) throws SQLException {
    Map<String, List<Row>> names = new LinkedHashMap<>();
    session.query(ALL, Row::read).forEach(row -> names.computeIfAbsent(row.name(), _ -> new ArrayList<>()).add(row));
    Optional<OperatorToken> operator = Optional.empty();
    List<Grant> grants = new ArrayList<>();
    Map<String, String> unreadable = new LinkedHashMap<>();
    for (Map.Entry<String, List<Row>> entry : names.entrySet()) {
      try {
        if (entry.getKey().equals(OPERATOR)) {
          operator = Optional.of(operator(entry.getValue()));
        } else {
          grants.add(grant(entry.getValue()));
        }
      } catch (InvalidValue e) {
        unreadable.put(entry.getKey(), "the token " + InvalidValue.shown(entry.getKey())
            + " in the database was not written by this version and is not accepted: " + e.problem());
      }
    }
    return new StoredTokens(version, operator, grants, unreadable);
  }

  private static OperatorToken operator(List<Row> rows) {
    Row current = current(rows);
    if (!current.role().equals(OPERATOR)) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "its role is " + InvalidValue.shown(current.role()));
    }
    return new OperatorToken(current.generation(), previous(rows), current.hostId());
  }

  private static Grant grant(List<Row> rows) {
    Row current = current(rows);
    return new Grant(current.name(), current.owner(), role(current.role()), current.scope().read(),
        current.generation(), previous(rows));
  }

  private static Row current(List<Row> rows) {
    Row first = rows.getFirst();
    if (first.place() != 0) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "it has no current row");
    }
    return first;
  }

  private static List<Generation> previous(List<Row> rows) {
    List<Row> previous = rows.subList(1, rows.size());
    if (previous.stream().anyMatch(row -> row.expires() == null)) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "a previous token does not expire");
    }
    return previous.stream().map(Row::generation).toList();
  }

  private static Role role(String text) {
    try {
      return Role.valueOf(text.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException unknown) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "its role is " + InvalidValue.shown(text));
    }
  }

  /**
   * Runs a change after all earlier ones, and announces it. The change may run twice, and does nothing but SQL.
   *
   * @throws InvalidValue if the change refuses; then nothing is changed
   */
  <T extends @Nullable Object> T change(Change<T> change) {
    return database.writeDurably(session -> {
      long number = session.query(NEXT, row -> row.getLong(1)).getFirst();
      T result = change.run(session, number);
      session.announce(TOPIC, "");
      return result;
    });
  }

  /** Replaces all rows of a name. */
  static void write(Session session, Grant grant, String hostId) throws SQLException {
    write(session, grant.name(), grant.owner(), grant.role(), grant.scope(), grant.generations().toList(), hostId);
  }

  /** Replaces all rows of the operator. */
  static void write(Session session, OperatorToken operator, String hostId) throws SQLException {
    write(session, OPERATOR, null, Role.OPERATOR, Scope.ALL, operator.generations().reversed(), hostId);
  }

  private static void write(Session session, String name, @Nullable String owner, Role role, Scope scope,
      List<Generation> newestFirst, String hostId) throws SQLException {
    session.update(DELETE, name);
    ScopeJson limits = ScopeJson.of(scope);
    NamedValues values = new NamedValues().put("name", name).put("role", role.toString())
        .put("intents", limits.intents()).put("locks", limits.locks()).put("mailboxes", limits.mailboxes())
        .put("tasks", limits.tasks()).put("approve", limits.approve()).put("owner", owner).put("host_id", hostId);
    int place = 0;
    for (Generation token : newestFirst) {
      session.update(INSERT, values.put("digest", token.sha256()).put("place", place++)
          .put("created_at", millis(token.created())).put("expires_at", millis(token.expires())));
    }
  }

  private static @Nullable Long millis(@Nullable Instant moment) {
    return moment == null ? null : moment.toEpochMilli();
  }

  static void delete(Session session, String name) throws SQLException {
    session.update(DELETE, name);
  }
}
