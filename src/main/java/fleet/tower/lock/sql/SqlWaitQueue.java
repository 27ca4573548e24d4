package fleet.tower.lock.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.queue.WaitQueue;
import fleet.tower.lock.queue.WaitQueue.WaitingRequest;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.NamedValues;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.WakeUp;

/**
 * The wait queues of a fleet.
 *
 * <p>A waiter is a row. It counts while the connection lives on which its process listens; any process removes the rows
 * of dead ones. A waiter whose row was removed restores it. The first waiter is woken by the server's notification of a
 * release or a lifted freeze.
 */
final class SqlWaitQueue implements WaitQueue, NotificationListener.Listener {
  private final Database database;
  private final Scheduler scheduler;
  private final RandomGenerator random;
  private final Supplier<String> executor;
  private final Consumer<String> warnings;
  private final ReentrantLock lock = new ReentrantLock();
  /** The queues in which this process has waiters. */
  private final Map<LeaseName, SqlNameQueue> queues = new HashMap<>();
  private final Map<LeaseName, Integer> users = new HashMap<>();
  private @Nullable NotificationListener listener;
  private volatile boolean warned;

  SqlWaitQueue(Database database, Scheduler scheduler, RandomGenerator random, Supplier<String> executor,
      Consumer<String> warnings) {
    this.database = database;
    this.scheduler = scheduler;
    this.random = random;
    this.executor = executor;
    this.warnings = warnings;
  }

  @Override
  public JoinOutcome join(LeaseName name, WaitingRequest request, WakeUp wakeUp) {
    SqlNameQueue queue = enter(name);
    boolean isQueued = false;
    try {
      JoinOutcome joined = queue.join(request, wakeUp);
      isQueued = joined instanceof JoinOutcome.Joined;
      return joined;
    } finally {
      if (!isQueued) {
        left(name);
      }
    }
  }

  @Override
  public int length(LeaseName name) {
    return database
        .read(session -> session
            .query(WaitStatements.LENGTH, row -> row.getInt(1), new NamedValues().put("name", name.value()))
            .getFirst())
        .orElse(0);
  }

  @Override
  public Set<LeaseName> names() {
    return Set
        .copyOf(database.read(session -> session.query(WaitStatements.NAMES, row -> new LeaseName(row.getString(1))))
            .orElse(List.of()));
  }

  @Override
  public List<WaitingRequest> list(LeaseName name) {
    return database
        .read(session -> session.query(WaitStatements.LIST, SqlWaitQueue::waiting,
            new NamedValues().put("name", name.value())))
        .orElse(List.of());
  }

  private static WaitingRequest waiting(ResultSet row) throws SQLException {
    long since = row.getLong(4);
    boolean isRecorded = !row.wasNull();
    return new WaitingRequest(new RequestId(row.getString(1)), row.getString(2), row.getString(3),
        isRecorded ? Instant.ofEpochSecond(since) : null);
  }

  @Override
  public void notified(String name) {
    SqlNameQueue queue = LeaseName.isValid(name) ? queueOf(new LeaseName(name)) : null;
    if (queue != null) {
      queue.changed();
    }
  }

  @Override
  public void missed() {
    List<SqlNameQueue> all;
    lock.lock();
    try {
      all = List.copyOf(queues.values());
    } finally {
      lock.unlock();
    }
    all.forEach(SqlNameQueue::changed);
  }

  @Override
  public void interrupted(StorageException reason) {
    if (!warned && !reason.isReported()) {
      warned = true;
      warnings.accept("cannot receive lock notifications for now, so waiters poll instead: "
          + reason.getMessage());
    }
  }

  private @Nullable SqlNameQueue queueOf(LeaseName name) {
    lock.lock();
    try {
      return queues.get(name);
    } finally {
      lock.unlock();
    }
  }

  private SqlNameQueue enter(LeaseName name) {
    lock.lock();
    try {
      NotificationListener open = listener;
      if (open == null) {
        open = NotificationListener.open(database, scheduler, random, this);
        listener = open;
      }
      NotificationListener current = open;
      users.merge(name, 1, Integer::sum);
      return queues.computeIfAbsent(name, _ -> new SqlNameQueue(name, database, current::session, executor.get(),
          () -> left(name)));
    } finally {
      lock.unlock();
    }
  }

  private void left(LeaseName name) {
    lock.lock();
    try {
      if (users.merge(name, -1, Integer::sum) == 0) {
        users.remove(name);
        queues.remove(name);
      }
      NotificationListener open = listener;
      if (users.isEmpty() && open != null) {
        open.close();
        listener = null;
      }
    } finally {
      lock.unlock();
    }
  }
}
