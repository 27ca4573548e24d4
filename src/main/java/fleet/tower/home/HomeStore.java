package fleet.tower.home;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Optional;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.home.move.HomeMove;
import fleet.tower.home.move.MarkFile;
import fleet.tower.home.move.StoreMark;
import fleet.tower.home.move.StoreMark.Store;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.DatabaseAdmission;
import fleet.tower.platform.sql.Session;

/**
 * The store that this program would use, held against the mark of its home. A program that would use another store is
 * refused before it changes or answers anything: locks in two places would not exclude each other. The first change of
 * a home without a mark writes it; of programs that do so at once, one wins and the others compare their own.
 */
final class HomeStore implements DatabaseAdmission {
  private static final String UNKNOWN = "";

  private final Path root;
  private final Store wanted;
  private final Supplier<String> ownDatabase;
  private volatile String identity = UNKNOWN;
  private volatile boolean isMarked;
  private volatile @Nullable String refusal;

  /**
   * @param wanted the store that the settings name, of which the database's identity is not known yet
   * @param ownDatabase the URL of the home's SQLite database
   */
  HomeStore(Path root, Store wanted, Supplier<String> ownDatabase) {
    this.root = root;
    this.wanted = wanted;
    this.ownDatabase = ownDatabase;
  }

  /** Throws if the mark names another store, as far as that can be told without the database. */
  void require() {
    Optional<StoreMark> mark = MarkFile.of(root).read();
    if (mark.isPresent()) {
      require(mark.get());
      isMarked = !wanted.isFleet();
    } else if (wanted.isFleet() && isInFiles()) {
      throw refusal(Store.OF_HOME);
    }
  }

  private void require(StoreMark mark) {
    if (mark.move() != null && mark.move().refuses(wanted.isFleet())) {
      refusal = mark.move().message();
      throw StorageException.moved(mark.move().message());
    }
    if (!mark.store().matches(present())) {
      throw refusal(mark.store());
    }
  }

  /** The wanted store, with the identity of its database if that is known. */
  private Store present() {
    return new Store(wanted.hasSharedLocks(), identity, wanted.database());
  }

  /** Whether a home without a mark, as other programs leave it, has something in its own files. */
  private boolean isInFiles() {
    return (wanted.hasSharedLocks() && hasLockFiles()) || HomeMove.hasContent(ownDatabase.get());
  }

  private boolean hasLockFiles() {
    Path locks = root.resolve("logs/locks");
    try (DirectoryStream<Path> files = Files.newDirectoryStream(locks, "*.lock")) {
      return files.iterator().hasNext();
    } catch (IOException unreadable) {
      return Files.exists(locks);
    }
  }

  private StorageException refusal(Store marked) {
    String remedy;
    if (marked.isFleet() && !wanted.isFleet()) {
      remedy = "set tower.database.url in " + HomeSettings.FILE;
    } else if (!marked.isFleet()) {
      remedy = "unset tower.database.url (TOWER_DATABASE_URL), or move them with `tower move`";
    } else {
      remedy = "correct tower.database.url and tower.lock.store in " + HomeSettings.FILE;
    }
    String problem = "the locks of this home are in ";
    String message = problem + marked.place() + ", and the settings of this program lead to " + wanted.place() + "; "
        + remedy;
    refusal = message;
    return new StorageException(message, problem + "another store than the settings of this program lead to", null);
  }

  /** Why this program was refused; null if it was not. */
  @Nullable
  String refusal() {
    return refusal;
  }

  @Override
  public void open(Session session, boolean isMigrated) throws SQLException {
    if (!wanted.isFleet()) {
      return;
    }
    identity = identity(session, isMigrated);
    StoreMark mark = MarkFile.of(root).read().orElse(null);
    if (mark == null) {
      return;
    }
    require(mark);
    if (identity.isEmpty()) {
      throw refusal(mark.store());
    }
    isMarked = true;
  }

  private static String identity(Session session, boolean isMigrated) throws SQLException {
    return isMigrated || hasTable(session, "database_identity")
        ? session.first(Database.IDENTITY, row -> row.getString(1)).orElse(UNKNOWN)
        : UNKNOWN;
  }

  private static boolean hasTable(Session session, String table) throws SQLException {
    return session.first("SELECT to_regclass(?) IS NOT NULL", row -> row.getBoolean(1), table).orElse(false);
  }

  /** Marks the home, unless that is done. */
  @Override
  public void write() {
    if (!isMarked) {
      mark(() -> identity);
    }
  }

  /**
   * Marks the home before its lock files are changed, unless that is done.
   *
   * @param opening opens the database, which other data of the home is in
   */
  void use(Runnable opening) {
    if (!isMarked) {
      mark(() -> {
        if (wanted.isFleet() && identity.isEmpty()) {
          opening.run();
        }
        return identity;
      });
    }
  }

  private synchronized void mark(Supplier<String> known) {
    String id = known.get();
    if (isMarked) {
      return;
    }
    if (!wanted.isFleet() || !id.isEmpty()) {
      require(MarkFile.of(root).create(present()));
      isMarked = true;
    }
  }
}
