package fleet.tower.platform.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

import fleet.tower.platform.StorageException;

/** The differences between the supported kinds of databases. */
interface Dialect {

  /** The purpose of a connection. */
  enum Purpose {
    /** Transactions that survive a power failure. */
    DURABLE,
    /** Transactions that survive the death of the process, without waiting for the disk. */
    SWIFT,
    /** Reads only. */
    READING,
    /** Single statements, each a transaction that survives a power failure. */
    SINGLE,
    /** Single statements whose result is useless if it is late. */
    URGENT,
    /** Notifications; the database soon notices if the client is gone. */
    LISTENING,
    /** The question whether the database answers. */
    PROBING
  }

  /** Whether the database exists; it is not created. */
  boolean exists();

  /** Creates an empty database unless it exists. */
  void create();

  Session open(Purpose purpose) throws SQLException;

  /**
   * Ensures that no request of a connection is still running; whether it was done is unknown then.
   *
   * @param via the connection through which the database ends the target
   */
  void terminate(Session target, Session via) throws SQLException;

  /** The notifications on the channels of a connection; waits for the first up to a limit. */
  List<String> notifications(Connection connection, Duration limit) throws SQLException;

  /** The identity that distinguishes this database from a replacement; {@link #GONE} if there is none. */
  Object identity();

  /** The identity of a missing database. */
  Object GONE = "gone";

  /** Prepares a database, new or existing, for concurrent processes. */
  void initialize(Session session) throws SQLException;

  /** The statement that begins a write transaction. */
  String beginWriting();

  /** Begins a write transaction as soon as other writers permit. */
  void begin(Session session) throws SQLException;

  /** The statement that, within a transaction, lets one process at a time change the schema. */
  String lockSchema();

  /** Whether the user of a connection may create tables and change those that exist. */
  boolean mayChangeSchema(Session session) throws SQLException;

  /**
   * The statement with its placeholders replaced: those of {@link Session}, and {@code {{counter}}}, an
   * auto-increment primary key.
   */
  String translate(String sql);

  /** The maximum number of parallel writers of a process; with one, concurrent writers share a commit. */
  int writers();

  /** Whether all users are processes of one host. */
  boolean isOfOneHost();

  /** The damage in the content of a database; empty if it is intact. */
  String damage(Session session) throws SQLException;

  boolean isMissingTable(SQLException error);

  /** Whether others locked the database for too long. */
  boolean isBusy(SQLException error);

  /** Whether a transaction failed only because of concurrent ones and may succeed if repeated. */
  boolean isRetryable(SQLException error);

  /** Whether the connection was lost. */
  boolean isConnectionLost(SQLException error);

  /** Converts an error to an exception whose message states the remedy. */
  StorageException explain(SQLException error);

  /** The name of the database in messages. */
  String name();
}
