package fleet.tower.task.sql;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The tables behind a task store, looked at and changed from beside. */
public record TaskDatabase(String url) {

  /** Moves all claims into the past, which is the same for the store as if so much time had gone by. */
  void pass(Duration duration) {
    long millis = duration.toMillis();
    change("UPDATE tasks SET claimed_at = claimed_at - " + millis + ", claim_expires_at = claim_expires_at - " + millis
        + ", last_heartbeat_at = last_heartbeat_at - " + millis + ", boot_until = boot_until - " + millis
        + ", boot_beat = boot_beat - " + millis + " WHERE claimed_by IS NOT NULL");
  }

  void change(String sql) {
    try (Connection connection = DriverManager.getConnection(url); Statement statement = connection.createStatement()) {
      statement.executeUpdate(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The first column of all rows. */
  List<String> look(String sql) {
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
