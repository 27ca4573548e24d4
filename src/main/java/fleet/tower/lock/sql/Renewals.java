package fleet.tower.lock.sql;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RenewalSchedule;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.Session;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/**
 * The heartbeats of this process' keepers: those of a moment go to the server as one statement, and each is answered for
 * itself.
 *
 * <p>Whoever comes first gathers the others for that moment and sends for all. When he has sent, the first of those who came
 * meanwhile is woken to do the same. So no thread is needed that others could keep busy, and two are on their way at most: a
 * connection on which no answer comes delays only those who are on it. Each has half of its interval. What fails before that
 * is over is sent again, on a new connection, after a pause that grows.
 */
final class Renewals {
  static final Duration MOMENT = Duration.ofMillis(60);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);
  private static final Duration SHORTEST_LIMIT = Duration.ofMillis(100);
  private static final Duration LONGEST_LIMIT = Duration.ofSeconds(5);
  private static final int MOST_TOGETHER = 1000;
  private static final int LEADERS = 2;

  private final Database database;
  private final BiFunction<Row, Asked, @Nullable RenewOutcome> judge;
  private final TimeSource time;
  private final Scheduler scheduler;
  private final Duration longestInterval;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<Pending> pending = new ArrayList<>();
  private int leaders;
  private int failures;
  private boolean isGathering;

  /** @param judge what is told to who was not renewed, by what stands there; null where it would be renewed now */
  Renewals(Database database, BiFunction<Row, Asked, @Nullable RenewOutcome> judge, TimeSource time,
      Scheduler scheduler, Duration longestInterval) {
    this.database = database;
    this.judge = judge;
    this.time = time;
    this.scheduler = scheduler;
    this.longestInterval = longestInterval;
  }

  /** Whose lease is to be renewed; {@link FencingToken#NONE} asks for no particular tenure. */
  record Asked(LeaseName name, Owner by, FencingToken token) {}

  /**
   * Renews what is there to be renewed, in one statement, and tells of that alone.
   *
   * @param call has written these tenures from now on; null for whoever has
   */
  static List<RenewOutcome.Renewed> renew(Session session, List<Asked> all, @Nullable String call, long stampNanos)
      throws SQLException {
    List<RenewOutcome.Renewed> renewed = new ArrayList<>();
    session.query(Statements.RENEW, row -> {
      Lease lease = Row.leaseOf(new RequestId(row.getString("request_id")), new LeaseName(row.getString("name")), row);
      if (lease != null) {
        long late = Row.now(row).getEpochSecond() - row.getLong("before") - lease.ttl().seconds();
        renewed.add(new RenewOutcome.Renewed(HeldLease.since(stampNanos, lease), Math.max(0, late)));
      }
      return true;
    }, all.stream().map(asked -> asked.name().value()).toArray(String[]::new),
        all.stream().map(asked -> asked.by().requestId().value()).toArray(String[]::new),
        all.stream().map(asked -> asked.by().actor()).toArray(String[]::new),
        all.stream().map(asked -> asked.token().value()).toArray(Long[]::new), call);
    return renewed;
  }

  /** Renews one lease together with others; returns or throws when it is known what came of it, or its time is over. */
  RenewOutcome beat(Lease lease) {
    Duration limit = RenewalSchedule.storeLimit(lease.ttl().duration(), longestInterval);
    Pending one = new Pending(new Asked(lease.name(), lease.owner(), lease.token()), time.nanos() + limit.toNanos());
    boolean leads;
    lock.lock();
    try {
      pending.add(one);
      leads = leaders < LEADERS && !isGathering;
      if (leads) {
        leaders++;
        isGathering = true;
      }
    } finally {
      lock.unlock();
    }
    if (leads) {
      lead();
    }
    while (!one.isDoneAfterWaking()) {
      lead();
    }
    return one.outcome();
  }

  private void lead() {
    scheduler.pause(pause());
    List<Pending> together = gathered();
    try {
      send(together);
    } catch (RuntimeException | Error e) {
      together.forEach(each -> each.fail(e));
      throw e;
    } finally {
      passOn();
    }
  }

  private Duration pause() {
    lock.lock();
    try {
      return failures == 0
          ? MOMENT
          : Duration.ofNanos(Math.min(LONGEST_PAUSE.toNanos(), MOMENT.toNanos() << Math.min(failures, 10)));
    } finally {
      lock.unlock();
    }
  }

  private List<Pending> gathered() {
    lock.lock();
    try {
      List<Pending> first = pending.subList(0, Math.min(pending.size(), MOST_TOGETHER));
      List<Pending> together = new ArrayList<>(first);
      first.clear();
      isGathering = false;
      return together;
    } finally {
      lock.unlock();
    }
  }

  /** Each who is asked for here has the whole limit at least once, however long it took to get here. */
  private void send(List<Pending> together) {
    long now = time.nanos();
    long shortest = together.stream().mapToLong(each -> each.untilNanos - now).min().orElse(0);
    Duration limit = Duration
        .ofNanos(Math.clamp(shortest, SHORTEST_LIMIT.toNanos(), LONGEST_LIMIT.toNanos()));
    try {
      Map<Asked, RenewOutcome> answers = database.changeWithin(limit,
          session -> answers(session, together.stream().map(each -> each.asked).toList()));
      succeeded(true);
      together.forEach(each -> each.answer(answers.get(each.asked)));
    } catch (StorageException e) {
      succeeded(false);
      again(together, e);
    }
  }

  private Map<Asked, RenewOutcome> answers(Session session, List<Asked> all) throws SQLException {
    long stamp = time.nanos();
    Map<Asked, RenewOutcome> answers = new HashMap<>();
    for (RenewOutcome.Renewed renewed : renew(session, all, null, stamp)) {
      Lease lease = renewed.tenure().lease();
      all.stream().filter(asked -> asked.name().equals(lease.name()) && lease.isHeldBy(asked.by(), asked.token()))
          .forEach(asked -> answers.put(asked, renewed));
    }
    List<Asked> left = all.stream().filter(asked -> !answers.containsKey(asked)).toList();
    if (!left.isEmpty()) {
      Map<LeaseName, Row> rows = new HashMap<>();
      session.query(Statements.LOOK_AT_SOME, row -> Row.read(row, database.name()),
          (Object) left.stream().map(asked -> asked.name().value()).toArray(String[]::new))
          .forEach(row -> rows.put(row.name(), row));
      for (Asked asked : left) {
        RenewOutcome outcome = judge.apply(rows.getOrDefault(asked.name(), Row.nothing(asked.name())), asked);
        if (outcome != null) {
          answers.put(asked, outcome);
        }
      }
    }
    return answers;
  }

  private void succeeded(boolean did) {
    lock.lock();
    try {
      failures = did ? 0 : failures + 1;
    } finally {
      lock.unlock();
    }
  }

  private void again(List<Pending> together, StorageException failure) {
    long now = time.nanos();
    List<Pending> left = new ArrayList<>();
    for (Pending each : together) {
      if (each.untilNanos - now > LONGEST_PAUSE.toNanos()) {
        left.add(each);
      } else {
        each.fail(failure);
      }
    }
    lock.lock();
    try {
      pending.addAll(left);
    } finally {
      lock.unlock();
    }
  }

  /** The one with the least time leads next, unless somebody gathers already. */
  private void passOn() {
    Pending next = null;
    lock.lock();
    try {
      if (!isGathering) {
        next = pending.stream().min(Comparator.comparingLong(each -> each.untilNanos)).orElse(null);
      }
      if (next == null) {
        leaders--;
      } else {
        isGathering = true;
      }
    } finally {
      lock.unlock();
    }
    if (next != null) {
      next.lead();
    }
  }
}
