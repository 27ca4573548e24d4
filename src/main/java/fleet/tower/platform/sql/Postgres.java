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
 * A PostgreSQL database, shared by processes of any number of hosts.
 *
 * @param url the JDBC URL, with the user, the password and TLS parameters of the driver
 * @param lockTimeoutMillis how long a statement waits for locks of others
 */
record Postgres(String url, int lockTimeoutMillis) implements Dialect {
  Postgres {
    PostgresUrl.require(url);
  }

  static final String URL = "jdbc:postgresql:";
  /** The SQL state that the PostgreSQL driver uses for unexpected errors, such as an unreadable URL. */
  private static final String DRIVER_FAILED = "99999";
  /** The key of the advisory lock on the schema: "tower" in ASCII. */
  private static final long SCHEMA_LOCK = 0x746f776572L;
  /** Only the owner of a table may change it; all tables have the owner of the first. */
  private static final String MAY_CHANGE_SCHEMA = "SELECT COALESCE(has_schema_privilege(current_schema(), 'CREATE')"
      + " AND COALESCE((SELECT pg_has_role(relowner, 'USAGE') FROM pg_class"
      + " WHERE oid = to_regclass('schema_versions')), TRUE), FALSE)";
  /** The start of the statement: one moment for the whole statement. */
  private static final String NOW = "CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000 AS BIGINT)";

  /** Always true; whether the server is running is detected on first use. */
  @Override
  public boolean exists() {
    return true;
  }

  @Override
  public void create() {
    // An administrator creates it.
  }

  /** Turns on synchronous commits if the server has turned them off; stricter settings are kept. */
  private static final String SYNCHRONOUS = "; SELECT set_config('synchronous_commit', 'on', false)"
      + " WHERE current_setting('synchronous_commit') = 'off'";
  /** Makes the server end the connections of a vanished host after some seconds. */
  private static final String KEEPALIVES = "; SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2;"
      + " SET tcp_keepalives_count = 3; SET tcp_user_timeout = 12000";
  private static final RandomGenerator RANDOM = new KernelRandom();
  private static final int TERMINATE_MILLIS = 2000;

  /** Opens a connection; parameters of the URL take precedence over these defaults. */
  @Override
  public Session open(Purpose purpose) throws SQLException {
    boolean isUrgent = purpose == Purpose.URGENT;
    String name = "tower " + HexFormat.of().toHexDigits(RANDOM.nextLong());
    Properties properties = new Properties();
    properties.setProperty("ApplicationName", name);
    properties.setProperty("connectTimeout", isUrgent ? "1" : "5");
    properties.setProperty("socketTimeout", switch (purpose) {
      case URGENT -> "1";
      case PROBING -> "5";
      case SINGLE -> "10";
      case DURABLE, SWIFT, READING, LISTENING -> "30";
    });
    properties.setProperty("tcpKeepAlive", "true");
    Session session = new Session(DriverManager.getConnection(url, properties), this, name);
    try {
      session.execute("SET lock_timeout = " + (isUrgent ? 1000 : lockTimeoutMillis)
          + "; SET default_transaction_isolation = 'read committed'" + switch (purpose) {
            case DURABLE, PROBING -> "";
            case SWIFT -> "; SET synchronous_commit = off";
            case READING -> "; SET default_transaction_read_only = on";
            case SINGLE, URGENT -> SYNCHRONOUS;
            case LISTENING -> SYNCHRONOUS + KEEPALIVES;
          });
      session.useTransactions(purpose == Purpose.DURABLE || purpose == Purpose.SWIFT);
    } catch (SQLException e) {
      session.close();
      throw e;
    }
    return session;
  }

  /** Ends the server process by the name of the connection, because process ids are reused. */
  @Override
  public void terminate(Session target, Session via) throws SQLException {
    target.close();
    boolean isOver = isTerminated(target, via);
    if (!isOver) {
      // One that ended by itself meanwhile was not terminated, and is not listed any more.
      isOver = isTerminated(target, via);
    }
    if (!isOver) {
      throw new SQLException("the server is still executing the request of a lost connection", "08007");
    }
  }

  private static boolean isTerminated(Session target, Session via) throws SQLException {
    via.execute("SELECT pg_stat_clear_snapshot()");
    return via.query("SELECT pg_terminate_backend(pid, " + TERMINATE_MILLIS
        + ") FROM pg_stat_activity WHERE application_name = ?", row -> row.getBoolean(1), target.name()).stream()
        .allMatch(Boolean::booleanValue);
  }

  @Override
  public List<String> notifications(Connection connection, Duration limit) throws SQLException {
    PGNotification[] received = connection.unwrap(PGConnection.class)
        .getNotifications(Math.clamp(limit.toMillis(), 1, Integer.MAX_VALUE));
    return received == null ? List.of() : Stream.of(received).map(PGNotification::getParameter).toList();
  }

  /** Constant, because a connection stays with one database. */
  @Override
  public Object identity() {
    return URL;
  }

  @Override
  public void initialize(Session session) {
    // PostgreSQL needs no preparation.
  }

  @Override
  public String beginWriting() {
    return "BEGIN";
  }

  /** Parallel writers wait for each other only at rows that both change. */
  @Override
  public void begin(Session session) throws SQLException {
    // The driver begins it with the first statement, which saves a round trip to the server.
  }

  @Override
  public String lockSchema() {
    return "SELECT pg_advisory_xact_lock(" + SCHEMA_LOCK + ")";
  }

  @Override
  public boolean mayChangeSchema(Session session) throws SQLException {
    return session.query(MAY_CHANGE_SCHEMA, row -> row.getBoolean(1)).getFirst();
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

  /** Always empty; the server checks its files itself. */
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

  /** A deadlock or a serialization failure. */
  @Override
  public boolean isRetryable(SQLException error) {
    return state(error).equals("40P01") || state(error).equals("40001");
  }

  /** A network error, or a server that shuts down. */
  @Override
  public boolean isConnectionLost(SQLException error) {
    return state(error).startsWith("08") || state(error).matches("57P0[123]");
  }

  /** The public message omits the location of the database, which the driver's message contains. */
  @Override
  public StorageException explain(SQLException error) {
    String state = state(error);
    String message = explained("the database " + name(), state) + " [" + state + driverText(error) + "]";
    return isConnectionLost(error)
        ? StorageException.unreachable(message, "the database cannot be reached; try again when it is back", error)
        : new StorageException(message, explained("the database", state) + " [" + state + "]", error);
  }

  /** The driver's own errors are omitted, because they may contain the whole URL. */
  private static String driverText(SQLException error) {
    return state(error).equals(DRIVER_FAILED)
        ? ""
        : " " + String.valueOf(error.getMessage()).lines().findFirst().orElse("");
  }

  private static String explained(String database, String state) {
    return switch (state.length() < 2 ? "" : state.substring(0, 2)) {
      case "08" -> database + " cannot be reached; check that it runs, and check the URL";
      case "28" -> database + " rejects this user; check the user and the password in the URL";
      case "3D" -> database + " does not exist; create it with createdb";
      case "53" -> database + " has no disk space or no connection left; check its disk and max_connections";
      case "57" -> database + " is shutting down or has cancelled the statement; try again when it runs";
      case "55", "40" -> database + " was locked by another process for too long; see pg_stat_activity";
      case "42" -> state.equals("42501")
          ? database + " denies this user access to its tables; grant the user privileges on the schema"
          : database + " does not work";
      default -> database + " does not work";
    };
  }

  /** The URL without its parameters, which contain the user and the password. */
  @Override
  public String name() {
    return "postgresql:" + url.substring(URL.length()).replaceFirst("(?s)[?].*", "");
  }

  private static String state(SQLException error) {
    return String.valueOf(error.getSQLState());
  }
}
