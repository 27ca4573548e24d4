package fleet.tower.platform.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

import fleet.tower.platform.StorageException;

/** All in which one kind of database differs from another. */
interface Dialect {

  /** What a connection is for. */
  enum Purpose {
    /** Commits that survive a power cut. */
    DURABLE,
    /** Commits that survive the death of the process, and wait for no disk. */
    SWIFT,
    /** Nothing but looking. */
    READING,
    /** Each statement a transaction of its own that survives a power cut. */
    SINGLE,
    /** The same, where an answer that is late is worth nothing. */
    URGENT,
    /** The same, for one who listens; the database finds out soon when he is gone. */
    LISTENING
  }

  /** Whether there is a database; nothing is made. */
  boolean exists();

  /** Makes a database that has nothing in it, unless there is one. */
  void create();

  Session open(Purpose purpose) throws SQLException;

  /** Makes sure that nothing is done any more of what was asked for on a connection; whether it was done is not known then. */
  void end(Session asked, Session by) throws SQLException;

  /** What was told on the channels that a connection listens to, waiting for the first of it up to a limit. */
  List<String> notices(Connection connection, Duration limit) throws SQLException;

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
