package fleet.tower.lock.queue.sql;

import java.sql.SQLException;
import java.time.Duration;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.Session;
import fleet.tower.platform.time.Scheduler;

/**
 * The one connection on which a process hears of changes while somebody of it waits, and by which the others know that it
 * lives. When it is cut another one is made, after pauses that grow, and those who wait keep their places.
 */
final class NotificationListener {
  private static final Duration TICK = Duration.ofSeconds(1);
  private static final int TICKS_BETWEEN_LOOKS = 5;
  private static final Duration LONGEST_ANSWER = Duration.ofSeconds(5);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  private final Database database;
  private final Scheduler scheduler;
  private final RandomGenerator random;
  private final Listener listener;
  private volatile long session;
  private volatile boolean isClosed;

  /** Told what is heard. */
  interface Listener {

    /** A name may be free, or its line is shorter. */
    void told(String name);

    /** Nobody knows what was not heard. */
    void missed();

    /** Nothing can be heard for now. */
    void deaf(StorageException reason);
  }

  private NotificationListener(Database database, Scheduler scheduler, RandomGenerator random, Listener listener) {
    this.database = database;
    this.scheduler = scheduler;
    this.random = random;
    this.listener = listener;
  }

  /** Listens from now on. */
  static NotificationListener open(Database database, Scheduler scheduler, RandomGenerator random, Listener listener) {
    NotificationListener ear = new NotificationListener(database, scheduler, random, listener);
    Session first = ear.connect();
    Thread.ofVirtual().name("tower-ear").start(() -> ear.listen(first));
    return ear;
  }

  /** The number that stands in the places of this process. */
  long session() {
    return session;
  }

  /** Hears no more, a moment later; then those who still stand in line under this session count as dead. */
  void close() {
    isClosed = true;
  }

  private Session connect() {
    Session connection = database.listen();
    long number = random.nextLong() >>> 1;
    try {
      connection.limit(LONGEST_ANSWER);
      connection.query(Statements.LIVE, row -> true, number);
      connection.execute(Statements.LISTEN);
    } catch (SQLException e) {
      connection.close();
      throw database.explain(e);
    }
    session = number;
    return connection;
  }

  private void listen(Session first) {
    @Nullable
    Session connection = first;
    while (!isClosed && connection != null) {
      try {
        hear(connection);
      } catch (SQLException e) {
        connection.close();
        listener.deaf(database.explain(e));
        connection = reconnected();
      }
    }
    if (connection != null) {
      connection.close();
    }
  }

  /** Returns when it is closed. A server that is gone without a word is noticed by a question to which no answer comes. */
  private void hear(Session connection) throws SQLException {
    for (int tick = 1; !isClosed; tick++) {
      connection.notifications(TICK).forEach(listener::told);
      if (tick % TICKS_BETWEEN_LOOKS == 0) {
        connection.query("SELECT 1", row -> true);
      }
    }
  }

  /** Null where it was closed before. */
  private @Nullable Session reconnected() {
    long before = session;
    for (Duration pause = FIRST_PAUSE; !isClosed; pause = longer(pause)) {
      try {
        Session connection = connect();
        long now = session;
        database.change(on -> on.update(Statements.MOVE, now, before), _ -> true);
        listener.missed();
        return connection;
      } catch (StorageException stillAway) {
        scheduler.pause(pause);
      }
    }
    return null;
  }

  private static Duration longer(Duration pause) {
    Duration twice = pause.plus(pause);
    return twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
  }
}
