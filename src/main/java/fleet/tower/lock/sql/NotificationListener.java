package fleet.tower.lock.sql;

import java.sql.SQLException;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.GrowingPause;
import fleet.tower.platform.sql.Session;
import fleet.tower.platform.time.Scheduler;

/**
 * The connection on which a process receives notifications while it has waiters, and which proves to the others that it
 * is alive. If it is cut, another one is opened, after growing pauses, and the waiters keep their places.
 */
final class NotificationListener {
  private final Database database;
  private final Scheduler scheduler;
  private final RandomGenerator random;
  private final Listener listener;
  private volatile long session;
  private volatile boolean isClosed;

  /** Receives the notifications. */
  interface Listener {

    /** A name may be free, or its queue is shorter. */
    void notified(String name);

    /** Notifications may have been lost. */
    void missed();

    /** No notifications for now. */
    void interrupted(StorageException reason);
  }

  private NotificationListener(Database database, Scheduler scheduler, RandomGenerator random, Listener listener) {
    this.database = database;
    this.scheduler = scheduler;
    this.random = random;
    this.listener = listener;
  }

  static NotificationListener open(Database database, Scheduler scheduler, RandomGenerator random, Listener listener) {
    NotificationListener opened = new NotificationListener(database, scheduler, random, listener);
    Session first = opened.connect();
    Thread.ofVirtual().name("tower-notifications").start(() -> opened.listen(first));
    return opened;
  }

  /** The number that marks the places of this process. */
  long session() {
    return session;
  }

  /** Ends the connection a moment later; places under its session then count as dead. */
  void close() {
    isClosed = true;
  }

  private Session connect() {
    long number = random.nextLong() >>> 1;
    Session connection = database.listen(on -> {
      on.query(WaitStatements.LIVE, row -> true, number);
      on.execute(WaitStatements.LISTEN);
      return true;
    });
    session = number;
    return connection;
  }

  private void listen(Session first) {
    @Nullable
    Session connection = first;
    while (!isClosed && connection != null) {
      try {
        connection.receive(() -> !isClosed, listener::notified);
      } catch (SQLException e) {
        connection.close();
        listener.interrupted(database.explain(e));
        connection = reconnected();
      }
    }
    if (connection != null) {
      connection.close();
    }
  }

  /** Null if this was closed meanwhile. */
  private @Nullable Session reconnected() {
    long before = session;
    GrowingPause pause = new GrowingPause(scheduler);
    while (!isClosed) {
      try {
        Session connection = connect();
        long now = session;
        database.change(on -> on.update(WaitStatements.MOVE, now, before), _ -> true);
        listener.missed();
        return connection;
      } catch (StorageException stillUnavailable) {
        pause.pause();
      } catch (IllegalStateException closedDatabase) {
        // The database is closed after this listener.
        if (!isClosed) {
          throw closedDatabase;
        }
      }
    }
    return null;
  }
}
