package fleet.tower.platform.sql;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.sql.ReleasedStatements.Execution;

/**
 * A driver that takes precedence for one database of this JVM and records the statements of all its connections. It
 * records neither the ends of transactions nor the reading of the schema's version, which differs after an upgrade.
 */
public final class StatementRecorder implements Driver, AutoCloseable {
  private final String url;
  private final List<Recorded> recorded = new ArrayList<>();
  private int connections;

  /** An execution whose rows may still be read. */
  private record Recorded(int connection, String sql, String parameters, AtomicInteger rows) {
    Execution execution() {
      return new Execution(connection, sql, parameters, rows.get());
    }
  }

  /** Records from now on what is executed at a URL. */
  public StatementRecorder(String url) throws SQLException {
    this.url = url;
    List<Driver> before = DriverManager.drivers().toList();
    DriverManager.registerDriver(this);
    // Drivers are asked in the order of their registration; there is one for other databases at every moment.
    for (Driver driver : before) {
      if (driver instanceof org.postgresql.Driver) {
        DriverManager.registerDriver(new org.postgresql.Driver());
        DriverManager.deregisterDriver(driver);
      }
    }
  }

  @Override
  public void close() throws SQLException {
    DriverManager.deregisterDriver(this);
  }

  /** What was executed since the last call. */
  public List<Execution> take() {
    synchronized (recorded) {
      List<Execution> taken = recorded.stream().map(Recorded::execution).toList();
      recorded.clear();
      return taken;
    }
  }

  @Override
  public @Nullable Connection connect(String address, Properties properties) throws SQLException {
    if (!acceptsURL(address)) {
      return null;
    }
    Connection connection = new org.postgresql.Driver().connect(address, properties);
    if (connection == null) {
      throw new SQLException("not an address of PostgreSQL: " + address);
    }
    int number;
    synchronized (recorded) {
      number = ++connections;
    }
    return proxy(Connection.class, connection, (name, arguments, result) -> {
      if (name.equals("close")) {
        add(new Recorded(number, "", "[]", new AtomicInteger()));
      }
      return result instanceof PreparedStatement prepared && arguments[0] instanceof String sql
          ? statement(number, sql, prepared)
          : result;
    });
  }

  private PreparedStatement statement(int connection, String sql, PreparedStatement statement) {
    List<@Nullable Object> parameters = new ArrayList<>();
    return proxy(PreparedStatement.class, statement, (name, arguments, result) -> {
      if (name.equals("setObject")) {
        int index = (Integer) arguments[0];
        while (parameters.size() < index) {
          parameters.add(null);
        }
        parameters.set(index - 1, arguments[1]);
      } else if (name.startsWith("execute")) {
        AtomicInteger rows = new AtomicInteger(result instanceof Integer changed ? changed : 0);
        add(new Recorded(connection, sql, ReleasedStatements.json(parameters), rows));
        return result instanceof ResultSet found ? counted(found, rows) : result;
      }
      return result;
    });
  }

  private static ResultSet counted(ResultSet found, AtomicInteger rows) {
    return proxy(ResultSet.class, found, (name, _, result) -> {
      if (name.equals("next") && Boolean.TRUE.equals(result)) {
        rows.incrementAndGet();
      }
      return result;
    });
  }

  private void add(Recorded execution) {
    if (!execution.sql().matches("COMMIT|ROLLBACK|.* schema_versions.*")) {
      synchronized (recorded) {
        recorded.add(execution);
      }
    }
  }

  /** What is done with the result of a method. */
  private interface After {
    @Nullable
    Object result(String method, Object[] arguments, @Nullable Object result) throws SQLException;
  }

  private static <T> T proxy(Class<T> type, T target, After after) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[]{type}, (_, method, arguments) -> {
      try {
        Object[] given = arguments == null ? new Object[0] : Arrays.copyOf(arguments, arguments.length);
        return after.result(method.getName(), given, method.invoke(target, arguments));
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }));
  }

  @Override
  public boolean acceptsURL(String address) {
    return address.equals(url);
  }

  @Override
  public DriverPropertyInfo[] getPropertyInfo(String address, Properties properties) {
    return new DriverPropertyInfo[0];
  }

  @Override
  public int getMajorVersion() {
    return 1;
  }

  @Override
  public int getMinorVersion() {
    return 0;
  }

  @Override
  public boolean jdbcCompliant() {
    return false;
  }

  @Override
  public Logger getParentLogger() {
    return Logger.getLogger(StatementRecorder.class.getName());
  }
}
