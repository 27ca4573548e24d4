package fleet.tower.platform.sql;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;

import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;
import org.sqlite.SQLiteOpenMode;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.OwnerOnly;

/**
 * A database in one file, for every process of one host.
 *
 * @param busyTimeoutMillis how long one process waits for the others
 */
record Sqlite(Path file, int busyTimeoutMillis) implements Dialect {
  static final String URL = "jdbc:sqlite:";
  /** Rounded down, as a moment is everywhere; one moment for a whole statement. */
  private static final String NOW = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";
  private static final int WAIT_MILLIS = 20;
  private static final String WAIT = "PRAGMA busy_timeout = ";
  /** Each time somebody else has changed the mode or is about to; that cannot go on for long. */
  private static final int MOST_ATTEMPTS = 100;
  private static final Set<PosixFilePermission> MODE = PosixFilePermissions.fromString("rw-------");

  Sqlite {
    if (file.toString().contains("?")) {
      throw new StorageException("the path of a database may not hold '?': "
          + file.toString().replaceFirst("(?s)[?].*=.*", "?…") + "; use another home");
    }
    file = file.toAbsolutePath();
  }

  @Override
  public boolean exists() {
    return Files.exists(file);
  }

  /** SQLite gives the files beside the database the mode that the database has. */
  @Override
  public void create() {
    if (exists()) {
      return;
    }
    Path directory = file.resolveSibling("");
    try {
      boolean isNewDirectory = !Files.exists(directory);
      OwnerOnly.makeDirectories(directory);
      Files.createFile(file, OwnerOnly.FILE);
      OwnerOnly.sync(directory);
      if (isNewDirectory && directory.getParent() != null) {
        OwnerOnly.sync(directory.getParent());
      }
    } catch (FileAlreadyExistsException otherProcess) {
      return;
    } catch (IOException e) {
      throw new StorageException("the database " + file + " cannot be made: " + Errno.describeWithFile(e)
          + "; make " + directory + " a directory that this user may write", e);
    }
  }

  @Override
  public Session open(Purpose purpose) throws SQLException {
    SqliteLibrary.keepIn(file.resolveSibling(""));
    SQLiteConfig config = new SQLiteConfig();
    config.resetOpenMode(SQLiteOpenMode.CREATE);
    config.setBusyTimeout(busyTimeoutMillis);
    config.enforceForeignKeys(true);
    config.setSynchronous(
        purpose == Purpose.SWIFT || purpose == Purpose.READING
            ? SQLiteConfig.SynchronousMode.NORMAL
            : SQLiteConfig.SynchronousMode.FULL);
    Session session = new Session(config.createConnection(URL + file), this, name());
    try {
      switch (purpose) {
        case DURABLE, SINGLE, URGENT, LISTENING -> {
        }
        // The log is moved into the database, which needs syncs, by those who wait for the disk anyway.
        case SWIFT -> session.once("PRAGMA wal_autocheckpoint = 0");
        case READING -> session.once("PRAGMA query_only = ON");
      }
    } catch (SQLException e) {
      session.close();
      throw e;
    }
    return session;
  }

  /** What runs in this process has ended when its caller hears of it. */
  @Override
  public void end(Session asked, Session by) {
    asked.close();
  }

  @Override
  public List<String> notices(Connection connection, Duration limit) {
    throw new IllegalStateException("nobody tells anything in " + file + ": SQLite has no channels");
  }

  @Override
  public Object identity() {
    try {
      BasicFileAttributes attributes = file.getFileSystem().provider().readAttributesIfExists(file,
          BasicFileAttributes.class);
      return attributes == null || attributes.fileKey() == null ? GONE : attributes.fileKey();
    } catch (IOException e) {
      throw new StorageException("the database " + file + " cannot be found: " + Errno.describe(e), e);
    }
  }

  /**
   * Turns the write-ahead log on. SQLite does not wait when two do that at once, the second fails; so it waits for the first
   * by a transaction, for which it does, and looks again.
   */
  @Override
  public void settle(Session session) throws SQLException {
    protect();
    for (int attempt = 1; !session.query("PRAGMA journal_mode", row -> row.getString(1)).contains("wal"); attempt++) {
      try {
        session.query("PRAGMA journal_mode = WAL", row -> row.getString(1));
      } catch (SQLException e) {
        if (!isBusy(e) || attempt == MOST_ATTEMPTS) {
          throw e;
        }
        session.update(beginWriting());
        session.update("COMMIT");
      }
    }
  }

  /** Also where somebody else made the file. */
  private void protect() {
    try {
      if (!Files.getPosixFilePermissions(file).equals(MODE)) {
        Files.setPosixFilePermissions(file, MODE);
      }
    } catch (IOException e) {
      throw new StorageException("the database " + file + " cannot be kept from others: " + Errno.describe(e)
          + "; make this user its owner, and chmod 600 it", e);
    }
  }

  @Override
  public String beginWriting() {
    return "BEGIN IMMEDIATE";
  }

  /**
   * SQLite looks again after 1, 2, 5, 10, … 100 ms, so that whoever has waited long looks seldom, and those who have just come
   * are always before him: of eight processes that write without a pause some got nothing for five seconds. So the wait
   * begins anew every few milliseconds, for as long in all.
   */
  @Override
  public void begin(Session session) throws SQLException {
    session.query(WAIT + WAIT_MILLIS, row -> row.getInt(1));
    for (int waited = WAIT_MILLIS;; waited += WAIT_MILLIS) {
      try {
        session.update(beginWriting());
        session.query(WAIT + busyTimeoutMillis, row -> row.getInt(1));
        return;
      } catch (SQLException e) {
        if (!isBusy(e) || waited >= busyTimeoutMillis) {
          throw e;
        }
      }
    }
  }

  /** Who writes is alone. */
  @Override
  public String claimTables() {
    return "SELECT 1";
  }

  @Override
  public String translate(String sql) {
    return sql.replace("{{counter}}", "INTEGER PRIMARY KEY").replace("{{now}}", NOW).replace("{{lock}}", "")
        .replace("{{lock_free}}", "").replace("{{share}}", "");
  }

  @Override
  public int writers() {
    return 1;
  }

  @Override
  public boolean isOfOneHost() {
    return true;
  }

  @Override
  public String damage(Session session) throws SQLException {
    String first = session.query("PRAGMA quick_check(1)", row -> row.getString(1)).getFirst();
    return first.equals("ok") ? "" : first.replace('\n', ' ');
  }

  @Override
  public boolean isMissingTable(SQLException error) {
    return code(error) == SQLiteErrorCode.SQLITE_ERROR.code
        && String.valueOf(error.getMessage()).contains("no such table");
  }

  @Override
  public boolean isBusy(SQLException error) {
    return code(error) == SQLiteErrorCode.SQLITE_BUSY.code;
  }

  /** Who waits for the others waits in the database itself. */
  @Override
  public boolean isWorthAnotherTry(SQLException error) {
    return false;
  }

  /** There is nothing between us and the file. */
  @Override
  public boolean isCut(SQLException error) {
    return false;
  }

  @Override
  public StorageException explain(SQLException error) {
    String database = "the database " + file;
    SQLiteErrorCode code = fullCode(error);
    String message = switch (SQLiteErrorCode.getErrorCode(code(error))) {
      case SQLITE_FULL -> "the disk of " + database + " is full; make room on it";
      case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL ->
        database + " was locked by another process for too long; see who has it open (fuser " + file + ")";
      case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH ->
        database + " cannot be written; make it and its directory writable for this user";
      case SQLITE_CANTOPEN ->
        database + " cannot be opened; make " + file.getParent() + " a directory that this user may write";
      case SQLITE_CORRUPT ->
        database + " is damaged; stop what uses it, then put a backup in its place or move it away";
      case SQLITE_NOTADB -> file + " is not a database; move it away, or put a backup in its place";
      case SQLITE_IOERR -> database + " could not be read or written; look at its disk (dmesg)";
      default -> database + " does not work";
    };
    return new StorageException(message + " [" + detail(code, error) + "]", error);
  }

  private static String detail(SQLiteErrorCode code, SQLException error) {
    return code == SQLiteErrorCode.UNKNOWN_ERROR ? String.valueOf(error.getMessage()) : code.name();
  }

  @Override
  public String name() {
    return file.toString();
  }

  private static int code(SQLException error) {
    return fullCode(error).code & 0xff;
  }

  private static SQLiteErrorCode fullCode(SQLException error) {
    return error instanceof SQLiteException e ? e.getResultCode() : SQLiteErrorCode.UNKNOWN_ERROR;
  }
}
