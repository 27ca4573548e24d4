package fleet.tower.home.move;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.Session;

/**
 * The SQLite database of a home that moves. Its barriers bind every process, whatever its version, from its next
 * statement on, also one that has the database open:
 *
 * <ol>
 * <li><b>Stop work</b>: triggers abort new runs, claims and deliveries; those that exist can still end.
 * <li><b>Stop everything</b>: in one transaction, all tables get other names, so that nothing is changed, and nothing
 * outdated is read. From then on, {@link Database} shows the message of the table {@value Database#MOVED}.
 * </ol>
 */
final class HomeDatabase implements AutoCloseable {
  private static final String TRIGGER = "moving_";
  private static final String ASIDE = "moved_";
  private static final String TABLES = "SELECT name FROM sqlite_master WHERE type = 'table'"
      + " AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'schema_%' AND name <> '" + Database.MOVED + "'";
  private static final String TRIGGERS = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE '"
      + TRIGGER + "%'";

  private final Database database;

  HomeDatabase(Database database) {
    this.database = database;
  }

  /** Stops new runs, claims and deliveries. */
  void stopWork(String message) {
    database.writeDurably(session -> {
      removeTriggers(session);
      createTrigger(session, "begin", "INSERT ON runs", message);
      createTrigger(session, "claim", "UPDATE OF attempt ON tasks", message);
      createTrigger(session, "receive", "UPDATE OF receipt ON mailbox_messages WHEN NEW.state = 'leased'", message);
      return true;
    });
  }

  private static void createTrigger(Session session, String name, String event, String message) throws SQLException {
    session.execute("CREATE TRIGGER " + TRIGGER + name + " BEFORE " + event + " BEGIN SELECT RAISE(ABORT, '"
        + message.replace("'", "''") + "'); END");
  }

  private static void removeTriggers(Session session) throws SQLException {
    for (String trigger : session.query(TRIGGERS, row -> row.getString(1))) {
      session.execute("DROP TRIGGER " + trigger);
    }
  }

  /** Stops every use of the tables; sets the message if they are stopped already. */
  void stopEverything(String message) {
    database.writeDurably(session -> {
      removeTriggers(session);
      for (String table : session.query(TABLES, row -> row.getString(1))) {
        if (!table.startsWith(ASIDE)) {
          session.execute("ALTER TABLE " + table + " RENAME TO " + ASIDE + table);
        }
      }
      session.execute("CREATE TABLE IF NOT EXISTS " + Database.MOVED + " (message TEXT NOT NULL)");
      session.update("DELETE FROM " + Database.MOVED);
      return session.update("INSERT INTO " + Database.MOVED + " (message) VALUES (?)", message);
    });
  }

  /** Removes both barriers. */
  void resume() {
    database.writeDurably(session -> {
      removeTriggers(session);
      for (String table : session.query(TABLES, row -> row.getString(1))) {
        if (table.startsWith(ASIDE)) {
          session.execute("ALTER TABLE " + table + " RENAME TO " + table.substring(ASIDE.length()));
        }
      }
      session.execute("DROP TABLE IF EXISTS " + Database.MOVED);
      return true;
    });
  }

  /**
   * Reads rows of a table, under whichever name it has; none if there is no database yet.
   *
   * @param sql the query, in which {@code {table}} stands for the name
   */
  <T> List<T> read(String sql, String table, Session.RowReader<T> reader, @Nullable Object... values) {
    return database.read(session -> {
      Optional<String> aside = session.first(TABLES + " AND name = ?", row -> row.getString(1), ASIDE + table);
      return session.query(sql.replace("{table}", aside.orElse(table)), reader, values);
    }).orElse(List.of());
  }

  @Override
  public void close() {
    database.close();
  }
}
