package fleet.tower.platform.sql;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/**
 * A PostgreSQL server of this JVM, started on first use and stopped with the JVM. It syncs nothing, as no test cuts its
 * power; measurements set {@code postgres.durable}.
 */
public final class PostgresServer {
  private static final AtomicInteger DATABASES = new AtomicInteger();

  private PostgresServer() {}

  private static final class Holder {
    static final EmbeddedPostgres SERVER = start();

    private static EmbeddedPostgres start() {
      try {
        String durable = Boolean.getBoolean("postgres.durable") ? "on" : "off";
        return EmbeddedPostgres.builder().setServerConfig("fsync", durable)
            .setServerConfig("synchronous_commit", "on").setServerConfig("full_page_writes", durable).start();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** The directory with the unpacked programs of PostgreSQL. */
  static String programs() {
    return new DirectTables(newDatabase()).look("SELECT setting FROM pg_config WHERE name = 'BINDIR'").getFirst();
  }

  /** The URL of a new, empty database. */
  public static String newDatabase() {
    String name = "tower_" + DATABASES.incrementAndGet();
    try (Connection connection = Holder.SERVER.getPostgresDatabase().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE " + name);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    return "jdbc:postgresql://localhost:" + Holder.SERVER.getPort() + "/" + name + "?user=postgres";
  }
}
