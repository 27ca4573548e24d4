package fleet.tower.waiting.sql;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.StorageException;
import fleet.tower.sql.Database;
import fleet.tower.time.Scheduler;
import fleet.tower.waiting.Bell;
import fleet.tower.waiting.Line;

/**
 * The lines of all names of a fleet.
 *
 * <p>A waiter is a row, and counts as long as the connection lives on which its process listens; whoever finds a row of a dead
 * one removes it. Whoever finds his own removed takes his place again. The first in a line is woken by what the server tells when
 * a lock is given back or a freeze lifted.
 */
final class SqlLine implements Line, Ear.Listener {
  private final Database database;
  private final Scheduler scheduler;
  private final RandomGenerator random;
  private final Consumer<String> warnings;
  private final ReentrantLock lock = new ReentrantLock();
  /** Those in which somebody of this process stands. */
  private final Map<LeaseName, NameLine> lines = new HashMap<>();
  private final Map<LeaseName, Integer> users = new HashMap<>();
  private @Nullable Ear ear;
  private volatile boolean warned;

  SqlLine(Database database, Scheduler scheduler, RandomGenerator random, Consumer<String> warnings) {
    this.database = database;
    this.scheduler = scheduler;
    this.random = random;
    this.warnings = warnings;
  }

  @Override
  public Joined join(LeaseName name, RequestId who, Bell bell) {
    NameLine line = enter(name);
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
    NameLine line = LeaseName.isValid(name) ? lineOf(new LeaseName(name)) : null;
    if (line != null) {
      line.changed();
    }
  }

  @Override
  public void missed() {
    List<NameLine> all;
    lock.lock();
    try {
      all = List.copyOf(lines.values());
    } finally {
      lock.unlock();
    }
    all.forEach(NameLine::changed);
  }

  @Override
  public void deaf(StorageException reason) {
    if (!warned) {
      warned = true;
      warnings.accept("what happens to locks cannot be heard for now, so waiting looks from time to time: "
          + reason.getMessage());
    }
  }

  private @Nullable NameLine lineOf(LeaseName name) {
    lock.lock();
    try {
      return lines.get(name);
    } finally {
      lock.unlock();
    }
  }

  private NameLine enter(LeaseName name) {
    lock.lock();
    try {
      Ear open = ear;
      if (open == null) {
        open = Ear.open(database, scheduler, random, this);
        ear = open;
      }
      Ear heard = open;
      users.merge(name, 1, Integer::sum);
      return lines.computeIfAbsent(name, _ -> new NameLine(name, database, heard::session, () -> left(name)));
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
      Ear open = ear;
      if (users.isEmpty() && open != null) {
        open.close();
        ear = null;
      }
    } finally {
      lock.unlock();
    }
  }
}
