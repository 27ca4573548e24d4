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
 *
 * @param misplaced additive scripts that an unreleased build recorded as versions
 */
record SchemaState(int version, Set<String> additions, Set<String> misplaced) {
  /** The state of a database without a schema. */
  static final SchemaState EMPTY = new SchemaState(0, Set.of(), Set.of());

  private static final String VERSIONS = "SELECT version, script FROM schema_versions";
  private static final String ADDITIONS = " UNION ALL SELECT 0, script FROM schema_additions";

  private record Row(int version, String script) {}

  SchemaState {
    additions = Set.copyOf(additions);
    misplaced = Set.copyOf(misplaced);
  }

  /** Reads the state; one query, or two if tables are missing, which also ends the transaction. */
  static SchemaState read(Session session, Dialect dialect, Migrations migrations) throws SQLException {
    Set<String> additions = new HashSet<>();
    Set<String> misplaced = new HashSet<>();
    int version = 0;
    for (Row row : rows(session, dialect)) {
      if (row.version() == 0) {
        additions.add(row.script());
      } else if (migrations.additions().contains(row.script())) {
        misplaced.add(row.script());
      } else {
        version = Math.max(version, row.version());
      }
    }
    return new SchemaState(version, additions, misplaced);
  }

  private static List<Row> rows(Session session, Dialect dialect) throws SQLException {
    for (String query : List.of(VERSIONS + ADDITIONS, VERSIONS)) {
      try {
        return session.query(query, row -> new Row(row.getInt(1), row.getString(2)));
      } catch (SQLException e) {
        if (!dialect.isMissingTable(e)) {
          throw e;
        }
        Transactions.rollBack(session);
      }
    }
    return List.of();
  }
}
