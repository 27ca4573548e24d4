package fleet.tower.lock.sql;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Holder;
import fleet.tower.lease.Lease;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.PreviousLock;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.Session;
import fleet.tower.platform.time.TimeSource;

/** Gives locks, and takes back what it has given where nobody knows whether it will last. */
final class LockGrants {
  private final Database database;
  private final TimeSource time;
  /** What only the calls of this object have in their marks. */
  private final String calls;
  private final AtomicLong count = new AtomicLong();

  LockGrants(Database database, TimeSource time, RandomGenerator random) {
    this.database = database;
    this.time = time;
    this.calls = RequestId.random(random).value() + "-";
  }

  /** What a statement has written, and what the server had to remark about it. */
  private record Written(Lease lease, @Nullable String remark) {}

  /** @param displaced whose stale lock has gone by an earlier attempt of the same call; null when nobody's */
  @Nullable
  AcquireOutcome take(AcquireRequest request, @Nullable PreviousLock displaced) {
    return give(request, Statements.TAKE, List.of(), displaced, () -> {});
  }

  /** Gives a name that has no row. */
  @Nullable
  AcquireOutcome create(AcquireRequest request) {
    return give(request, Statements.CREATE, List.of(), null, () -> {});
  }

  /** @param onTakenBack told when the stale lock has gone, and its successor with it */
  @Nullable
  AcquireOutcome steal(AcquireRequest request, Lease previous, PreviousLock displaced,
      Consumer<PreviousLock> onTakenBack) {
    return give(request, Statements.STEAL, List.of(previous.requestId().value(), previous.token().value(),
        previous.lastHeartbeatAt().getEpochSecond()), displaced, () -> onTakenBack.accept(displaced));
  }

  private @Nullable AcquireOutcome give(AcquireRequest request, String sql, List<Object> condition,
      @Nullable PreviousLock displaced, Runnable onTakenBack) {
    long stamp = time.nanos();
    String call = nextCall();
    Object[] values = values(request, call, condition);
    AtomicBoolean takenBack = new AtomicBoolean();
    Optional<Written> written = database.change(session -> session.first(sql, row -> {
      Instant at = Row.moment(row, "created_at");
      FencingToken token = new FencingToken(row.getLong("token"));
      return new Lease(request.name(), request.requestId(), token, request.holder(), at, at, request.ttl(),
          request.metadata().with(token));
    }, values).map(lease -> new Written(lease, session.warning().orElse(null))), session -> {
      takenBack.compareAndSet(false, withdraw(session, request, call));
      return true;
    });
    if (takenBack.get()) {
      onTakenBack.run();
    }
    if (written.isEmpty()) {
      return null;
    }
    String remark = written.get().remark();
    return remark == null
        ? new AcquireOutcome.Granted(HeldLease.since(stamp, written.get().lease()), displaced)
        : undo(request, call, written.get().lease(), displaced, remark);
  }

  private String nextCall() {
    return calls + count.incrementAndGet();
  }

  private static Object[] values(AcquireRequest request, String call, List<Object> condition) {
    Holder holder = request.holder();
    List<Object> values = new ArrayList<>(List.of(call, request.requestId().value(), holder.actor(), holder.intent(),
        holder.intentVersion(), holder.hostId(), holder.pid(), request.ttl().seconds(),
        Row.withoutToken(request.metadata()), request.name().value()));
    values.addAll(condition);
    return values.toArray();
  }

  /** A server that warns behind a commit has not kept it as safely as it was to be kept. */
  private AcquireOutcome undo(AcquireRequest request, String call, Lease lease, @Nullable PreviousLock displaced,
      String remark) {
    String error = "the server gave it with a warning, so it may be forgotten: " + remark;
    try {
      database.change(session -> withdraw(session, request, call), SqlLockStore.nothingToUndo());
      return new AcquireOutcome.Undone(lease, displaced, error, false);
    } catch (StorageException e) {
      return new AcquireOutcome.Undone(lease, displaced, error + "; then " + e.publicMessage(), true);
    }
  }

  private static boolean withdraw(Session session, AcquireRequest request, String call) throws SQLException {
    return session.first(Statements.WITHDRAW, row -> true, request.name().value(), call).isPresent();
  }

  /**
   * Renews for an owner who asks again. From now on this call has given the lock: an earlier one of the same request that is
   * still finding out what came of it takes nothing back any more.
   */
  @Nullable
  AcquireOutcome keep(Lease lease) {
    long stamp = time.nanos();
    String call = nextCall();
    Renewals.Asked asked = new Renewals.Asked(lease.name(), lease.owner(), lease.token());
    List<HeldLease> kept = database.change(session -> {
      List<HeldLease> renewed = Renewals.renew(session, List.of(asked), call, stamp).stream()
          .map(outcome -> outcome.tenure()).toList();
      String remark = session.warning().orElse(null);
      if (remark != null) {
        throw new StorageException("lock " + lease.name() + " is still held by " + lease.requestId()
            + ", but the server warned when it was renewed: " + remark + "; ask again");
      }
      return renewed;
    }, SqlLockStore.nothingToUndo());
    return kept.isEmpty() ? null : new AcquireOutcome.Kept(kept.getFirst());
  }
}
