package fleet.tower.lock.sql;

import java.sql.SQLException;
import java.time.Instant;
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
import fleet.tower.platform.sql.NamedValues;
import fleet.tower.platform.sql.Session;
import fleet.tower.platform.time.TimeSource;

/** Grants locks, and withdraws a grant whose durability is uncertain. */
final class LockGrants {
  private final Database database;
  private final TimeSource time;
  /** The prefix of the call marks that this object writes. */
  private final String calls;
  private final AtomicLong count = new AtomicLong();

  LockGrants(Database database, TimeSource time, RandomGenerator random) {
    this.database = database;
    this.time = time;
    this.calls = RequestId.random(random).value() + "-";
  }

  /** The lease that a statement wrote, and the server's warning about it, if any. */
  private record Written(Lease lease, @Nullable String warning) {}

  /**
   * @param halts the number of the halts by which the request was judged
   * @param previousLock the stale lock that an earlier attempt of the same call removed, or null
   */
  @Nullable
  AcquireOutcome take(AcquireRequest request, long halts, @Nullable PreviousLock previousLock) {
    return grant(request, LockStatements.TAKE, new NamedValues().put("halts", halts), previousLock, () -> {});
  }

  /** Grants a name that has no row. */
  @Nullable
  AcquireOutcome create(AcquireRequest request, long halts) {
    return grant(request, LockStatements.CREATE, new NamedValues().put("halts", halts), null, () -> {});
  }

  /** @param onWithdrawn called if the stale lock was removed and its successor withdrawn */
  @Nullable
  AcquireOutcome steal(AcquireRequest request, long halts, Lease previous, PreviousLock previousLock,
      Consumer<PreviousLock> onWithdrawn) {
    NamedValues judged = new NamedValues().put("halts", halts).put("judged_request", previous.requestId().value())
        .put("judged_token", previous.token().value())
        .put("judged_heartbeat", previous.lastHeartbeatAt().getEpochSecond());
    return grant(request, LockStatements.STEAL, judged, previousLock, () -> onWithdrawn.accept(previousLock));
  }

  private @Nullable AcquireOutcome grant(AcquireRequest request, String sql, NamedValues values,
      @Nullable PreviousLock previousLock, Runnable onWithdrawn) {
    long stamp = time.nanos();
    String call = nextCall();
    Holder holder = request.holder();
    values.put("call", call).put("request", request.requestId().value()).put("actor", holder.actor())
        .put("intent", holder.intent()).put("intent_version", holder.intentVersion()).put("host", holder.hostId())
        .put("pid", holder.pid()).put("ttl", request.ttl().seconds())
        .put("metadata", LockRow.withoutToken(request.metadata())).put("name", request.name().value());
    AtomicBoolean withdrawn = new AtomicBoolean();
    Optional<Written> written = database.change(session -> session.first(sql, row -> {
      Instant at = LockRow.moment(row, "created_at");
      FencingToken token = new FencingToken(row.getLong("token"));
      return new Lease(request.name(), request.requestId(), token, request.holder(), at, at, request.ttl(),
          request.metadata().with(token));
    }, values).map(lease -> new Written(lease, session.warning().orElse(null))), session -> {
      withdrawn.compareAndSet(false, withdraw(session, request, call));
      return true;
    });
    if (withdrawn.get()) {
      onWithdrawn.run();
    }
    if (written.isEmpty()) {
      return null;
    }
    String warning = written.get().warning();
    return warning == null
        ? new AcquireOutcome.Granted(HeldLease.since(stamp, written.get().lease()), previousLock)
        : undo(request, call, written.get().lease(), previousLock, warning);
  }

  private String nextCall() {
    return calls + count.incrementAndGet();
  }

  /** Withdraws a grant: a commit with a warning was not stored as safely as required. */
  private AcquireOutcome undo(AcquireRequest request, String call, Lease lease, @Nullable PreviousLock previousLock,
      String warning) {
    String error = "the server granted it with a warning, so it may be lost: " + warning;
    try {
      database.change(session -> withdraw(session, request, call), SqlLockStore.nothingToUndo());
      return new AcquireOutcome.Undone(lease, previousLock, error, false);
    } catch (StorageException e) {
      return new AcquireOutcome.Undone(lease, previousLock, error + "; then " + e.publicMessage(), true);
    }
  }

  private static boolean withdraw(Session session, AcquireRequest request, String call) throws SQLException {
    return session.first(LockStatements.WITHDRAW, row -> true, request.name().value(), call).isPresent();
  }

  /**
   * Renews for an owner that repeats its request. From now on this call counts as the one that granted the lock; an
   * earlier call of the same request that is still determining its outcome withdraws nothing.
   */
  @Nullable
  AcquireOutcome keep(Lease lease) {
    long stamp = time.nanos();
    String call = nextCall();
    Renewals.Request request = new Renewals.Request(lease.name(), lease.owner(), lease.token());
    List<HeldLease> kept = database.change(session -> {
      List<HeldLease> renewed = Renewals.renew(session, List.of(request), call, stamp).stream()
          .map(outcome -> outcome.lease()).toList();
      String warning = session.warning().orElse(null);
      if (warning != null) {
        throw new StorageException("lock " + lease.name() + " is still held by " + lease.requestId()
            + ", but its renewal got a warning from the server: " + warning + "; retry");
      }
      return renewed;
    }, SqlLockStore.nothingToUndo());
    return kept.isEmpty() ? null : new AcquireOutcome.Kept(kept.getFirst());
  }
}
