package fleet.tower.lock.sql;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.LeaseName;
import fleet.tower.lock.queue.WaitQueue;
import fleet.tower.lock.queue.WaitQueue.Place.Standing;
import fleet.tower.lock.queue.WaitQueue.WaitingRequest;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.NamedValues;
import fleet.tower.platform.time.WakeUp;

/**
 * This process' part of the queue of one name. Its waiters have their own order; the first of them, the head, reads all
 * rows, and the others sleep until they become the head.
 */
final class SqlNameQueue {
  private final LeaseName name;
  private final Database database;
  private final LongSupplier session;
  private final String executor;
  private final Runnable onLeft;
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<SqlQueuePlace> ours = new ArrayDeque<>();
  private volatile @Nullable SqlQueuePlace head;
  private volatile boolean isChanged = true;
  private volatile Standing standing = new Standing.BehindOwn();
  private volatile List<Row> seen = List.of();

  /**
   * @param session supplies the current session number of this process' rows
   * @param executor this process, as other processes of the fleet know it
   */
  SqlNameQueue(LeaseName name, Database database, LongSupplier session, String executor, Runnable onLeft) {
    this.name = name;
    this.database = database;
    this.session = session;
    this.executor = executor;
    this.onLeft = onLeft;
  }

  private record Row(long sequence, long session) {}

  WaitQueue.JoinOutcome join(WaitingRequest request, WakeUp wakeUp) {
    lock.lock();
    try {
      Optional<SqlQueuePlace.Row> joined = database.change(on -> on.first(WaitStatements.JOIN,
          row -> new SqlQueuePlace.Row(row.getLong(1), request.requestId().value(), request.actor(), request.intent(),
              row.getLong(2)),
          values().put("session", session.getAsLong()).put("request_id", request.requestId().value())
              .put("actor", request.actor()).put("intent", request.intent())),
          _ -> true);
      if (joined.isEmpty()) {
        return new WaitQueue.JoinOutcome.Full();
      }
      SqlQueuePlace place = new SqlQueuePlace(this, joined.get(), wakeUp);
      ours.addLast(place);
      if (head == null) {
        promote(place);
      }
      return new WaitQueue.JoinOutcome.Joined(place);
    } finally {
      lock.unlock();
    }
  }

  private NamedValues values() {
    return new NamedValues().put("name", name.value()).put("executor", executor);
  }

  /**
   * Removes a place. A row that cannot be removed now is removed by the next check, or counts as dead once this process
   * has no waiters.
   */
  void leave(SqlQueuePlace place) {
    lock.lock();
    try {
      ours.remove(place);
      SqlQueuePlace next = ours.peekFirst();
      if (next == null) {
        head = null;
      } else if (place.equals(head)) {
        promote(next);
        next.wake();
      }
    } finally {
      lock.unlock();
    }
    try {
      remove(place.sequence());
    } finally {
      onLeft.run();
    }
  }

  private void remove(long sequence) {
    database.change(on -> on.first(WaitStatements.LEAVE, row -> true, sequence), _ -> true);
  }

  Standing standing(SqlQueuePlace place, boolean refresh) {
    if (!place.equals(head)) {
      return new Standing.BehindOwn();
    }
    if (isChanged || refresh) {
      isChanged = false;
      readQueue(place, refresh);
    }
    return standing;
  }

  int position(SqlQueuePlace place) {
    return (int) seen.stream().filter(row -> row.sequence() < place.sequence()).count();
  }

  /** The name may be free, or the queue has changed. */
  void changed() {
    isChanged = true;
    SqlQueuePlace first = head;
    if (first != null) {
      first.wake();
    }
  }

  private void promote(SqlQueuePlace place) {
    isChanged = true;
    standing = new Standing.BehindOwn();
    head = place;
  }

  /** @param refresh whether to look for dead waiters too, which send no notification */
  private void readQueue(SqlQueuePlace place, boolean refresh) {
    if (refresh) {
      database.change(on -> on.update(WaitStatements.SWEEP, values()), _ -> true);
    }
    lock.lock();
    try {
      List<Row> rows = restored();
      List<Row> before = rows.stream().filter(row -> row.sequence() < place.sequence()).toList();
      seen = rows;
      standing = before.isEmpty()
          ? new Standing.First()
          : new Standing.BehindOthers(Long.toString(before.getFirst().sequence()),
              before.stream().map(Row::session).collect(Collectors.toSet()).size());
    } finally {
      lock.unlock();
    }
  }

  /** All rows, after restoring ours that others removed, and removing those that we left over. */
  private List<Row> restored() {
    List<Row> rows = rows();
    long own = session.getAsLong();
    var held = ours.stream().map(SqlQueuePlace::sequence).collect(Collectors.toSet());
    var found = rows.stream().map(Row::sequence).collect(Collectors.toSet());
    List<SqlQueuePlace> missing = ours.stream().filter(place -> !found.contains(place.sequence())).toList();
    List<Row> left = rows.stream().filter(row -> row.session() == own && !held.contains(row.sequence())).toList();
    for (SqlQueuePlace place : missing) {
      SqlQueuePlace.Row row = place.row();
      database.change(on -> on.update(WaitStatements.JOIN_AGAIN, values().put("sequence", row.sequence())
          .put("session", own).put("request_id", row.requestId()).put("actor", row.actor()).put("intent", row.intent())
          .put("since", row.since())), _ -> true);
    }
    left.forEach(row -> remove(row.sequence()));
    return missing.isEmpty() && left.isEmpty() ? rows : rows();
  }

  private List<Row> rows() {
    return database
        .read(on -> on.query(WaitStatements.LOOK, row -> new Row(row.getLong(1), row.getLong(2)), name.value()))
        .orElse(List.of());
  }
}
