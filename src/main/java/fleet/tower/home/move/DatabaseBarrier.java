package fleet.tower.home.move;

import java.sql.SQLException;
import java.util.List;

import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.Session;

/**
 * The barriers in the SQLite database of a home that moves: triggers that abort changes. They bind every process,
 * whatever its version, from its next statement on, also one that has the database open.
 */
final class DatabaseBarrier {
  private static final String PREFIX = "moving_";
  private static final String TABLES = "SELECT name FROM sqlite_master WHERE type = 'table'"
      + " AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'schema_%' ORDER BY name";
  private static final String TRIGGERS = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE '"
      + PREFIX + "%'";
  private static final List<String> CHANGES = List.of("INSERT", "UPDATE", "DELETE");

  private final Database database;

  DatabaseBarrier(Database database) {
    this.database = database;
  }

  /** Stops new runs, claims and deliveries; those that exist can still end. */
  void stopWork(String message) {
    replace(session -> {
      create(session, "begin", "INSERT ON runs", message);
      create(session, "claim", "UPDATE OF attempt ON tasks", message);
      create(session, "receive", "UPDATE OF receipt ON mailbox_messages WHEN NEW.state = 'leased'", message);
    });
  }

  /** Stops every change. */
  void stopChanges(String message) {
    replace(session -> {
      for (String table : session.query(TABLES, row -> row.getString(1))) {
        for (String change : CHANGES) {
          create(session, change + "_" + table, change + " ON " + table, message);
        }
      }
    });
  }

  void remove() {
    replace(_ -> {
    });
  }

  /** Triggers to create. */
  private interface Triggers {
    void create(Session session) throws SQLException;
  }

  private void replace(Triggers triggers) {
    database.writeDurably(session -> {
      for (String trigger : session.query(TRIGGERS, row -> row.getString(1))) {
        session.execute("DROP TRIGGER " + trigger);
      }
      triggers.create(session);
      return true;
    });
  }

  private static void create(Session session, String name, String event, String message) throws SQLException {
    session.execute("CREATE TRIGGER " + PREFIX + name + " BEFORE " + event + " BEGIN SELECT RAISE(ABORT, '"
        + message.replace("'", "''") + "'); END");
  }
}
