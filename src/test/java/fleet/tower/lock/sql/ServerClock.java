package fleet.tower.lock.sql;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;

import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.ManualTime;

/**
 * A database of a user without the right to create tables, with a manual clock, shared with its users' clock: a
 * function of the same name hides the server's own.
 */
final class ServerClock {
  /** The server searches its own catalogue first, unless configured otherwise. */
  private static final String FIRST_OURS = "&options=-c%20search_path=public,pg_catalog";

  private final ManualTime time = new ManualTime("2025-12-18T10:30:10Z");
  private final PostgresServer.TwoUsers users = PostgresServer.newMigratedDatabaseOfTwoUsers();
  private final String plain = users.owner();

  ServerClock() {
    execute("CREATE TABLE moment (now TIMESTAMPTZ NOT NULL)");
    execute("INSERT INTO moment VALUES ('" + time.now() + "')");
    execute("CREATE FUNCTION public.clock_timestamp() RETURNS TIMESTAMPTZ LANGUAGE sql VOLATILE AS"
        + " 'SELECT now FROM public.moment'");
  }

  String url() {
    return users.app() + FIRST_OURS;
  }

  ManualTime time() {
    return time;
  }

  Instant now() {
    return time.now();
  }

  void pass(Duration duration) {
    time.advance(duration);
    execute("UPDATE moment SET now = '" + time.now() + "'");
  }

  /** Steps the server's clock alone. */
  void step(Duration by) {
    time.stepWallClock(by);
    execute("UPDATE moment SET now = '" + time.now() + "'");
  }

  /** Simulates that the server was promoted that many times. */
  void beginTimeline(int timeline) {
    execute("CREATE OR REPLACE FUNCTION public.pg_walfile_name(pg_lsn) RETURNS TEXT LANGUAGE sql AS 'SELECT ''"
        + String.format(java.util.Locale.ROOT, "%08X", timeline) + "0000000000000001'''");
  }

  void execute(String sql) {
    try (Connection connection = DriverManager.getConnection(plain);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  DirectTables tables() {
    return new DirectTables(plain);
  }
}
