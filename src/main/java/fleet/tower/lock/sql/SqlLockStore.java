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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Decision;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseRules;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.Owner;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.ForceReleaseOutcome;
import fleet.tower.lock.LockFileContent;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.LockView;
import fleet.tower.lock.PreviousLock;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.lock.freeze.Freeze;
import fleet.tower.lock.freeze.FreezeOutcome;
import fleet.tower.lock.freeze.FreezeRequest;
import fleet.tower.lock.freeze.FreezeState;
import fleet.tower.lock.freeze.UnfreezeOutcome;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.KernelRandom;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/**
 * The lock in PostgreSQL: a row for each name, changed by one statement that compares and sets.
 *
 * <ol>
 * <li><b>Take</b>: {@link Statements#TAKE} gives a name that is free. Where it gives nothing, a look tells why, and the rules
 * decide by that look.
 * <li><b>Create</b>: {@link Statements#CREATE} gives a name that the look has not found; it is new once in its life.
 * <li><b>Steal</b>: what was judged stale is given to another if the very same stands there, stale still.
 * <li><b>Keep, heartbeat</b>: moves the heartbeat of the owner's tenure. It waits for the disk, unlike that of a file: its
 * holder survives the server, and would believe in a heartbeat that the server has forgotten.
 * <li><b>Release</b>: clears the request. The row stays, and with it the token.
 * </ol>
 *
 * <p>Each call that gives a lock writes a mark of its own into the row. Where nobody knows what came of it, because the
 * connection was cut or the server had a remark, the server is made to end it, and what has that mark is taken back.
 */
final class SqlLockStore implements LockStore {
  /** How often an attempt starts over because others have changed the lock between the look and the change. */
  private static final int MOST_ATTEMPTS = 20;

  private final Database database;
  private final TimeSource time;
  private final LockGrants giving;
  private final Renewals renewals;

  SqlLockStore(Database database, TimeSource time, Scheduler scheduler, Duration longestInterval) {
    this.database = database;
    this.time = time;
    this.giving = new LockGrants(database, time, new KernelRandom());
    this.renewals = new Renewals(database, this::judge, time, scheduler, longestInterval);
  }

  @Override
  public AcquireOutcome acquire(AcquireRequest request) {
    Storable.check(request);
    AtomicReference<@Nullable PreviousLock> goneBefore = new AtomicReference<>();
    return untilSettled(request.name(), () -> {
      AcquireOutcome taken = giving.take(request, goneBefore.get());
      if (taken != null) {
        return taken;
      }
      Optional<Row> seen = found(request.name());
      return seen.isPresent() ? attempt(request, seen.get(), goneBefore) : giving.create(request);
    });
  }

  /** @param goneBefore whose stale lock has gone by an attempt that was taken back */
  private @Nullable AcquireOutcome attempt(AcquireRequest request, Row seen,
      AtomicReference<@Nullable PreviousLock> goneBefore) {
    return switch (LeaseRules.decide(seen.occupancy(), seen.frost().refusal(), request.leaseRequest())) {
      case Decision.Create() -> null;
      case Decision.Keep(Lease lease) -> giving.keep(lease);
      case Decision.Steal(Lease previous) -> giving.steal(request, previous,
          PreviousLock.of(previous, LockFileContent.of(previous)), goneBefore::set);
      case Decision.Refusal refusal -> new AcquireOutcome.Refused(refusal);
    };
  }

  @Override
  public RenewOutcome renew(LeaseName name, Owner by, FencingToken token) {
    return untilSettled(name, () -> {
      Renewals.Asked asked = new Renewals.Asked(name, by, token);
      long stamp = time.nanos();
      List<RenewOutcome.Renewed> renewed = database.change(
          session -> Renewals.renew(session, List.of(asked), null, stamp), nothingToUndo());
      return renewed.isEmpty() ? judge(row(name), asked) : renewed.getFirst();
    });
  }

  /** A keeper has time: its heartbeat goes with those of others, on connections that only heartbeats use. */
  @Override
  public RenewOutcome beat(Lease lease) {
    return renewals.beat(lease);
  }

  /** What is told to an owner whose renewal has found nothing to renew; null where it would find it now. */
  private @Nullable RenewOutcome judge(Row seen, Renewals.Asked asked) {
    return switch (seen.occupancy()) {
      case LeaseState.Vacant() -> new RenewOutcome.Gone();
      case LeaseState.Corrupt(String problem) -> new RenewOutcome.Unreadable(new Decision.Unreadable(problem));
      case LeaseState.Unsupported(String version) -> new RenewOutcome.Unreadable(new Decision.Newer(version));
      case LeaseState.Held held when held.lease().isHeldBy(asked.by(), asked.token()) -> null;
      case LeaseState.Held held -> new RenewOutcome.Taken(held.lease());
    };
  }

  @Override
  public ReleaseOutcome release(LeaseName name, Owner by, FencingToken token) {
    return untilSettled(name, () -> {
      Change<ReleaseOutcome> change = change(session -> session.first(Statements.RELEASE,
          row -> released(row, name, by), name.value(), by.requestId().value(), by.actor(), token.value()));
      return change.result().orElseGet(() -> notReleased(row(name), by, token, change.wasTriedBefore()));
    });
  }

  private static ReleaseOutcome released(ResultSet row, LeaseName name, Owner by) throws SQLException {
    Lease lease = Row.leaseOf(by.requestId(), name, row);
    return lease == null
        ? new ReleaseOutcome.Unreadable(new Decision.Unreadable("the row of the lock was not whole"))
        : new ReleaseOutcome.Released(lease, Row.now(row));
  }

  /**
   * What came of a change.
   *
   * @param wasTriedBefore whether the connection was cut at a first try, which may have done what the second found done
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

  /** @param wasTried whether a statement before this one was cut off, which may have released it */
  private @Nullable ReleaseOutcome notReleased(Row seen, Owner by, FencingToken token, boolean wasTried) {
    return switch (seen.occupancy()) {
      case LeaseState.Vacant() when wasTried -> releasedBefore(seen.name(), by, token);
      case LeaseState.Vacant() -> new ReleaseOutcome.Absent();
      case LeaseState.Corrupt(String problem) -> new ReleaseOutcome.Unreadable(new Decision.Unreadable(problem));
      case LeaseState.Unsupported(String version) -> new ReleaseOutcome.Unreadable(new Decision.Newer(version));
      case LeaseState.Held held when held.lease().isHeldBy(by, token) -> null;
      case LeaseState.Held held -> new ReleaseOutcome.NotOwner(held.lease());
    };
  }

  /** The row of a free name has its last tenure: if that was the one to be released, the first try has done it. */
  private ReleaseOutcome releasedBefore(LeaseName name, Owner by, FencingToken token) {
    return database.read(session -> session.first(Statements.LOOK, row -> released(row, name, by), name.value()))
        .flatMap(found -> found)
        .filter(outcome -> outcome instanceof ReleaseOutcome.Released(Lease lease, Instant _)
            && lease.isHeldBy(by, token))
        .orElseGet(ReleaseOutcome.Absent::new);
  }

  @Override
  public ForceReleaseOutcome forceRelease(LeaseName name) {
    return untilSettled(name, () -> {
      Optional<Whole> seen = database.read(session -> session.first(Statements.LOOK_AT_ALL_OF_IT,
          row -> new Whole(Row.read(row, pathOf(name)), row.getString("whole")), name.value())).flatMap(row -> row);
      if (seen.isEmpty() || seen.get().row().occupancy() instanceof LeaseState.Vacant) {
        return new ForceReleaseOutcome.Absent();
      }
      Change<Instant> change = change(session -> session.first(Statements.FORCE_RELEASE, Row::now, name.value(),
          seen.get().text()));
      Optional<Instant> at = change.result().or(() -> change.wasTriedBefore()
          && row(name).occupancy() instanceof LeaseState.Vacant
              ? Optional.of(seen.get().row().seenAt())
              : Optional.empty());
      return at.map(when -> new ForceReleaseOutcome.Removed(displaced(seen.get()), when)).orElse(null);
    });
  }

  /** A row as it was seen, and the text to know it by again. */
  private record Whole(Row row, String text) {}

  /** The digest is that of the file which the lock would be; where it is no lock to us, that of the row as the server writes it. */
  private static PreviousLock displaced(Whole seen) {
    return seen.row().occupancy() instanceof LeaseState.Held held
        ? PreviousLock.of(held.lease(), LockFileContent.of(held.lease()))
        : PreviousLock.of(null, seen.text().getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public LockView look(LeaseName name) {
    return sighting(row(name));
  }

  @Override
  public List<LockView> list() {
    return rows().stream().map(this::sighting).toList();
  }

  private LockView sighting(Row row) {
    return new LockView(row.name(), pathOf(row.name()), row.occupancy(), row.frost());
  }

  private Row row(LeaseName name) {
    return found(name).orElseGet(() -> Row.nothing(name));
  }

  private Optional<Row> found(LeaseName name) {
    return database.read(session -> session.first(Statements.LOOK, row -> Row.read(row, pathOf(name)), name.value()))
        .flatMap(row -> row);
  }

  private List<Row> rows() {
    return database.read(session -> session.query(Statements.LIST,
        row -> Row.read(row, pathOf(new LeaseName(row.getString("name")))))).orElse(List.of());
  }

  @Override
  public FreezeOutcome freeze(FreezeRequest request) {
    Storable.check(request);
    return untilSettled(request.name(), () -> {
      Change<Instant> change = change(session -> session.first(Statements.FREEZE_NAME,
          row -> Row.moment(row, "freeze_created_at"), request.name().value(), request.requestId().value(),
          request.actor(), request.onBehalfOf(), request.reason(), request.ttl().seconds()));
      if (change.result().isPresent()) {
        return new FreezeOutcome.Frozen(request.from(change.result().get()));
      }
      return switch (frost(request.name())) {
        case FreezeState.None() -> null;
        case FreezeState.Frozen(Freeze freeze) when change.wasTriedBefore()
            && freeze.requestId().equals(request.requestId()) ->
          new FreezeOutcome.Frozen(freeze);
        case FreezeState.Frozen frozen -> new FreezeOutcome.AlreadyFrozen(frozen);
        case FreezeState.Unreadable unreadable -> new FreezeOutcome.AlreadyFrozen(unreadable);
      };
    });
  }

  @Override
  public UnfreezeOutcome unfreeze(LeaseName name) {
    return untilSettled(name, () -> {
      Optional<Frozen> seen = database.read(session -> session.first(Statements.LOOK,
          row -> new Frozen(Row.read(row, pathOf(name)), row.getString("freeze_request_id")), name.value()))
          .flatMap(row -> row);
      if (seen.isEmpty() || seen.get().row().frost() instanceof FreezeState.None) {
        return new UnfreezeOutcome.NotFrozen();
      }
      Change<Instant> change = change(session -> session.first(Statements.UNFREEZE, Row::now, name.value(),
          seen.get().by()));
      Optional<Instant> at = change.result().or(() -> change.wasTriedBefore()
          && frost(name) instanceof FreezeState.None ? Optional.of(seen.get().row().seenAt()) : Optional.empty());
      return at.map(when -> new UnfreezeOutcome.Unfrozen(seen.get().row().frost(), when)).orElse(null);
    });
  }

  /** A freeze as it was seen, and the request to know it by again, readable or not. */
  private record Frozen(Row row, @Nullable String by) {}

  @Override
  public FreezeState frost(LeaseName name) {
    return row(name).frost();
  }

  @Override
  public SortedMap<LeaseName, FreezeState> freezes() {
    SortedMap<LeaseName, FreezeState> all = new TreeMap<>();
    rows().forEach(row -> all.put(row.name(), row.frost()));
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

  /** What a second try finds done by the first is as good as done by it. */
  static Database.Work<Boolean> nothingToUndo() {
    return _ -> true;
  }

  private <T> T untilSettled(LeaseName name, Supplier<@Nullable T> attempt) {
    for (int i = 0; i < MOST_ATTEMPTS; i++) {
      T settled = attempt.get();
      if (settled != null) {
        return settled;
      }
    }
    throw new StorageException("lock " + name + " keeps changing: others take it and give it back without a pause in "
        + database.name() + "; try again, or wait for it in line");
  }
}
