package fleet.tower.platform.sql;

import static org.assertj.core.api.Assertions.assertThatCode;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Properties;
import java.util.SequencedMap;

import org.sqlite.SQLiteConfig;

import fleet.tower.harness.Await;

/**
 * The last few connections of tests to the shared PostgreSQL server, one for each URL. A new session costs the server
 * several times as much as a statement. Connections to other servers and databases are not kept.
 */
final class IdleConnections {
  private static final int MOST = 3;
  private static final int ANSWER_SECONDS = 60;
  /** By URL, in the order of their return. */
  private static final SequencedMap<String, Connection> IDLE = new LinkedHashMap<>();

  private IdleConnections() {}

  /** An idle connection that still works, or a new one. */
  static Connection take(String url) throws SQLException {
    Connection idle;
    synchronized (IDLE) {
      idle = IDLE.remove(url);
    }
    if (idle != null) {
      if (idle.isValid(ANSWER_SECONDS)) {
        return idle;
      }
      idle.close();
    }
    Properties settings = new Properties();
    if (url.startsWith("jdbc:sqlite:")) {
      settings.setProperty(SQLiteConfig.Pragma.BUSY_TIMEOUT.pragmaName, Long.toString(Await.LIMIT.toMillis()));
    }
    return DriverManager.getConnection(url, settings);
  }

  static void giveBack(String url, Connection connection) throws SQLException {
    Connection surplus = connection;
    if (PostgresServer.isShared(url)) {
      synchronized (IDLE) {
        surplus = IDLE.put(url, connection);
        if (IDLE.size() > MOST) {
          surplus = IDLE.pollFirstEntry().getValue();
        }
      }
    }
    if (surplus != null) {
      surplus.close();
    }
  }

  /** Closes all idle connections, because a database with a session cannot be copied. */
  static void closeAll() {
    synchronized (IDLE) {
      IDLE.values().forEach(connection -> assertThatCode(connection::close).doesNotThrowAnyException());
      IDLE.clear();
    }
  }
}
