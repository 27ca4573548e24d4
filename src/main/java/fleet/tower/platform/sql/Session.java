package fleet.tower.platform.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.InvalidValue;

/**
 * A connection with the statements that were prepared on it, which are kept. One thread at a time uses it.
 *
 * <p>A statement is written once for every database; where they differ it has a mark: {@code {{now}}} is the database's clock in
 * milliseconds, one moment for the whole statement; {@code {{lock}}}, {@code {{lock_free}}} and {@code {{share}}} at the end of a
 * query keep the rows that it finds as they are until the end of the transaction, where that is not so by itself, the second
 * passes over rows that others have.
 */
public final class Session implements AutoCloseable {
  private final Connection connection;
  private final Dialect dialect;
  private final String name;
  private final Map<String, PreparedStatement> prepared = new HashMap<>();
  private @Nullable SQLWarning remark;

  /** @param name by which the database knows the connection; no other has it */
  Session(Connection connection, Dialect dialect, String name) {
    this.connection = connection;
    this.dialect = dialect;
    this.name = name;
  }

  String name() {
    return name;
  }

  /** Makes a value of a row. */
  public interface RowReader<T> {
    T read(ResultSet row) throws SQLException;
  }

  /** Runs a statement that returns no rows; tells how many it changed. */
  public int update(String sql, @Nullable Object... values) throws SQLException {
    PreparedStatement statement = filled(sql, values);
    int changed = statement.executeUpdate();
    remark = statement.getWarnings();
    return changed;
  }

  /** The rows of a query, also of a change that returns some. */
  public <T> List<T> query(String sql, RowReader<T> reader, @Nullable Object... values) throws SQLException {
    List<T> found = new ArrayList<>();
    PreparedStatement statement = filled(sql, values);
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        found.add(reader.read(rows));
      }
    }
    remark = statement.getWarnings();
    return found;
  }

  /** The first row of a query. */
  public <T> Optional<T> first(String sql, RowReader<T> reader, @Nullable Object... values) throws SQLException {
    List<T> found = query(sql, reader, values);
    return found.isEmpty() ? Optional.empty() : Optional.of(found.getFirst());
  }

  /**
   * What the database had to remark about the last statement, though it did it. Where it was to be durable it may not be: a
   * server says so when it stops waiting for its standby.
   */
  public Optional<String> remark() {
    return Optional.ofNullable(remark).map(warning -> String.valueOf(warning.getMessage()));
  }

  /** Whether what follows is one transaction up to its commit, or each statement one of its own. */
  void transact(boolean together) throws SQLException {
    connection.setAutoCommit(!together);
  }

  /** From now on waits for no answer of the server for longer than this; the connection is no more use then. */
  public void limit(Duration limit) throws SQLException {
    connection.setNetworkTimeout(Runnable::run, Math.clamp(limit.toMillis(), 1, Integer.MAX_VALUE));
  }

  /** What was told on the channels that this connection listens to, waiting for the first of it up to a limit. */
  public List<String> notices(Duration limit) throws SQLException {
    return dialect.notices(connection, limit);
  }

  /** Runs a statement once, without keeping it. */
  public void once(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The statement with its values; those of its last use are all replaced. */
  private PreparedStatement filled(String sql, @Nullable Object... values) throws SQLException {
    PreparedStatement statement = prepared.get(sql);
    if (statement == null) {
      statement = connection.prepareStatement(dialect.translate(sql));
      prepared.put(sql, statement);
    }
    for (int i = 0; i < values.length; i++) {
      requireStorable(values[i]);
      statement.setObject(i + 1, values[i]);
    }
    return statement;
  }

  /** PostgreSQL takes no U+0000 and SQLite cuts texts there, so neither gets one, and each says so in the same way. */
  private static void requireStorable(@Nullable Object value) {
    if (value instanceof String text && text.indexOf('\0') >= 0) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "the text " + InvalidValue.shown(text)
          + " has the character U+0000 in it, which cannot be stored or looked for; leave it out");
    }
  }

  /** Closes the connection and all that was prepared on it; it is given up in any case, so no error is told. */
  @Override
  public void close() {
    try {
      for (PreparedStatement statement : prepared.values()) {
        statement.close();
      }
      connection.close();
    } catch (SQLException givenUpAnyway) {
      prepared.clear();
    }
  }
}
