package fleet.tower.lock.queue.sql;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.queue.WaitQueue;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.wait.WakeUp;

/**
 * The lines of all names of a fleet.
 *
 * <p>A waiter is a row, and counts as long as the connection lives on which its process listens; whoever finds a row of a dead
 * one removes it. Whoever finds his own removed takes his place again. The first in a line is woken by what the server tells when
 * a lock is given back or a freeze lifted.
 */
final class SqlWaitQueue implements WaitQueue, NotificationListener.Listener {
  private final Database database;
  private final Scheduler scheduler;
  private final RandomGenerator random;
  private final Consumer<String> warnings;
  private final ReentrantLock lock = new ReentrantLock();
  /** Those in which somebody of this process stands. */
  private final Map<LeaseName, NameQueue> lines = new HashMap<>();
  private final Map<LeaseName, Integer> users = new HashMap<>();
  private @Nullable NotificationListener ear;
  private volatile boolean warned;

  SqlWaitQueue(Database database, Scheduler scheduler, RandomGenerator random, Consumer<String> warnings) {
    this.database = database;
    this.scheduler = scheduler;
    this.random = random;
    this.warnings = warnings;
  }

  @Override
  public Joined join(LeaseName name, RequestId who, WakeUp bell) {
    NameQueue line = enter(name);
    boolean isIn = false;
    try {
      Joined joined = line.join(who, bell);
      isIn = joined instanceof Joined.At;
      return joined;
    } finally {
      if (!isIn) {
        left(name);
      }
    }
  }

  @Override
  public int length(LeaseName name) {
    return database.read(session -> session.query(Statements.LENGTH, row -> row.getInt(1), name.value(), name.value())
        .getFirst()).orElse(0);
  }

  @Override
  public void told(String name) {
    NameQueue line = LeaseName.isValid(name) ? lineOf(new LeaseName(name)) : null;
    if (line != null) {
      line.changed();
    }
  }

  @Override
  public void missed() {
    List<NameQueue> all;
    lock.lock();
    try {
      all = List.copyOf(lines.values());
    } finally {
      lock.unlock();
    }
    all.forEach(NameQueue::changed);
  }

  @Override
  public void deaf(StorageException reason) {
    if (!warned) {
      warned = true;
      warnings.accept("what happens to locks cannot be heard for now, so waiting looks from time to time: "
          + reason.getMessage());
    }
  }

  private @Nullable NameQueue lineOf(LeaseName name) {
    lock.lock();
    try {
      return lines.get(name);
    } finally {
      lock.unlock();
    }
  }

  private NameQueue enter(LeaseName name) {
    lock.lock();
    try {
      NotificationListener open = ear;
      if (open == null) {
        open = NotificationListener.open(database, scheduler, random, this);
        ear = open;
      }
      NotificationListener heard = open;
      users.merge(name, 1, Integer::sum);
      return lines.computeIfAbsent(name, _ -> new NameQueue(name, database, heard::session, () -> left(name)));
    } finally {
      lock.unlock();
    }
  }

  private void left(LeaseName name) {
    lock.lock();
    try {
      if (users.merge(name, -1, Integer::sum) == 0) {
        users.remove(name);
        lines.remove(name);
      }
      NotificationListener open = ear;
      if (users.isEmpty() && open != null) {
        open.close();
        ear = null;
      }
    } finally {
      lock.unlock();
    }
  }
}
