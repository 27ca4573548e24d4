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

import fleet.tower.platform.StorageException;
import fleet.tower.platform.check.Examination;

/**
 * A database, opened with its first use and made with the first that writes. Those who write queue and may share one commit, or
 * write side by side where the database can; those who look do not wait for them.
 *
 * <p>Whatever fails is a {@link StorageException} that says what to do; then nothing is known to have changed.
 */
public final class Database implements AutoCloseable {
  private static final int BUSY_TIMEOUT_MILLIS = 5000;
  /** Nobody of ours writes for so long, unless the disk is very slow. */
  private static final int LONGEST_WRITE_MILLIS = 1000;
  private static final int READERS = 4;
  private static final int SINGLES = 16;
  private static final int URGENTS = 2;

  private static final Pattern SHOWABLE = Pattern.compile("jdbc:[a-z]+://[\\w.-]+(:\\d+)?/\\w*(?=[?]|$)");

  private final Dialect dialect;
  private final Migrations migrations;
  private final Transactions transactions;
  private final Sessions readers;
  private final Sessions singles;
  private final Sessions urgents;
  private final Turns turns;
  /** Held by whoever uses {@link #transactions}. */
  private final ReentrantLock writing = new ReentrantLock();
  /** Where several write at once: how many more may, and the connections that nobody uses now. */
  private final Semaphore lanes;
  private final ConcurrentLinkedDeque<Transactions> idle = new ConcurrentLinkedDeque<>();
  private volatile boolean isSettled;
  private volatile boolean isClosed;

  Database(Dialect dialect, Migrations migrations) {
    this.dialect = dialect;
    this.migrations = migrations;
    transactions = new Transactions(dialect);
    readers = new Sessions(dialect, Dialect.Purpose.READING, READERS);
    singles = new Sessions(dialect, Dialect.Purpose.SINGLE, SINGLES);
    urgents = new Sessions(dialect, Dialect.Purpose.URGENT, URGENTS);
    lanes = new Semaphore(dialect.writers(), true);
    turns = new Turns(together -> {
      writing.lock();
      try {
        if (isClosed) {
          together.forEach(turn -> turn.fail(closed()));
        } else {
          transactions.commit(together);
        }
      } finally {
        writing.unlock();
      }
    });
  }

  /** The database of a JDBC URL, {@code jdbc:sqlite:FILE} or {@code jdbc:postgresql://HOST/NAME}. Nothing is touched yet. */
  public static Database at(String url) {
    return new Database(dialect(url, BUSY_TIMEOUT_MILLIS), Migrations.ALL);
  }

  /** What the doctor looks at in the database of a URL. */
  public static Examination examination(String url) {
    return new DatabaseExamination(dialect(url, LONGEST_WRITE_MILLIS), Migrations.ALL, true);
  }

  /** Looks whether the database of a URL can be opened and written now, without a look at all that is in it. */
  public static Examination reach(String url) {
    return new DatabaseExamination(dialect(url, LONGEST_WRITE_MILLIS), Migrations.ALL, false);
  }

  private static Dialect dialect(String url, int busyTimeoutMillis) {
    if (url.startsWith(Sqlite.URL)) {
      return new Sqlite(Path.of(url.substring(Sqlite.URL.length())), busyTimeoutMillis);
    }
    if (url.startsWith(Postgres.URL)) {
      return new Postgres(url, busyTimeoutMillis);
    }
    // Nothing is shown of one in another form: there may be a password anywhere in it.
    Matcher known = SHOWABLE.matcher(url);
    throw new StorageException("the database URL " + (known.lookingAt() ? known.group() + "… " : "")
        + "is of no kind that is known here; use jdbc:sqlite:FILE or jdbc:postgresql://HOST/NAME");
  }

  /** A piece of work on the database; it may be done again from its beginning, after all it did was taken back. */
  public interface Work<T extends @Nullable Object> {
    T run(Session session) throws SQLException;
  }

  /** Does work that is all or nothing and survives a power cut when this returns. */
  public <T extends @Nullable Object> T writeDurably(Work<T> work) {
    return write(true, work);
  }

  /** Does work that is all or nothing and survives the death of the process; it waits for no disk. */
  public <T extends @Nullable Object> T writeSwiftly(Work<T> work) {
    return write(false, work);
  }

  private <T extends @Nullable Object> T write(boolean isDurable, Work<T> work) {
    settle();
    Turn<T> turn = new Turn<>(isDurable, work);
    if (dialect.writers() == 1) {
      turns.take(turn);
    } else {
      writeBeside(turn);
    }
    return turn.outcome();
  }

  /** Such a database lets those who come together share a sync by itself, so each has a transaction of his own. */
  private void writeBeside(Turn<?> turn) {
    lanes.acquireUninterruptibly();
    try {
      Transactions kept = idle.poll();
      Transactions own = kept == null ? transactions.another() : kept;
      if (isClosed) {
        turn.fail(closed());
        own.close();
      } else {
        own.commit(List.of(turn));
        idle.push(own);
      }
    } finally {
      lanes.release();
    }
  }

  /**
   * Does one statement that is a transaction of its own and survives a power cut when this returns. Where it fails it is not
   * being done any more when this throws, and {@code undo} has taken it back, or the message says that nobody knows.
   *
   * @param work one statement that changes something, behind others at most that change nothing
   */
  public <T extends @Nullable Object> T change(Work<T> work, Work<?> undo) {
    settle();
    return singles.change(work, undo);
  }

  /** The same that cannot wait for longer than a limit, on connections that nobody uses for something else; it may be done twice. */
  public <T extends @Nullable Object> T changeWithin(Duration limit, Work<T> work) {
    settle();
    return urgents.within(limit, work);
  }

  /** A connection of its own, to listen on, to be closed by who has asked for it. */
  public Session listen() {
    settle();
    try {
      return dialect.open(Dialect.Purpose.LISTENING);
    } catch (SQLException e) {
      throw dialect.explain(e);
    }
  }

  /** What a failure means, in words that say what to do. */
  public StorageException explain(SQLException failure) {
    return dialect.explain(failure);
  }

  /** Looks; nothing where there is no database, and none is made. */
  public <T> Optional<T> read(Work<T> work) {
    if (!isSettled && !isClosed && !dialect.exists()) {
      return Optional.empty();
    }
    settle();
    return Optional.of(readers.read(work));
  }

  /** Whether all who use it are processes of one host, so that the clock since its boot is one for all of them. */
  public boolean isOfOneHost() {
    return dialect.isOfOneHost();
  }

  /** The database's name for people. */
  public String name() {
    return dialect.name();
  }

  private void settle() {
    if (isClosed) {
      throw closed();
    }
    if (isSettled) {
      return;
    }
    writing.lock();
    try {
      if (!isSettled) {
        dialect.create();
        transactions.settle(migrations);
        isSettled = true;
      }
    } finally {
      writing.unlock();
    }
  }

  private IllegalStateException closed() {
    return new IllegalStateException("the database " + dialect.name() + " has been closed here");
  }

  @Override
  public void close() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    readers.close();
    singles.close();
    urgents.close();
    lanes.acquireUninterruptibly(dialect.writers());
    idle.forEach(Transactions::close);
    lanes.release(dialect.writers());
    writing.lock();
    try {
      transactions.close();
    } finally {
      writing.unlock();
    }
  }
}
