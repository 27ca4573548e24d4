package fleet.tower.platform.sql;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Properties;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.KernelRandom;

/**
 * A PostgreSQL database, for the processes of any number of hosts.
 *
 * @param url with the user, the password and TLS as its driver knows them
 * @param lockTimeoutMillis how long one process waits for the others
 */
record Postgres(String url, int lockTimeoutMillis) implements Dialect {
  Postgres {
    PostgresUrl.require(url);
  }

  static final String URL = "jdbc:postgresql:";
  /** PostgreSQL's driver says so of what it did not expect, a URL for instance. */
  private static final String DRIVER_FAILED = "99999";
  /** Nobody else has it for something else: "tower" in ASCII. */
  private static final long TABLES = 0x746f776572L;
  /** When the statement came, not each time it is evaluated: one moment for a whole statement. */
  private static final String NOW = "CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000 AS BIGINT)";

  /** The server is there or it is not, which shows when it is used. */
  @Override
  public boolean exists() {
    return true;
  }

  @Override
  public void create() {
    // Somebody who may do so has made it.
  }

  /** A server whose commits wait for no disk is told otherwise; one that waits for more than its disk is left alone. */
  private static final String SYNCHRONOUS = "; SELECT set_config('synchronous_commit', 'on', false)"
      + " WHERE current_setting('synchronous_commit') = 'off'";
  /** Some seconds after a host has gone without a word, the server ends what it had there. */
  private static final String KEEPALIVES = "; SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2;"
      + " SET tcp_keepalives_count = 3; SET tcp_user_timeout = 12000";
  private static final RandomGenerator RANDOM = new KernelRandom();
  private static final int MILLIS_TO_END = 2000;

  /** What the URL says goes before what stands here. */
  @Override
  public Session open(Purpose purpose) throws SQLException {
    boolean isUrgent = purpose == Purpose.URGENT;
    String name = "tower " + HexFormat.of().toHexDigits(RANDOM.nextLong());
    Properties properties = new Properties();
    properties.setProperty("ApplicationName", name);
    properties.setProperty("connectTimeout", isUrgent ? "1" : "5");
    properties.setProperty("socketTimeout", isUrgent ? "1" : purpose == Purpose.SINGLE ? "10" : "30");
    properties.setProperty("tcpKeepAlive", "true");
    Session session = new Session(DriverManager.getConnection(url, properties), this, name);
    try {
      session.once("SET lock_timeout = " + (isUrgent ? 1000 : lockTimeoutMillis)
          + "; SET default_transaction_isolation = 'read committed'" + switch (purpose) {
            case DURABLE -> "";
            case SWIFT -> "; SET synchronous_commit = off";
            case READING -> "; SET default_transaction_read_only = on";
            case SINGLE, URGENT -> SYNCHRONOUS;
            case LISTENING -> SYNCHRONOUS + KEEPALIVES;
          });
      session.transact(purpose == Purpose.DURABLE || purpose == Purpose.SWIFT);
    } catch (SQLException e) {
      session.close();
      throw e;
    }
    return session;
  }

  /** The server ends it by the connection's name, which is safe where numbers of processes are used again. */
  @Override
  public void end(Session asked, Session by) throws SQLException {
    asked.close();
    boolean isOver = by.query("SELECT pg_terminate_backend(pid, " + MILLIS_TO_END
        + ") FROM pg_stat_activity WHERE application_name = ?", row -> row.getBoolean(1), asked.name()).stream()
        .allMatch(Boolean::booleanValue);
    if (!isOver) {
      throw new SQLException("the server goes on with what it was asked for on a connection that was cut", "08007");
    }
  }

  @Override
  public List<String> notices(Connection connection, Duration limit) throws SQLException {
    PGNotification[] told = connection.unwrap(PGConnection.class)
        .getNotifications(Math.clamp(limit.toMillis(), 1, Integer.MAX_VALUE));
    return told == null ? List.of() : Stream.of(told).map(PGNotification::getParameter).toList();
  }

  /** A connection is to one database for as long as it lives. */
  @Override
  public Object identity() {
    return URL;
  }

  @Override
  public void settle(Session session) {
    // It is for many at once as it is.
  }

  @Override
  public String beginWriting() {
    return "BEGIN";
  }

  /** Those who write at once wait for each other only at the rows that both want. */
  @Override
  public void begin(Session session) throws SQLException {
    // The driver begins one with the first statement, which saves a round trip to the server.
  }

  @Override
  public String claimTables() {
    return "SELECT pg_advisory_xact_lock(" + TABLES + ")";
  }

  @Override
  public String translate(String sql) {
    return sql.replace("{{counter}}", "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY").replace("{{now}}", NOW)
        .replace("{{lock}}", " FOR UPDATE").replace("{{lock_free}}", " FOR UPDATE SKIP LOCKED")
        .replace("{{share}}", " FOR SHARE");
  }

  @Override
  public int writers() {
    return 8;
  }

  @Override
  public boolean isOfOneHost() {
    return false;
  }

  /** The server looks after its files itself. */
  @Override
  public String damage(Session session) {
    return "";
  }

  @Override
  public boolean isMissingTable(SQLException error) {
    return state(error).equals("42P01");
  }

  @Override
  public boolean isBusy(SQLException error) {
    return state(error).equals("55P03");
  }

  /** A deadlock, or a conflict of transactions. */
  @Override
  public boolean isWorthAnotherTry(SQLException error) {
    return state(error).equals("40P01") || state(error).equals("40001");
  }

  /** By the network, or by a server that ends. */
  @Override
  public boolean isCut(SQLException error) {
    return state(error).startsWith("08") || state(error).matches("57P0[123]");
  }

  /** Callers are not told where the database is, which the driver's words say as well. */
  @Override
  public StorageException explain(SQLException error) {
    String state = state(error);
    return new StorageException(explained("the database " + name(), state) + " [" + state + driverText(error) + "]",
        explained("the database", state) + " [" + state + "]", error);
  }

  /** What the driver says of itself, and not the server, may repeat the whole URL. */
  private static String driverText(SQLException error) {
    return state(error).equals(DRIVER_FAILED)
        ? ""
        : " " + String.valueOf(error.getMessage()).lines().findFirst().orElse("");
  }

  private static String explained(String database, String state) {
    return switch (state.length() < 2 ? "" : state.substring(0, 2)) {
      case "08" -> database + " cannot be reached; look whether it runs, and at the URL";
      case "28" -> database + " does not let this user in; look at the user and the password in the URL";
      case "3D" -> database + " does not exist; have it made: createdb";
      case "53" -> database + " has no room or no connection left; look at its disk and at max_connections";
      case "57" -> database + " is being shut down or has cancelled the work; try again when it runs";
      case "55", "40" -> database + " was locked by another process for too long; see pg_stat_activity";
      case "42" -> state.equals("42501")
          ? database + " does not let this user make or use its tables; grant it the schema"
          : database + " does not work";
      default -> database + " does not work";
    };
  }

  /** Without parameters, which are where the user and the password are. */
  @Override
  public String name() {
    return "postgresql:" + url.substring(URL.length()).replaceFirst("(?s)[?].*", "");
  }

  private static String state(SQLException error) {
    return String.valueOf(error.getSQLState());
  }
}
