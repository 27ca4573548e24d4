package fleet.tower.platform.sql;

import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.Examination;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.StoreSchema;

/**
 * A database that is opened on first use and created by the first write. Writers queue and may share a commit, or
 * write in parallel if the database supports it; readers do not wait for writers.
 *
 * <p>Every failure is a {@link StorageException} that states the remedy; then no change is known to have happened.
 */
public final class Database implements AutoCloseable {
  /**
   * The table of a SQLite database whose other tables were renamed because its home moves; its row is the message for
   * everyone who still uses it.
   */
  public static final String MOVED = "moved_home";

  /** The query for the identity of a database that many hosts use. */
  public static final String IDENTITY = "SELECT id FROM database_identity";

  private static final int BUSY_TIMEOUT_MILLIS = 5000;
  /** Longer than any of our write transactions, unless the disk is very slow. */
  private static final int LONGEST_WRITE_MILLIS = 1000;
  /** On a connection for notifications, which probes the server. */
  private static final Duration LONGEST_ANSWER = Duration.ofSeconds(5);
  private static final int READERS = 4;
  private static final int SINGLES = 16;
  private static final int URGENTS = 2;

  private static final Pattern SHOWABLE = Pattern.compile("jdbc:[a-z]+://[\\w.-]+(:\\d+)?/\\w*(?=[?]|$)");

  private final Connector connector;
  private final Dialect dialect;
  private final Migrations migrations;
  private final DatabaseAdmission admission;
  private final Transactions transactions;
  private final SessionPool readers;
  private final SessionPool singles;
  private final SessionPool urgents;
  private final WriteQueue queue;
  private final Checkpoints checkpoints;
  /** Held while {@link #transactions} is in use. */
  private final ReentrantLock writing = new ReentrantLock();
  /** For parallel writers: the permits left, and the idle connections. */
  private final Semaphore permits;
  private final ConcurrentLinkedDeque<Transactions> idle = new ConcurrentLinkedDeque<>();
  private volatile boolean isInitialized;
  private volatile boolean isClosed;

  /** A database whose outages are not observed. */
  Database(Dialect dialect, Migrations migrations) {
    this(Connector.of(dialect, null), migrations, DatabaseAdmission.OPEN);
  }

  Database(Connector connector, Migrations migrations, DatabaseAdmission admission) {
    this.admission = admission;
    this.connector = connector;
    this.dialect = connector.dialect();
    this.migrations = migrations;
    transactions = new Transactions(connector);
    readers = new SessionPool(connector, Dialect.Purpose.READING, READERS);
    singles = new SessionPool(connector, Dialect.Purpose.SINGLE, SINGLES);
    urgents = new SessionPool(connector, Dialect.Purpose.URGENT, URGENTS);
    permits = new Semaphore(dialect.writers(), true);
    checkpoints = new Checkpoints(connector, writing);
    queue = new WriteQueue(batch -> {
      writing.lock();
      try {
        if (isClosed) {
          batch.forEach(pending -> pending.fail(closed()));
        } else {
          transactions.commit(batch);
        }
      } finally {
        writing.unlock();
      }
    });
  }

  /**
   * The database of a JDBC URL, {@code jdbc:sqlite:FILE} or {@code jdbc:postgresql://HOST/NAME}. It is not accessed
   * yet.
   */
  public static Database at(String url) {
    return DatabaseLocation.of(url).open();
  }

  /** The full check of a database, for the doctor. */
  public static Examination examination(String url) {
    return new DatabaseExamination(Connector.of(dialect(url, LONGEST_WRITE_MILLIS), null), Migrations.ALL, true);
  }

  /** Whether one of some tables of a database has a row; a database that cannot be read counts as one that has. */
  public static boolean hasRows(String url, List<String> tables) {
    Dialect dialect = dialect(url);
    if (!dialect.exists()) {
      return false;
    }
    try (Session session = dialect.open(Dialect.Purpose.READING)) {
      for (String table : tables) {
        if (session.first("SELECT 1 FROM " + table + " LIMIT 1", row -> true).isPresent()) {
          return true;
        }
      }
      return false;
    } catch (SQLException e) {
      return !dialect.isMissingTable(e);
    }
  }

  /** A check that a database can be opened and written, without verifying its content. */
  public static Examination reach(String url) {
    return reach(url, null);
  }

  static Examination reach(String url, @Nullable Reachability reachability) {
    return new DatabaseExamination(Connector.of(dialect(url, LONGEST_WRITE_MILLIS), reachability), Migrations.ALL,
        false);
  }

  static Dialect dialect(String url) {
    return dialect(url, BUSY_TIMEOUT_MILLIS);
  }

  /** The schema of a database, for those who upgrade it separately. */
  public static StoreSchema schema(String url) {
    return new DatabaseSchema(dialect(url, BUSY_TIMEOUT_MILLIS), Migrations.ALL);
  }

  private static Dialect dialect(String url, int busyTimeoutMillis) {
    if (url.startsWith(Sqlite.URL)) {
      return new Sqlite(Path.of(url.substring(Sqlite.URL.length())), busyTimeoutMillis);
    }
    if (url.startsWith(Postgres.URL)) {
      return new Postgres(url, busyTimeoutMillis);
    }
    // A URL of any other form is not shown, because it may contain a password.
    Matcher known = SHOWABLE.matcher(url);
    throw new StorageException("the database URL " + (known.lookingAt() ? known.group() + "… " : "")
        + "is not supported; use jdbc:sqlite:FILE or jdbc:postgresql://HOST/NAME");
  }

  /** Work on the database; it may run again from its start after a rollback. */
  public interface Work<T extends @Nullable Object> {
    T run(Session session) throws SQLException;
  }

  /** Runs work in a transaction that survives a power failure when this returns. */
  public <T extends @Nullable Object> T writeDurably(Work<T> work) {
    return write(true, work);
  }

  /** Runs work in a transaction that survives the death of the process; it does not wait for the disk. */
  public <T extends @Nullable Object> T writeSwiftly(Work<T> work) {
    return write(false, work);
  }

  private <T extends @Nullable Object> T write(boolean isDurable, Work<T> work) {
    requireUp();
    initialize();
    admission.write();
    PendingWrite<T> pending = new PendingWrite<>(isDurable, work);
    if (dialect.writers() == 1) {
      queue.execute(pending);
      if (!isDurable) {
        checkpoints.committed();
      }
    } else {
      writeInParallel(pending);
    }
    return pending.outcome();
  }

  /** Runs the write on a connection of its own; such a database shares syncs among parallel commits itself. */
  private void writeInParallel(PendingWrite<?> pending) {
    connector.use().acquire(permits);
    try {
      Transactions free = idle.poll();
      Transactions own = free == null ? transactions.fork() : free;
      if (isClosed) {
        pending.fail(closed());
        own.close();
      } else {
        own.commit(List.of(pending));
        idle.push(own);
      }
    } finally {
      connector.use().release(permits);
    }
  }

  /**
   * Runs one statement that is its own transaction and survives a power failure when this returns. If it fails, it is
   * no longer running when this throws, and {@code undo} has reverted it, or the message states that its outcome is
   * unknown.
   *
   * @param work one changing statement, at most preceded by reading ones
   */
  public <T extends @Nullable Object> T change(Work<T> work, Work<?> undo) {
    requireUp();
    initialize();
    admission.write();
    return singles.change(work, undo);
  }

  /**
   * Runs one statement like {@link #change} within a time limit, on connections reserved for such statements; it may
   * run twice. It is also tried during an outage.
   */
  public <T extends @Nullable Object> T changeWithin(Duration limit, Work<T> work) {
    initialize();
    admission.write();
    return urgents.within(limit, work);
  }

  /**
   * Opens a connection for {@link Session#receive}, which the caller must close.
   *
   * @param preparation subscribes to channels
   */
  public Session listen(Work<?> preparation) {
    initialize();
    try {
      Session session = connector.open(Dialect.Purpose.LISTENING);
      try {
        session.limit(LONGEST_ANSWER);
        preparation.run(session);
        return session;
      } catch (SQLException e) {
        session.close();
        throw e;
      }
    } catch (SQLException e) {
      throw connector.explain(e);
    }
  }

  /** Converts a failure to an exception whose message states the remedy. */
  public StorageException explain(SQLException failure) {
    return connector.explain(failure);
  }

  /** Runs a read; empty if the database does not exist, and it is not created. */
  public <T> Optional<T> read(Work<T> work) {
    if (!isInitialized && !isClosed && !dialect.exists()) {
      return Optional.empty();
    }
    requireUp();
    initialize();
    return Optional.of(readers.read(work));
  }

  /** Whether all users of the database are processes of one host, so that they share one boot clock. */
  public boolean isOfOneHost() {
    return dialect.isOfOneHost();
  }

  /** The name of the database in messages. */
  public String name() {
    return dialect.name();
  }

  /** Fails at once during an outage, so that no threads queue for connections that cannot be opened. */
  private void requireUp() {
    try {
      connector.requireUp();
    } catch (SQLException e) {
      throw connector.explain(e);
    }
  }

  private void initialize() {
    if (isClosed) {
      throw closed();
    }
    if (isInitialized) {
      return;
    }
    writing.lock();
    try {
      if (!isInitialized) {
        dialect.create();
        transactions.initialize(migrations, admission);
        isInitialized = true;
      }
    } finally {
      writing.unlock();
    }
  }

  private IllegalStateException closed() {
    return new IllegalStateException("the database " + dialect.name() + " has been closed by this process");
  }

  @Override
  public void close() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    checkpoints.close();
    readers.close();
    singles.close();
    urgents.close();
    permits.acquireUninterruptibly(dialect.writers());
    idle.forEach(Transactions::close);
    permits.release(dialect.writers());
    writing.lock();
    try {
      transactions.close();
    } finally {
      writing.unlock();
    }
  }
}
