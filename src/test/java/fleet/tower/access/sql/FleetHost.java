package fleet.tower.access.sql;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import fleet.tower.access.Access;
import fleet.tower.access.TokenLifetime;
import fleet.tower.access.Tokens;
import fleet.tower.access.file.AccessFiles;
import fleet.tower.platform.Finding;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.Notifications;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.platform.time.TimeSource;

/** A host of a fleet, with a home and connections of its own. */
final class FleetHost implements AutoCloseable {
  /** For looks that may take more than a second on a busy machine: time that does not pass. */
  private static final Scheduler NO_LIMIT = new ManualTime();

  private final Path home;
  private final Database database;
  private final Notifications notifications;
  private final String name;
  private final TimeSource time;
  private AccessFiles files;
  private SqlTokens factory;
  private final List<String> news = new CopyOnWriteArrayList<>();
  private final List<String> warnings = new CopyOnWriteArrayList<>();

  FleetHost(Path directory, String name, String url, TimeSource time) {
    this.home = directory.resolve(name);
    this.database = Database.at(url);
    this.notifications = new Notifications(database, SystemTime.scheduler());
    this.name = name;
    this.time = time;
    limit(TokenLifetime.ANY);
  }

  /** Limits the age of the tokens that are created and accepted from now on. */
  void limit(TokenLifetime lifetime) {
    files = new AccessFiles(home.resolve("state"), home.resolve("config"), lifetime, time, warnings::add);
    factory = new SqlTokens(database, files.operator(), files.uses(), lifetime, time, name);
  }

  Access open() {
    return files.open(
        factory.open(new SecureRandom(), notifications, NO_LIMIT, news::add, warnings::add),
        new SecureRandom());
  }

  /** Access that hears of changes only when it looks. */
  Access openDeaf(TimeSource time) {
    return openDeaf(time, NO_LIMIT);
  }

  /** @param limits ends the looks that take longer than a second */
  Access openDeaf(TimeSource time, Scheduler limits) {
    TokenTables tables = new TokenTables(database);
    return files.open(new FleetTokenSource(tables, time, limits, warnings::add), new SecureRandom());
  }

  Tokens tokens() {
    return factory.tokens(new SecureRandom());
  }

  Path tokenFile() {
    return home.resolve("state/token");
  }

  /** The operator's token of this host; empty if it has none. */
  String operator() {
    try {
      return Files.exists(tokenFile()) ? Files.readString(tokenFile()).strip() : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes an operator's token, as a Secret or an earlier life of the home. */
  String haveOperator(String token) {
    try {
      Files.createDirectories(tokenFile().getParent());
      Files.setPosixFilePermissions(tokenFile().getParent(), PosixFilePermissions.fromString("rwx------"));
      Files.writeString(tokenFile(), token + "\n");
      Files.setPosixFilePermissions(tokenFile(), PosixFilePermissions.fromString("rw-------"));
      return token;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The findings about the tokens of the fleet. */
  List<Finding> findings() {
    return factory.examination(files.tokens(new SecureRandom())).examine();
  }

  List<String> news() {
    return news;
  }

  List<String> warnings() {
    return warnings;
  }

  @Override
  public void close() {
    notifications.close();
    database.close();
  }
}
