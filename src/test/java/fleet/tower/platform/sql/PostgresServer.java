package fleet.tower.platform.sql;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/**
 * A PostgreSQL server of this JVM, started on first use and stopped with the JVM. It syncs nothing, as no test cuts its
 * power, and does not visit its hundreds of databases to clean them; measurements set {@code postgres.durable}.
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
            .setServerConfig("synchronous_commit", "on").setServerConfig("full_page_writes", durable)
            .setServerConfig("autovacuum", durable).start();
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
    new DirectTables(url("postgres", "postgres")).change("CREATE DATABASE " + name + " STRATEGY file_copy");
    return url(name, "postgres");
  }

  private static String url(String database, String user) {
    return "jdbc:postgresql://localhost:" + Holder.SERVER.getPort() + "/" + database + "?user=" + user;
  }

  /** The URL of a new database with all tables, for a user who may not create or change tables. */
  public static String newMigratedDatabase() {
    TwoUsers users = newDatabaseOfTwoUsers();
    Database.schema(users.owner()).upgrade();
    return users.app();
  }

  /**
   * The URLs of one database.
   *
   * @param owner the URL of the user who may create tables
   *
   * @param app the URL of the user who may only use them
   */
  public record TwoUsers(String owner, String app) {}

  /** A new, empty database with the two users, and the rights that {@code docs/fleet.md} names. */
  public static TwoUsers newDatabaseOfTwoUsers() {
    String name = "tower_" + DATABASES.incrementAndGet();
    Roles.ready();
    Roles.documented().filter(statement -> !statement.startsWith("CREATE ROLE"))
        .forEach(
            statement -> new DirectTables(url(statement.startsWith("CREATE DATABASE") ? "postgres" : name, "postgres"))
                .change(statement.replaceFirst("DATABASE tower\\b", "DATABASE " + name)));
    return new TwoUsers(url(name, "tower_owner"), url(name, "tower_app"));
  }

  /** The users of two-user databases, created on first use. */
  private static final class Roles {
    static {
      documented().filter(statement -> statement.startsWith("CREATE ROLE"))
          .forEach(new DirectTables(url("postgres", "postgres"))::change);
    }

    static void ready() {
      // The initializer has run.
    }

    /** The statements of the page, in order. */
    static Stream<String> documented() {
      Path page = Path.of(System.getProperty("project.basedir", ""), "docs/fleet.md");
      try {
        String sql = Files.readString(page).split("```sql\n", 2)[1].split("```", 2)[0];
        return Stream.of(sql.replaceAll("(?m)^\\\\.*$", "").split(";")).map(String::strip)
            .filter(statement -> !statement.isEmpty());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
