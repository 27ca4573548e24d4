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
import java.util.Optional;
import java.util.Set;

import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;
import org.sqlite.SQLiteOpenMode;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.OwnerOnly;

/**
 * A SQLite database file, shared by the processes of one host.
 *
 * @param busyTimeoutMillis how long a process waits for the others
 */
record Sqlite(Path file, int busyTimeoutMillis) implements Dialect {
  static final String URL = "jdbc:sqlite:";
  /** Rounded down, like all timestamps; one moment for the whole statement. */
  private static final String NOW = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";
  private static final int WAIT_MILLIS = 20;
  /** Shortens the file of a log that has grown longer while nothing could copy it. */
  private static final String KEEP_LOG = "PRAGMA journal_size_limit = " + (32 << 20);
  private static final String SET_BUSY_TIMEOUT = "PRAGMA busy_timeout = ";
  /** Each attempt fails only if another process is changing the mode, which ends soon. */
  private static final int MAX_ATTEMPTS = 100;
  private static final Set<PosixFilePermission> MODE = PosixFilePermissions.fromString("rw-------");

  Sqlite {
    if (file.toString().contains("?")) {
      throw new StorageException("the path of a database must not contain '?': "
          + file.toString().replaceFirst("(?s)[?].*=.*", "?…") + "; use another home");
    }
    file = file.toAbsolutePath();
  }

  @Override
  public boolean exists() {
    return Files.exists(file);
  }

  /** Creates the file; SQLite gives its other files the same mode. */
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
      throw new StorageException("the database " + file + " cannot be created: " + Errno.describeWithFile(e)
          + "; make " + directory + " a directory that this user can write", e);
    }
  }

  @Override
  public Session open(Purpose purpose) throws SQLException {
    SqliteLibrary.ofProcess().load();
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
        case DURABLE, SINGLE, URGENT, LISTENING, PROBING -> {
        }
        // Checkpoints need syncs; see Checkpoints.
        case SWIFT -> {
          session.execute("PRAGMA wal_autocheckpoint = 0");
          session.execute(KEEP_LOG);
        }
        case READING -> session.execute("PRAGMA query_only = ON");
      }
    } catch (SQLException e) {
      session.close();
      throw e;
    }
    return session;
  }

  /** Nothing to end: a statement of this process has ended when its caller regains control. */
  @Override
  public void terminate(Session target, Session via) {
    target.close();
  }

  @Override
  public List<String> notifications(Connection connection, Duration limit) {
    throw new IllegalStateException("SQLite has no notifications: " + file);
  }

  @Override
  public Object identity() {
    try {
      BasicFileAttributes attributes = file.getFileSystem().provider().readAttributesIfExists(file,
          BasicFileAttributes.class);
      return attributes == null || attributes.fileKey() == null ? GONE : attributes.fileKey();
    } catch (IOException e) {
      throw new StorageException("the database " + file + " cannot be examined: " + Errno.describe(e), e);
    }
  }

  /**
   * Turns on the write-ahead log. If two processes do that at once, SQLite lets the second fail instead of wait; so
   * it waits for the first with a transaction and tries again.
   */
  @Override
  public void initialize(Session session) throws SQLException {
    protect();
    for (int attempt = 1; !session.query("PRAGMA journal_mode", row -> row.getString(1)).contains("wal"); attempt++) {
      try {
        session.query("PRAGMA journal_mode = WAL", row -> row.getString(1));
      } catch (SQLException e) {
        if (!isBusy(e) || attempt == MAX_ATTEMPTS) {
          throw e;
        }
        session.update(beginWriting());
        session.update("COMMIT");
      }
    }
  }

  /** Restricts the mode of the file, even if another program created it. */
  private void protect() {
    try {
      if (!Files.getPosixFilePermissions(file).equals(MODE)) {
        Files.setPosixFilePermissions(file, MODE);
      }
    } catch (IOException e) {
      throw new StorageException("the database " + file + " cannot be protected from other users: " + Errno.describe(e)
          + "; make this user its owner, and run chmod 600", e);
    }
  }

  @Override
  public String beginWriting() {
    return "BEGIN IMMEDIATE";
  }

  /**
   * SQLite polls after 1, 2, 5, 10, … 100 ms, so a process that has waited long polls rarely and newcomers overtake
   * it: of eight processes that write continuously, some made no progress for five seconds. So the wait is restarted
   * every few milliseconds, for the same total time. The short timeout stays: nothing waits within a transaction.
   */
  @Override
  public void begin(Session session) throws SQLException {
    session.set(SET_BUSY_TIMEOUT + WAIT_MILLIS);
    for (int waited = WAIT_MILLIS;; waited += WAIT_MILLIS) {
      try {
        session.update(beginWriting());
        return;
      } catch (SQLException e) {
        if (!isBusy(e) || waited >= busyTimeoutMillis) {
          throw e;
        }
      }
    }
  }

  /** A no-op, because SQLite has a single writer. */
  @Override
  public String lockSchema() {
    return "SELECT 1";
  }

  /** Always true; a file that this user cannot write is detected by the first change. */
  @Override
  public boolean mayChangeSchema(Session session) {
    return true;
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

  /** Always false; SQLite itself waits for other processes. */
  @Override
  public boolean isRetryable(SQLException error) {
    return false;
  }

  /** Always false; there is no network connection. */
  @Override
  public boolean isConnectionLost(SQLException error) {
    return false;
  }

  @Override
  public StorageException explain(SQLException error) {
    String database = "the database " + file;
    SQLiteErrorCode code = fullCode(error);
    if (code == SQLiteErrorCode.SQLITE_CONSTRAINT_TRIGGER) {
      return StorageException.moved(raised(String.valueOf(error.getMessage())));
    }
    Optional<String> moved = isMissingTable(error) ? moved() : Optional.empty();
    if (moved.isPresent()) {
      return StorageException.moved(moved.get());
    }
    String message = switch (SQLiteErrorCode.getErrorCode(code(error))) {
      case SQLITE_FULL -> "the disk of " + database + " is full; free some space";
      case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL ->
        database + " was locked by another process for too long; find out which process has it open (fuser " + file
            + ")";
      case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH ->
        database + " cannot be written; make it and its directory writable for this user";
      case SQLITE_CANTOPEN ->
        database + " cannot be opened; make " + file.getParent() + " a directory that this user can write";
      case SQLITE_CORRUPT ->
        database + " is damaged; stop the programs that use it, then restore a backup or move the file away";
      case SQLITE_NOTADB -> file + " is not a database; move it away or restore a backup";
      case SQLITE_IOERR -> database + " could not be read or written; check its disk (dmesg)";
      default -> database + " does not work";
    };
    return new StorageException(message + " [" + detail(code, error) + "]", error);
  }

  /** The message of {@link Database#MOVED}; empty if the home has not moved. */
  private Optional<String> moved() {
    try (Session session = open(Purpose.READING)) {
      return session.first("SELECT message FROM " + Database.MOVED, row -> row.getString(1));
    } catch (SQLException notMoved) {
      return Optional.empty();
    }
  }

  /** The text of a trigger that refuses a change, which the driver puts in parentheses. */
  private static String raised(String message) {
    int begin = message.indexOf('(');
    int end = message.lastIndexOf(')');
    return begin < 0 || end < begin ? message : message.substring(begin + 1, end);
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
