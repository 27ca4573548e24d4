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
import fleet.tower.platform.sql.NamedValues;
import fleet.tower.platform.sql.Session;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/**
 * The heartbeats of this process. Heartbeats that are due together go to the server as one statement, and each gets its
 * own outcome.
 *
 * <p>The first caller gathers the others for a moment and sends for all. When it has sent, the first caller that
 * arrived meanwhile is woken to do the same. So no dedicated thread is needed, and at most two statements are in
 * flight: a connection that does not answer delays only the heartbeats on it. Each heartbeat has half of its interval.
 * A failure before that is retried on a new connection, after a growing pause.
 */
final class Renewals {
  static final Duration GATHERING = Duration.ofMillis(60);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);
  private static final Duration SHORTEST_LIMIT = Duration.ofMillis(100);
  private static final Duration LONGEST_LIMIT = Duration.ofSeconds(5);
  private static final int MAX_BATCH = 1000;
  private static final int MAX_SENDERS = 2;

  private final Database database;
  private final BiFunction<LockRow, Request, @Nullable RenewOutcome> judge;
  private final TimeSource time;
  private final Scheduler scheduler;
  private final Duration longestInterval;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<Pending> pending = new ArrayList<>();
  private int senders;
  private int failures;
  private boolean isGathering;

  /** @param judge the outcome of a renewal that changed no row, given the current row; null if it would succeed now */
  Renewals(Database database, BiFunction<LockRow, Request, @Nullable RenewOutcome> judge, TimeSource time,
      Scheduler scheduler, Duration longestInterval) {
    this.database = database;
    this.judge = judge;
    this.time = time;
    this.scheduler = scheduler;
    this.longestInterval = longestInterval;
  }

  /** A lease to renew; {@link FencingToken#NONE} matches any grant. */
  record Request(LeaseName name, Owner by, FencingToken token) {}

  /**
   * Renews, in one statement, the leases that are still held as requested, and returns only those.
   *
   * @param call the call that counts as the writer of these grants from now on; null keeps the writer
   */
  static List<RenewOutcome.Renewed> renew(Session session, List<Request> all, @Nullable String call, long stampNanos)
      throws SQLException {
    List<RenewOutcome.Renewed> renewed = new ArrayList<>();
    NamedValues values = new NamedValues()
        .put("names", all.stream().map(request -> request.name().value()).toArray(String[]::new))
        .put("requests", all.stream().map(request -> request.by().requestId().value()).toArray(String[]::new))
        .put("actors", all.stream().map(request -> request.by().actor()).toArray(String[]::new))
        .put("tokens", all.stream().map(request -> request.token().value()).toArray(Long[]::new))
        .put("are_of_runs", all.stream().map(request -> request.by().kind() == Owner.Kind.RUN).toArray(Boolean[]::new))
        .put("call", call);
    session.query(LockStatements.RENEW, row -> {
      Lease lease = LockRow.leaseOf(new RequestId(row.getString("request_id")), new LeaseName(row.getString("name")),
          row);
      if (lease != null) {
        long late = LockRow.now(row).getEpochSecond() - row.getLong("before") - lease.ttl().seconds();
        renewed.add(new RenewOutcome.Renewed(HeldLease.since(stampNanos, lease), Math.max(0, late)));
      }
      return true;
    }, values);
    return renewed;
  }

  /** Renews one lease together with others; returns or throws when its outcome is known or its time is over. */
  RenewOutcome beat(Lease lease) {
    Duration limit = RenewalSchedule.storeLimit(lease.ttl().duration(), longestInterval);
    Pending one = new Pending(new Request(lease.name(), lease.owner(), lease.token()), time.nanos() + limit.toNanos());
    boolean sends;
    lock.lock();
    try {
      pending.add(one);
      sends = senders < MAX_SENDERS && !isGathering;
      if (sends) {
        senders++;
        isGathering = true;
      }
    } finally {
      lock.unlock();
    }
    if (sends) {
      sendForAll();
    }
    while (!one.isDoneAfterWaking()) {
      sendForAll();
    }
    return one.outcome();
  }

  private void sendForAll() {
    scheduler.pause(pause());
    List<Pending> batch = takeBatch();
    try {
      send(batch);
    } catch (RuntimeException | Error e) {
      batch.forEach(each -> each.fail(e));
      throw e;
    } finally {
      passOn();
    }
  }

  private Duration pause() {
    lock.lock();
    try {
      return failures == 0
          ? GATHERING
          : Duration.ofNanos(Math.min(LONGEST_PAUSE.toNanos(), GATHERING.toNanos() << Math.min(failures, 10)));
    } finally {
      lock.unlock();
    }
  }

  private List<Pending> takeBatch() {
    lock.lock();
    try {
      List<Pending> first = pending.subList(0, Math.min(pending.size(), MAX_BATCH));
      List<Pending> batch = new ArrayList<>(first);
      first.clear();
      isGathering = false;
      return batch;
    } finally {
      lock.unlock();
    }
  }

  /** Each caller gets the full limit at least once, however long it waited before. */
  private void send(List<Pending> batch) {
    long now = time.nanos();
    long shortest = batch.stream().mapToLong(each -> each.untilNanos - now).min().orElse(0);
    Duration limit = Duration
        .ofNanos(Math.clamp(shortest, SHORTEST_LIMIT.toNanos(), LONGEST_LIMIT.toNanos()));
    try {
      Map<Request, RenewOutcome> answers = database.changeWithin(limit,
          session -> answers(session, batch.stream().map(each -> each.request).toList()));
      record(true);
      batch.forEach(each -> each.answer(answers.get(each.request)));
    } catch (StorageException e) {
      record(false);
      retry(batch, e);
    }
  }

  private Map<Request, RenewOutcome> answers(Session session, List<Request> all) throws SQLException {
    long stamp = time.nanos();
    Map<Request, RenewOutcome> answers = new HashMap<>();
    for (RenewOutcome.Renewed renewed : renew(session, all, null, stamp)) {
      Lease lease = renewed.lease().lease();
      all.stream()
          .filter(request -> request.name().equals(lease.name()) && lease.isHeldBy(request.by(), request.token()))
          .forEach(request -> answers.put(request, renewed));
    }
    List<Request> left = all.stream().filter(request -> !answers.containsKey(request)).toList();
    if (!left.isEmpty()) {
      Map<LeaseName, LockRow> rows = new HashMap<>();
      session.query(LockStatements.FIND_SOME, row -> LockRow.read(row, database.name()),
          (Object) left.stream().map(request -> request.name().value()).toArray(String[]::new))
          .forEach(row -> rows.put(row.name(), row));
      for (Request request : left) {
        RenewOutcome outcome = judge.apply(rows.getOrDefault(request.name(), LockRow.vacant(request.name())), request);
        if (outcome != null) {
          answers.put(request, outcome);
        }
      }
    }
    return answers;
  }

  private void record(boolean success) {
    lock.lock();
    try {
      failures = success ? 0 : failures + 1;
    } finally {
      lock.unlock();
    }
  }

  private void retry(List<Pending> batch, StorageException failure) {
    long now = time.nanos();
    List<Pending> left = new ArrayList<>();
    for (Pending each : batch) {
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

  /** Passes the sending on to the caller with the least time left, unless another caller is gathering already. */
  private void passOn() {
    Pending next = null;
    lock.lock();
    try {
      if (!isGathering) {
        next = pending.stream().min(Comparator.comparingLong(each -> each.untilNanos)).orElse(null);
      }
      if (next == null) {
        senders--;
      } else {
        isGathering = true;
      }
    } finally {
      lock.unlock();
    }
    if (next != null) {
      next.send();
    }
  }
}
