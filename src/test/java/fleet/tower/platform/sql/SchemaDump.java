package fleet.tower.platform.sql;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * Dumps a database as SQL, one statement per line: what a version of this program leaves behind, kept for the tests
 * of later versions. A dump is created once per released version, with the classes of that version and rows in every
 * table.
 */
public record SchemaDump(String url) {
  private static final String TABLES_OF_SQLITE = "SELECT name FROM sqlite_master WHERE type = 'table'"
      + " AND name NOT LIKE 'sqlite_%' ORDER BY rootpage";
  private static final String SQL_OF_SQLITE = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type DESC, rootpage";
  /** The table that refers to another one stands last. */
  private static final String TABLES_OF_POSTGRESQL = "SELECT table_name FROM information_schema.tables"
      + " WHERE table_schema = 'public' ORDER BY table_name = 'run_output', table_name";
  private static final String COUNTERS = "SELECT 'SELECT setval(pg_get_serial_sequence(''' || table_name || ''', '''"
      + " || column_name || '''), 1000)' FROM information_schema.columns WHERE table_schema = 'public'"
      + " AND is_identity = 'YES' ORDER BY 1";

  /** Prints the database of a URL. */
  static void main(String[] arguments) throws SQLException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    new SchemaDump(arguments[0]).lines().forEach(line -> out.print(line + "\n"));
  }

  private boolean isSqlite() {
    return url.startsWith(Sqlite.URL);
  }

  /** The statements that create such a database. */
  public List<String> lines() throws SQLException {
    DirectTables tables = new DirectTables(url);
    List<String> lines = new ArrayList<>();
    if (isSqlite()) {
      tables.look(SQL_OF_SQLITE).forEach(sql -> lines.add(oneLine(sql)));
    } else {
      lines.addAll(Migrations.RECORDS);
      List<String> scripts = new ArrayList<>(tables.look("SELECT script FROM schema_versions ORDER BY version"));
      scripts.addAll(tables.look("SELECT script FROM schema_additions ORDER BY applied_at, LENGTH(script), script"));
      for (String script : scripts) {
        Migrations.statements(script, new Postgres(url, 1000)).stream().map(SchemaDump::oneLine)
            .filter(sql -> !sql.startsWith("INSERT")).forEach(lines::add);
      }
    }
    for (String table : tables.look(isSqlite() ? TABLES_OF_SQLITE : TABLES_OF_POSTGRESQL)) {
      lines.addAll(rows(table));
    }
    if (!isSqlite()) {
      lines.addAll(tables.look(COUNTERS));
    }
    return lines;
  }

  private static String oneLine(String sql) {
    return sql.replaceAll("--[^\n]*", "").replaceAll("\\s+", " ").strip();
  }

  private List<String> rows(String table) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT * FROM " + table + " ORDER BY 1")) {
      ResultSetMetaData columns = rows.getMetaData();
      List<String> lines = new ArrayList<>();
      while (rows.next()) {
        List<String> names = new ArrayList<>();
        List<String> values = new ArrayList<>();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
          names.add(columns.getColumnName(i));
          values.add(literal(rows.getObject(i)));
        }
        lines.add("INSERT INTO " + table + " (" + String.join(", ", names) + ") VALUES (" + String.join(", ", values)
            + ")");
      }
      return lines;
    }
  }

  private String literal(@org.jspecify.annotations.Nullable Object value) {
    return switch (value) {
      case null -> "NULL";
      case Number number -> number.toString();
      case byte[] bytes when isSqlite() -> "X'" + HexFormat.of().formatHex(bytes) + "'";
      case byte[] bytes -> "'\\x" + HexFormat.of().formatHex(bytes) + "'";
      default -> quoted(value.toString());
    };
  }

  private static String quoted(String text) {
    if (text.indexOf('\n') >= 0) {
      throw new IllegalStateException("a value has more than one line: " + text);
    }
    return "'" + text.replace("'", "''") + "'";
  }

  /** Loads a dump into an empty database. */
  public void load(List<String> lines) {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String line : lines) {
        statement.execute(line);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
