package fleet.tower.platform.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

import fleet.tower.platform.StorageException;

/** A dialect whose lost connections are observed, and which opens no connection during an outage. */
record ObservedDialect(Dialect dialect, Reachability reachability) implements Dialect {

  /** Connections of urgent statements are always tried: a heartbeat must not wait for the next probe. */
  @Override
  public Session open(Purpose purpose) throws SQLException {
    if (purpose != Purpose.URGENT) {
      reachability.requireUp();
    }
    Session session = dialect.open(purpose);
    reachability.answered();
    return session;
  }

  @Override
  public void requireUp() throws SQLException {
    reachability.requireUp();
  }

  @Override
  public StorageException explain(SQLException error) {
    StorageException explained = dialect.explain(error);
    if (!explained.isOutage() || !reachability.isReporting()) {
      return explained;
    }
    reachability.suspect();
    return explained.ofReportedOutage();
  }

  @Override
  public boolean exists() {
    return dialect.exists();
  }

  @Override
  public void create() {
    dialect.create();
  }

  @Override
  public void terminate(Session target, Session via) throws SQLException {
    dialect.terminate(target, via);
  }

  @Override
  public List<String> notifications(Connection connection, Duration limit) throws SQLException {
    return dialect.notifications(connection, limit);
  }

  @Override
  public Object identity() {
    return dialect.identity();
  }

  @Override
  public void initialize(Session session) throws SQLException {
    dialect.initialize(session);
  }

  @Override
  public String beginWriting() {
    return dialect.beginWriting();
  }

  @Override
  public void begin(Session session) throws SQLException {
    dialect.begin(session);
  }

  @Override
  public String lockSchema() {
    return dialect.lockSchema();
  }

  @Override
  public boolean mayChangeSchema(Session session) throws SQLException {
    return dialect.mayChangeSchema(session);
  }

  @Override
  public String translate(String sql) {
    return dialect.translate(sql);
  }

  @Override
  public int writers() {
    return dialect.writers();
  }

  @Override
  public boolean isOfOneHost() {
    return dialect.isOfOneHost();
  }

  @Override
  public String damage(Session session) throws SQLException {
    return dialect.damage(session);
  }

  @Override
  public boolean isMissingTable(SQLException error) {
    return dialect.isMissingTable(error);
  }

  @Override
  public boolean isBusy(SQLException error) {
    return dialect.isBusy(error);
  }

  @Override
  public boolean isRetryable(SQLException error) {
    return dialect.isRetryable(error);
  }

  @Override
  public boolean isConnectionLost(SQLException error) {
    return dialect.isConnectionLost(error);
  }

  @Override
  public String name() {
    return dialect.name();
  }
}
