package fleet.tower.platform.sql;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Direct access to the tables of a store, like an operator or another program. */
public record DirectTables(String url) {

  /** Changes rows. */
  public void change(String sql) {
    run(statement -> statement.executeUpdate(sql));
  }

  /** The last column of all rows of a query. */
  public List<String> look(String sql) {
    return run(statement -> {
      try (ResultSet rows = statement.executeQuery(sql)) {
        List<String> found = new ArrayList<>();
        while (rows.next()) {
          found.add(String.valueOf(rows.getString(rows.getMetaData().getColumnCount())));
        }
        return found;
      }
    });
  }

  private interface Use<T> {
    T of(Statement statement) throws SQLException;
  }

  private <T> T run(Use<T> use) {
    try {
      Connection connection = IdleConnections.take(url);
      boolean isUsable = false;
      try (Statement statement = connection.createStatement()) {
        T result = use.of(statement);
        isUsable = true;
        return result;
      } finally {
        if (isUsable) {
          IdleConnections.giveBack(url, connection);
        } else {
          connection.close();
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
