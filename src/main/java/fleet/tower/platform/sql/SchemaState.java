package fleet.tower.platform.sql;

import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What the database has recorded about its schema.
 *
 * @param version the highest version, by which a program recognises a schema that it does not support
 *
 * @param additions the additive scripts that were applied
 */
record SchemaState(int version, Set<String> additions) {
  /** The state of a database without a schema. */
  static final SchemaState EMPTY = new SchemaState(0, Set.of());

  private static final String QUERY = "SELECT version, script FROM schema_versions"
      + " UNION ALL SELECT 0, script FROM schema_additions";

  private record Row(int version, String script) {}

  SchemaState {
    additions = Set.copyOf(additions);
  }

  /** Reads the state by one query; if tables are missing, it also ends the transaction. */
  static SchemaState read(Session session, Dialect dialect) throws SQLException {
    Set<String> additions = new HashSet<>();
    int version = 0;
    for (Row row : rows(session, dialect)) {
      if (row.version() == 0) {
        additions.add(row.script());
      }
      version = Math.max(version, row.version());
    }
    return new SchemaState(version, additions);
  }

  private static List<Row> rows(Session session, Dialect dialect) throws SQLException {
    try {
      return session.query(QUERY, row -> new Row(row.getInt(1), row.getString(2)));
    } catch (SQLException e) {
      if (!dialect.isMissingTable(e)) {
        throw e;
      }
      Transactions.rollBack(session);
      return List.of();
    }
  }
}
