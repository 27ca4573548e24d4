package fleet.tower.sql;

import java.sql.SQLException;

import fleet.tower.lock.StorageException;

/** All in which one kind of database differs from another. */
interface Dialect {

  /** What a connection is for. */
  enum Purpose {
    /** Commits that survive a power cut. */
    DURABLE,
    /** Commits that survive the death of the process, and wait for no disk. */
    SWIFT,
    /** Nothing but looking. */
    READING
  }

  /** Whether there is a database; nothing is made. */
  boolean exists();

  /** Makes a database that has nothing in it, unless there is one. */
  void create();

  Session open(Purpose purpose) throws SQLException;

  /** What tells this database from one that was put into its place; {@code GONE} where there is none. */
  Object identity();

  /** Of no database. */
  Object GONE = "gone";

  /** Readies a database, new or old, for many processes at once. */
  void settle(Session session) throws SQLException;

  /** The statement that begins a transaction which is going to write. */
  String beginWriting();

  /** Begins a transaction which is going to write, as soon as the others let it. */
  void begin(Session session) throws SQLException;

  /** The statement by which, in a transaction that has begun, one process at a time may change the tables. */
  String claimTables();

  /** The statement with its marks replaced: those of {@link Session}, and {@code {{counter}}}, a primary key that counts by itself. */
  String translate(String sql);

  /** How many of one process may write at the same time; with one, those who come together share a commit. */
  int writers();

  /** Whether all who use it are processes of one host. */
  boolean isOfOneHost();

  /** What is wrong with the content of a database; empty where nothing is. */
  String damage(Session session) throws SQLException;

  boolean isMissingTable(SQLException error);

  /** Whether others had the database for too long. */
  boolean isBusy(SQLException error);

  /** Whether the database has ended a transaction only because of others, and the same may succeed when it is done anew. */
  boolean isWorthAnotherTry(SQLException error);

  /** Whether the connection is gone. */
  boolean isCut(SQLException error);

  /** The error in words that say what to do. */
  StorageException explain(SQLException error);

  /** The database's name for people. */
  String name();
}
