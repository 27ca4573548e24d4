package fleet.tower.sql;

import java.nio.file.Path;
import java.sql.SQLException;

import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

import fleet.tower.lock.StorageException;

/** SQLite's errors in words: what it is, which file, what to do. */
final class SqliteErrors {
  private SqliteErrors() {}

  static SQLiteErrorCode code(SQLException error) {
    return error instanceof SQLiteException e ? e.getResultCode() : SQLiteErrorCode.UNKNOWN_ERROR;
  }

  static StorageException explain(Path file, SQLException error) {
    String database = "the database " + file;
    SQLiteErrorCode code = code(error);
    String message = switch (SQLiteErrorCode.getErrorCode(code.code & 0xff)) {
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
}
