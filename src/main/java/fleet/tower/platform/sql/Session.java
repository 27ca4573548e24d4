package fleet.tower.platform.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.InvalidValue;

/**
 * A connection that caches its prepared statements. Only one thread at a time may use it.
 *
 * <p>A statement is written once for all databases; placeholders cover the differences: {@code {{now}}} is the
 * database's clock in milliseconds, one moment for the whole statement; {@code {{lock}}}, {@code {{lock_free}}} and
 * {@code {{share}}} at the end of a query lock the rows that it finds until the end of the transaction, where the
 * database does not do so anyway; {@code {{lock_free}}} skips rows that others have locked.
 *
 * <p>Parameters are positional, {@code ?}, or named, {@code :name}; those of one statement are of one kind. The only
 * value of a statement with named parameters is a {@link NamedValues}. A colon in quotes begins no parameter, and
 * {@code ::} is a cast.
 */
public final class Session implements AutoCloseable {
  /** The channel of all announcements. */
  static final String CHANNEL = "tower_events";

  static final Pattern NAMED = Pattern.compile("'[^']*'|\"[^\"]*\"|::|:([a-z][a-z0-9_]*)");
  private static final Duration TICK = Duration.ofSeconds(1);
  private static final int TICKS_BETWEEN_PROBES = 5;

  private final Connection connection;
  private final Dialect dialect;
  private final String name;
  private final Map<String, Prepared> prepared = new HashMap<>();
  private @Nullable SQLWarning warning;
  private @Nullable String setting;

  /** @param name the unique name of the connection in the database */
  Session(Connection connection, Dialect dialect, String name) {
    this.connection = connection;
    this.dialect = dialect;
    this.name = name;
  }

  String name() {
    return name;
  }

  /** @param names those of the parameters in their order; empty if they are positional */
  private record Prepared(PreparedStatement statement, List<String> names) {}

  /** Converts a row to a value. */
  public interface RowReader<T> {
    T read(ResultSet row) throws SQLException;
  }

  /** The time in a column of milliseconds; null if the column is. */
  public static @Nullable Instant moment(ResultSet row, int column) throws SQLException {
    long millis = row.getLong(column);
    return row.wasNull() ? null : Instant.ofEpochMilli(millis);
  }

  /** Runs a statement that returns no rows; returns the number of changed rows. */
  public int update(String sql, @Nullable Object... values) throws SQLException {
    PreparedStatement statement = prepare(sql, values);
    int changed = statement.executeUpdate();
    warning = statement.getWarnings();
    return changed;
  }

  /** The rows of a query, or of a changing statement that returns rows. */
  public <T> List<T> query(String sql, RowReader<T> reader, @Nullable Object... values) throws SQLException {
    List<T> found = new ArrayList<>();
    PreparedStatement statement = prepare(sql, values);
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        found.add(reader.read(rows));
      }
    }
    warning = statement.getWarnings();
    return found;
  }

  /** The first row of a query. */
  public <T> Optional<T> first(String sql, RowReader<T> reader, @Nullable Object... values) throws SQLException {
    List<T> found = query(sql, reader, values);
    return found.isEmpty() ? Optional.empty() : Optional.of(found.getFirst());
  }

  /**
   * The warning of the last statement, which nevertheless succeeded. A durable statement may then not be durable: a
   * server warns when it stops waiting for its standby.
   */
  public Optional<String> warning() {
    return Optional.ofNullable(warning).map(warning -> String.valueOf(warning.getMessage()));
  }

  /** Sets whether statements form a transaction up to a commit, or each is its own transaction. */
  void useTransactions(boolean together) throws SQLException {
    connection.setAutoCommit(!together);
  }

  /** Limits the wait for each reply of the server; after a timeout the connection is unusable. */
  public void limit(Duration limit) throws SQLException {
    connection.setNetworkTimeout(Runnable::run, Math.clamp(limit.toMillis(), 1, Integer.MAX_VALUE));
  }

  /**
   * Announces a change to all subscribers of a topic, when the transaction commits; see {@link Notifications}. A
   * database of one host announces nothing.
   */
  public void announce(String topic, String subject) throws SQLException {
    if (!dialect.isOfOneHost()) {
      query("SELECT pg_notify('" + CHANNEL + "', ?)", row -> true, Notifications.prefix(topic) + subject);
    }
  }

  /**
   * Passes the notifications on the channels of this connection to a receiver, as long as they are needed. Detects a
   * silently lost server by a query that times out.
   */
  public void receive(BooleanSupplier isNeeded, Consumer<String> receiver) throws SQLException {
    for (int tick = 1; isNeeded.getAsBoolean(); tick++) {
      dialect.notifications(connection, TICK).forEach(receiver);
      if (tick % TICKS_BETWEEN_PROBES == 0) {
        query("SELECT 1", row -> true);
      }
    }
  }

  /** Runs a statement that sets a property of this connection, unless it was the last such statement. */
  void set(String sql) throws SQLException {
    if (!sql.equals(setting)) {
      execute(sql);
      setting = sql;
    }
  }

  /** Runs a statement without caching it. */
  public void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The prepared statement with its values; all values of the last use are replaced. */
  private PreparedStatement prepare(String sql, @Nullable Object... values) throws SQLException {
    Prepared found = prepared.get(sql);
    if (found == null) {
      found = prepare(sql);
      prepared.put(sql, found);
    }
    @Nullable
    Object[] ordered = values.length == 1 && values[0] instanceof NamedValues named
        ? named.inOrder(found.names())
        : values;
    for (int i = 0; i < ordered.length; i++) {
      requireStorable(ordered[i]);
      found.statement().setObject(i + 1, ordered[i]);
    }
    return found.statement();
  }

  private Prepared prepare(String sql) throws SQLException {
    List<String> names = new ArrayList<>();
    String positional = NAMED.matcher(dialect.translate(sql)).replaceAll(found -> {
      if (found.group(1) == null) {
        return Matcher.quoteReplacement(found.group());
      }
      names.add(found.group(1));
      return "?";
    });
    return new Prepared(connection.prepareStatement(positional), names);
  }

  /** Rejects U+0000, which PostgreSQL does not accept and at which SQLite truncates texts. */
  private static void requireStorable(@Nullable Object value) {
    if (value instanceof String text && text.indexOf('\0') >= 0) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "the text " + InvalidValue.shown(text)
          + " contains the character U+0000, which cannot be stored or searched for; remove it");
    }
  }

  /** Closes the connection and its statements. Errors are ignored, because the connection is discarded anyway. */
  @Override
  public void close() {
    try {
      for (Prepared each : prepared.values()) {
        each.statement().close();
      }
      connection.close();
    } catch (SQLException discardedAnyway) {
      prepared.clear();
    }
  }
}
