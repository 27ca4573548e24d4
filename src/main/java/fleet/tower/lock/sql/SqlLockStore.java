package fleet.tower.lock.sql;

import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Age;
import fleet.tower.lease.Decision;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseRules;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.Owner;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.ForceReleaseOutcome;
import fleet.tower.lock.Freeze;
import fleet.tower.lock.FreezeRequest;
import fleet.tower.lock.FreezeState;
import fleet.tower.lock.FreezeStore.FreezeOutcome;
import fleet.tower.lock.FreezeStore.UnfreezeOutcome;
import fleet.tower.lock.HaltSource;
import fleet.tower.lock.LockFileContent;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.LockView;
import fleet.tower.lock.PreviousLock;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.KernelRandom;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.NamedValues;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/**
 * A lock store in PostgreSQL: one row per name, changed by single statements that compare and set.
 *
 * <ol>
 * <li><b>Take</b>: {@link LockStatements#TAKE} grants a free name. If it grants nothing, a read finds out why, and the
 * rules decide on what was read.
 * <li><b>Create</b>: {@link LockStatements#CREATE} grants a name that has no row yet.
 * <li><b>Steal</b>: grants a stale name if the row is still the one that was judged, and still stale.
 * <li><b>Keep, heartbeat</b>: moves the heartbeat of the owner's grant. Unlike that of a file, it waits for the disk:
 * the holder survives the server, and would rely on a heartbeat that the server lost.
 * <li><b>Release</b>: clears the request. The row stays, and with it the token.
 * <li><b>Halts</b>: take, create and steal grant nothing if the halts are no longer those that were judged; see
 * {@link SqlHalts}.
 * </ol>
 *
 * <p>Each call that grants a lock writes a mark of its own into the row. If its outcome is uncertain, because the
 * connection was cut or the server sent a warning, the transaction is terminated and a grant with that mark is
 * withdrawn.
 */
final class SqlLockStore implements LockStore {
  /** How often to retry when others change the lock between the read and the change. */
  private static final int MAX_ATTEMPTS = 20;

  private final Database database;
  private final TimeSource time;
  private final LockGrants grants;
  private final Renewals renewals;
  private final SqlHalts halts;
  private final HaltSource ofHost;

  /** @param ofHost the halts of this host, besides those of the database */
  SqlLockStore(Database database, TimeSource time, Scheduler scheduler, Duration longestInterval, HaltSource ofHost) {
    this.halts = new SqlHalts(database);
    this.ofHost = ofHost;
    this.database = database;
    this.time = time;
    this.grants = new LockGrants(database, time, new KernelRandom());
    this.renewals = new Renewals(database, this::judge, time, scheduler, longestInterval);
  }

  @Override
  public AcquireOutcome acquire(AcquireRequest request) {
    AtomicReference<@Nullable PreviousLock> withdrawn = new AtomicReference<>();
    return untilSettled(request.name(), () -> {
      Judged judged = judged(request);
      AcquireOutcome outcome = judged.halted() == null ? grants.take(request, judged.version(), withdrawn.get()) : null;
      if (outcome == null) {
        LockRow seen = row(request.name());
        outcome = seen.haltsVersion() == judged.version() || seen.haltsVersion() == SqlHalts.UNKNOWN
            ? attempt(request, judged, seen, withdrawn)
            : null;
      }
      if (outcome == null) {
        halts.forget();
      }
      return outcome == null ? null : unlessHalted(request, outcome);
    });
  }

  /** What the halts of a number say about a request. */
  private record Judged(long version, Decision.@Nullable Halted halted) {}

  private Judged judged(AcquireRequest request) {
    SqlHalts.Known known = halts.known(request);
    return new Judged(known.version(), known.halts().and(ofHost.inForce()).refusal(request));
  }

  /** @param withdrawn the stale lock that a withdrawn attempt removed */
  private @Nullable AcquireOutcome attempt(AcquireRequest request, Judged judged, LockRow seen,
      AtomicReference<@Nullable PreviousLock> withdrawn) {
    Decision.Refusal blocked = judged.halted() == null ? seen.freeze().refusal() : judged.halted();
    return switch (LeaseRules.decide(seen.state(), blocked, request.leaseRequest())) {
      case Decision.Create() -> seen.haltsVersion() == SqlHalts.UNKNOWN
          ? grants.create(request, judged.version())
          : null;
      case Decision.Keep(Lease lease) -> grants.keep(lease);
      case Decision.Steal(Lease previous) -> grants.steal(request, judged.version(), previous,
          PreviousLock.of(previous, LockFileContent.of(previous)), withdrawn::set);
      case Decision.Refusal refusal -> new AcquireOutcome.Refused(refusal);
    };
  }

  /** Withdraws a grant that a halt of this host covers by now. */
  private AcquireOutcome unlessHalted(AcquireRequest request, AcquireOutcome outcome) {
    Decision.Halted halted = ofHost.inForce().refusal(request);
    if (halted == null || !(outcome instanceof AcquireOutcome.Granted(HeldLease held, PreviousLock previous))) {
      return outcome;
    }
    Lease lease = held.lease();
    boolean isLeftBehind = !(release(lease.name(), lease.owner(), lease.token()) instanceof ReleaseOutcome.Released);
    return previous == null && !isLeftBehind
        ? new AcquireOutcome.Refused(halted)
        : new AcquireOutcome.Undone(lease, previous, halted.describe(), isLeftBehind, halted);
  }

  @Override
  public RenewOutcome renew(LeaseName name, Owner by, FencingToken token) {
    return untilSettled(name, () -> {
      Renewals.Request requested = new Renewals.Request(name, by, token);
      long stamp = time.nanos();
      List<RenewOutcome.Renewed> renewed = database.change(
          session -> Renewals.renew(session, List.of(requested), null, stamp), nothingToUndo());
      return renewed.isEmpty() ? judge(row(name), requested) : renewed.getFirst();
    });
  }

  /** Sends the heartbeat together with others, on connections that only heartbeats use. */
  @Override
  public RenewOutcome beat(Lease lease) {
    return renewals.beat(lease);
  }

  /** The outcome of a renewal that changed no row; null if it would succeed now. */
  private @Nullable RenewOutcome judge(LockRow seen, Renewals.Request requested) {
    return switch (seen.state()) {
      case LeaseState.Vacant() -> new RenewOutcome.Gone();
      case LeaseState.Unusable unusable -> new RenewOutcome.Refused(unusable.refusal());
      case LeaseState.Held held when held.lease().isHeldBy(requested.by(), requested.token()) -> null;
      case LeaseState.Held held -> RenewOutcome.notHeld(held.lease(), requested.by());
    };
  }

  @Override
  public ReleaseOutcome release(LeaseName name, Owner by, FencingToken token) {
    return untilSettled(name, () -> {
      Change<ReleaseOutcome> change = change(session -> session.first(LockStatements.RELEASE,
          row -> released(row, name, by), new NamedValues().put("name", name.value())
              .put("request", by.requestId().value()).put("actor", by.actor()).put("token", token.value())
              .put("is_of_run", by.kind() == Owner.Kind.RUN)));
      return change.result().orElseGet(() -> notReleased(row(name), by, token, change.wasTriedBefore()));
    });
  }

  private static ReleaseOutcome released(ResultSet row, LeaseName name, Owner by) throws SQLException {
    Lease lease = LockRow.leaseOf(by.requestId(), name, row);
    return lease == null
        ? new ReleaseOutcome.Refused(new Decision.Corrupt("the row of the lock was incomplete"))
        : new ReleaseOutcome.Released(lease, LockRow.now(row));
  }

  /**
   * The outcome of a change.
   *
   * @param wasTriedBefore whether the connection was cut during a first try, which may have done what the second found
   * done
   */
  private record Change<T>(Optional<T> result, boolean wasTriedBefore) {}

  private <T> Change<T> change(Database.Work<Optional<T>> work) {
    AtomicInteger tries = new AtomicInteger();
    Optional<T> result = database.change(session -> {
      tries.incrementAndGet();
      return work.run(session);
    }, nothingToUndo());
    return new Change<>(result, tries.get() > 1);
  }

  /** @param wasTried whether an earlier statement, whose connection was cut, may have released the lock */
  private @Nullable ReleaseOutcome notReleased(LockRow seen, Owner by, FencingToken token, boolean wasTried) {
    return switch (seen.state()) {
      case LeaseState.Vacant() when wasTried -> releasedBefore(seen.name(), by, token);
      case LeaseState.Vacant() -> new ReleaseOutcome.Absent();
      case LeaseState.Unusable unusable -> new ReleaseOutcome.Refused(unusable.refusal());
      case LeaseState.Held held when held.lease().isHeldBy(by, token) -> null;
      case LeaseState.Held held -> ReleaseOutcome.notHeld(held.lease(), by);
    };
  }

  /** Whether the first try released the lock: the row of a free name keeps its last grant. */
  private ReleaseOutcome releasedBefore(LeaseName name, Owner by, FencingToken token) {
    return database.read(session -> session.first(LockStatements.FIND, row -> released(row, name, by), name.value()))
        .flatMap(found -> found)
        .filter(outcome -> outcome instanceof ReleaseOutcome.Released(Lease lease, Instant _)
            && lease.isHeldBy(by, token))
        .orElseGet(ReleaseOutcome.Absent::new);
  }

  @Override
  public ForceReleaseOutcome forceRelease(LeaseName name, Predicate<Lease> spares) {
    return untilSettled(name, () -> {
      Optional<Whole> seen = database.read(session -> session.first(LockStatements.FIND_WITH_TEXT,
          row -> new Whole(LockRow.read(row, pathOf(name)), row.getString("whole")), name.value())).flatMap(row -> row);
      if (seen.isEmpty() || seen.get().row().state() instanceof LeaseState.Vacant) {
        return new ForceReleaseOutcome.Absent();
      }
      if (seen.get().row().state() instanceof LeaseState.Held(Lease lease, Age _) && spares.test(lease)) {
        return new ForceReleaseOutcome.Spared(lease);
      }
      Change<Instant> change = change(session -> session.first(LockStatements.FORCE_RELEASE, LockRow::now, name.value(),
          seen.get().text()));
      Optional<Instant> at = change.result().or(() -> change.wasTriedBefore()
          && row(name).state() instanceof LeaseState.Vacant
              ? Optional.of(seen.get().row().seenAt())
              : Optional.empty());
      return at.map(when -> new ForceReleaseOutcome.Removed(previousLock(seen.get()), when)).orElse(null);
    });
  }

  /** A row, and its text, to recognise it by. */
  private record Whole(LockRow row, String text) {}

  /** The digest is that of the lock's file form; for a row that is not a readable lock, that of the row as text. */
  private static PreviousLock previousLock(Whole seen) {
    return seen.row().state() instanceof LeaseState.Held held
        ? PreviousLock.of(held.lease(), LockFileContent.of(held.lease()))
        : PreviousLock.of(null, seen.text().getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public <T> T alone(Supplier<T> work) {
    AtomicBoolean hasRun = new AtomicBoolean();
    return database.writeSwiftly(session -> {
      if (hasRun.getAndSet(true)) {
        throw new StorageException("the connection was cut while the locks were counted; retry");
      }
      session.query(LockStatements.COUNT_ALONE, row -> true);
      return work.get();
    });
  }

  @Override
  public LockView view(LeaseName name) {
    LockRow row = row(name);
    return view(row, inForce(row));
  }

  @Override
  public List<LockView> list(String after, int limit) {
    List<LockRow> rows = rows(after, limit);
    HaltSource.InForce inForce = rows.isEmpty() ? HaltSource.InForce.NONE : inForce(rows.getFirst());
    return rows.stream().map(row -> view(row, inForce)).toList();
  }

  private HaltSource.InForce inForce(LockRow seen) {
    return halts.at(seen.haltsVersion()).and(ofHost.inForce());
  }

  private LockView view(LockRow row, HaltSource.InForce inForce) {
    return new LockView(row.name(), pathOf(row.name()), row.state(), row.freeze(), false, inForce);
  }

  private LockRow row(LeaseName name) {
    return found(name).orElseGet(() -> LockRow.vacant(name));
  }

  private Optional<LockRow> found(LeaseName name) {
    return database
        .read(session -> session.first(LockStatements.FIND, row -> LockRow.read(row, pathOf(name)), name.value()))
        .flatMap(row -> row);
  }

  private List<LockRow> rows(String after, int limit) {
    return database.read(session -> session.query(LockStatements.LIST,
        row -> LockRow.read(row, pathOf(new LeaseName(row.getString("name")))), after, limit)).orElse(List.of());
  }

  @Override
  public FreezeOutcome freeze(FreezeRequest request) {
    return untilSettled(request.name(), () -> {
      Change<Instant> change = change(session -> session.first(LockStatements.FREEZE_NAME,
          row -> LockRow.moment(row, "freeze_created_at"), new NamedValues().put("name", request.name().value())
              .put("request", request.requestId().value()).put("actor", request.actor())
              .put("on_behalf_of", request.onBehalfOf()).put("reason", request.reason())
              .put("ttl", request.ttl().seconds())));
      if (change.result().isPresent()) {
        return new FreezeOutcome.Frozen(request.from(change.result().get()));
      }
      return switch (freezeState(request.name())) {
        case FreezeState.None() -> null;
        case FreezeState.Frozen(Freeze freeze) when change.wasTriedBefore()
            && freeze.requestId().equals(request.requestId()) ->
          new FreezeOutcome.Frozen(freeze);
        case FreezeState.Frozen frozen -> new FreezeOutcome.AlreadyFrozen(frozen);
        case FreezeState.Corrupt unreadable -> new FreezeOutcome.AlreadyFrozen(unreadable);
      };
    });
  }

  @Override
  public UnfreezeOutcome unfreeze(LeaseName name) {
    return untilSettled(name, () -> {
      Optional<Frozen> seen = database.read(session -> session.first(LockStatements.FIND,
          row -> new Frozen(LockRow.read(row, pathOf(name)), row.getString("freeze_request_id")), name.value()))
          .flatMap(row -> row);
      if (seen.isEmpty() || seen.get().row().freeze() instanceof FreezeState.None) {
        return new UnfreezeOutcome.NotFrozen();
      }
      Change<Instant> change = change(session -> session.first(LockStatements.UNFREEZE, LockRow::now, name.value(),
          seen.get().by()));
      Optional<Instant> at = change.result().or(() -> change.wasTriedBefore()
          && freezeState(name) instanceof FreezeState.None ? Optional.of(seen.get().row().seenAt()) : Optional.empty());
      return at.map(when -> new UnfreezeOutcome.Unfrozen(seen.get().row().freeze(), when)).orElse(null);
    });
  }

  /** A freeze, readable or not, and its request, to recognise it by. */
  private record Frozen(LockRow row, @Nullable String by) {}

  @Override
  public FreezeState freezeState(LeaseName name) {
    return row(name).freeze();
  }

  @Override
  public SortedMap<LeaseName, FreezeState> freezes() {
    SortedMap<LeaseName, FreezeState> all = new TreeMap<>();
    rows("", Integer.MAX_VALUE).forEach(row -> all.put(row.name(), row.freeze()));
    all.values().removeIf(FreezeState.None.class::isInstance);
    return all;
  }

  @Override
  public String pathOf(LeaseName name) {
    return database.name() + "#locks/" + name;
  }

  @Override
  public void close() {
    database.close();
  }

  /** No undo: a second try treats what the first one did as its own. */
  static Database.Work<Boolean> nothingToUndo() {
    return _ -> true;
  }

  private <T> T untilSettled(LeaseName name, Supplier<@Nullable T> attempt) {
    for (int i = 0; i < MAX_ATTEMPTS; i++) {
      T settled = attempt.get();
      if (settled != null) {
        return settled;
      }
    }
    throw new StorageException("lock " + name + " keeps changing: others acquire and release it continuously in "
        + database.name() + "; retry, or wait for it in the queue");
  }
}
