package fleet.tower.platform.sql;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Direct access to the tables of a store, like an operator or another program. */
public record DirectTables(String url) {

  /** Changes rows. */
  public void change(String sql) {
    try (Connection connection = DriverManager.getConnection(url); Statement statement = connection.createStatement()) {
      statement.executeUpdate(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The last column of all rows of a query. */
  public List<String> look(String sql) {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> found = new ArrayList<>();
      while (rows.next()) {
        found.add(String.valueOf(rows.getString(rows.getMetaData().getColumnCount())));
      }
      return found;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
