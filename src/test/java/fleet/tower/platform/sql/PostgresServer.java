package fleet.tower.platform.sql;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import fleet.tower.harness.Await;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/**
 * A PostgreSQL server of this JVM, started on first use and stopped with the JVM. It syncs nothing, as no test cuts its
 * power, and does not visit its hundreds of databases to clean them; measurements set {@code postgres.durable}.
 *
 * <p>A JVM that a test starts with {@link #lent} uses the server of that test.
 */
public final class PostgresServer {
  private static final AtomicInteger DATABASES = new AtomicInteger();
  /** The port of another JVM's server, and its database with all tables; empty if this JVM has its own server. */
  private static final String LENT = System.getProperty("postgres.lent", "");
  /** Zero until the server has been started. */
  private static volatile int port;

  private PostgresServer() {}

  private static final class Holder {
    static final int PORT = LENT.isEmpty() ? start() : Integer.parseInt(LENT.replaceFirst(":.*", ""));

    static {
      port = PORT;
    }

    private static int start() {
      try {
        String durable = Boolean.getBoolean("postgres.durable") ? "on" : "off";
        return EmbeddedPostgres.builder().setServerConfig("fsync", durable)
            .setServerConfig("synchronous_commit", "on").setServerConfig("full_page_writes", durable)
            .setServerConfig("autovacuum", durable).start().getPort();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** The option of a JVM that is to use this server, also at the same time as others. */
  public static String lent() {
    return "-Dpostgres.lent=" + Holder.PORT + ":" + Template.NAME;
  }

  private static String newName() {
    return "tower_" + (LENT.isEmpty() ? "" : ProcessHandle.current().pid() + "_") + DATABASES.incrementAndGet();
  }

  /** The directory with the unpacked programs of PostgreSQL. */
  static String programs() {
    return new DirectTables(newDatabase()).look("SELECT setting FROM pg_config WHERE name = 'BINDIR'").getFirst();
  }

  /** The URL of a new, empty database. */
  public static String newDatabase() {
    String name = newName();
    new DirectTables(url("postgres", "postgres")).change("CREATE DATABASE " + name + " STRATEGY file_copy");
    return url(name, "postgres");
  }

  private static String url(String database, String user) {
    return "jdbc:postgresql://localhost:" + Holder.PORT + "/" + database + "?user=" + user;
  }

  /** Whether a URL is one of this server's databases. */
  static boolean isShared(String url) {
    return url.startsWith("jdbc:postgresql://localhost:" + port + "/");
  }

  /** The URL of a new database with all tables, for a user who may not create or change tables. */
  public static String newMigratedDatabase() {
    return newMigratedDatabaseOfTwoUsers().app();
  }

  /** A new database with all tables and the two users: a copy of one, which takes a tenth of the migration's time. */
  public static TwoUsers newMigratedDatabaseOfTwoUsers() {
    String name = newName();
    DirectTables server = new DirectTables(url("postgres", "postgres"));
    Roles.documented().filter(statement -> statement.contains("DATABASE"))
        .map(statement -> statement.replaceFirst("DATABASE tower\\b", "DATABASE " + name))
        .map(statement -> statement.startsWith("CREATE") ? statement + Template.COPIED : statement)
        .forEach(server::change);
    return new TwoUsers(url(name, "tower_owner"), url(name, "tower_app"));
  }

  /** The database that is copied, created on first use. A session in it would prevent a copy. */
  private static final class Template {
    static final String NAME = LENT.isEmpty() ? migrate(newDatabaseOfTwoUsers()) : LENT.replaceFirst(".*:", "");
    static final String COPIED = " TEMPLATE " + NAME + " STRATEGY file_copy";

    private static String migrate(TwoUsers users) {
      Database.schema(users.owner()).upgrade();
      String name = users.owner().replaceFirst(".*/", "").replaceFirst("[?].*", "");
      IdleConnections.closeAll();
      DirectTables server = new DirectTables(url("postgres", "postgres"));
      Await.until("all sessions in the database have ended",
          () -> server.look("SELECT pid FROM pg_stat_activity WHERE datname = '" + name + "'").isEmpty());
      return name;
    }
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
    String name = newName();
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
      if (LENT.isEmpty()) {
        documented().filter(statement -> statement.startsWith("CREATE ROLE"))
            .forEach(new DirectTables(url("postgres", "postgres"))::change);
      }
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
