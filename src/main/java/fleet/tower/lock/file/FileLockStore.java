package fleet.tower.lock.file;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

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
import fleet.tower.lock.FreezeRequest;
import fleet.tower.lock.FreezeState;
import fleet.tower.lock.FreezeStore.FreezeOutcome;
import fleet.tower.lock.FreezeStore.UnfreezeOutcome;
import fleet.tower.lock.HaltSource;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.LockView;
import fleet.tower.lock.PreviousLock;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.Journal;
import fleet.tower.platform.disk.RecordedFiles;
import fleet.tower.platform.disk.RecordedFiles.Recorder;
import fleet.tower.platform.time.TimeSource;

/**
 * A lock store on files. Every change of a lock happens under the guard of its name:
 *
 * <ol>
 * <li><b>Create</b>: increment the fencing counter; write the lock to a temp file; link it to the lock's name, which
 * fails if the name exists, even if its writer does not use the guard; remove the temp file; record the grant in the
 * journal, and sync that.
 * <li><b>Heartbeat</b>: read; if the lock is still this owner's grant, write a copy with a new heartbeat and exchange
 * its name for the lock's, by a {@link LockReplacement}; keep the file that had the name for the next copy.
 * <li><b>Steal</b>: read again; only if the lock is stale and force was given: increment the counter; write the temp
 * file and sync it; read once more and require the same bytes that were judged; replace them as a heartbeat does, so that
 * the name is never absent; record the grant and sync.
 * <li><b>Release</b>: read; if the lock is this owner's, unlink; record the removal. The sync follows outside the
 * guard, so that the next holder need not wait for it.
 * <li><b>Freeze, unfreeze</b>: {@link FreezeFiles}. Create and steal check for a freeze first, under the same guard.
 * <li><b>Halts</b>, which change without the guard of a name: create and steal read them first, and again at their end.
 * So a grant either precedes a halt, or is withdrawn.
 * <li><b>Forget</b>: {@link Retirement}.
 * </ol>
 *
 * A refusal is decided by a read without the guard: the read is atomic, and a refusal changes nothing. An error after
 * the link or exchange removes the lock again before it is reported.
 *
 * <p>The files are not synced, apart from that of a steal, which would take the stolen lock with it. After a power cut,
 * {@link Restoration} puts them back from the journal, before anything else is done.
 *
 * <p>The journal also records changes of other files of the home, so that a run, its lock and its audit events share a
 * sync.
 *
 * <p>While the locks move to another store, nothing is granted; see {@link FileLockSource}.
 */
final class FileLockStore implements LockStore, Recorder {
  /** How often to judge a lock again when a program that does not use the guard changed the lock meanwhile. */
  private static final int MAX_ATTEMPTS = 5;

  private final LockDirectory directory;
  private final TimeSource time;
  private final LockFinder finder;
  private final Grants grants;
  private final Removals removals;
  private final FreezeFiles freezes;
  private final Journal journal;
  private final Restoration restoration;
  private final Witnesses witnesses;
  private final Retirement retirement;
  private final HaltSource halts;

  /**
   * @param others the other files that the journal has records of
   *
   * @param onRestored receives each lock that is put back after a power cut
   *
   * @param halts what stops grants
   */
  FileLockStore(LockDirectory directory, TimeSource time, long journalLimit, RecordedFiles others,
      Consumer<Lease> onRestored, HaltSource halts) {
    this.halts = halts;
    this.directory = directory;
    this.time = time;
    this.finder = new LockFinder(directory, time);
    this.freezes = new FreezeFiles(directory, time);
    this.journal = new Journal(directory, journalLimit);
    this.removals = new Removals(directory, time, journal);
    this.grants = new Grants(directory, time, finder, journal, removals);
    this.restoration = new Restoration(directory, directory::enter, journal, others, onRestored);
    this.witnesses = new Witnesses(directory);
    this.retirement = new Retirement(directory, time);
  }

  @Override
  public AcquireOutcome acquire(AcquireRequest request) {
    LeaseName name = request.name();
    return storage(name, () -> {
      if (decide(request, finder.find(name), freezes.find(name)) instanceof Decision.Refusal refusal) {
        directory.requireUnmoved();
        return new AcquireOutcome.Refused(refusal);
      }
      return guarded(name, () -> judged(name, () -> attempt(request, finder.find(name), freezes.find(name))));
    });
  }

  @Override
  public RenewOutcome renew(LeaseName name, Owner by, FencingToken token) {
    return storage(name, () -> {
      if (!directory.exists()) {
        return new RenewOutcome.Gone();
      }
      return guarded(name, () -> judged(name, () -> attempt(finder.find(name), by, token)));
    });
  }

  @Override
  public ReleaseOutcome release(LeaseName name, Owner by, FencingToken token) {
    return storage(name, () -> {
      if (!directory.exists()) {
        return new ReleaseOutcome.Absent();
      }
      try {
        return guarded(name, () -> removals.ifOwned(finder.find(name).state(), by, token)).settled();
      } catch (IOException e) {
        return notRemoved(finder.find(name).state(), by, token, e);
      }
    });
  }

  private ReleaseOutcome notRemoved(LeaseState state, Owner by, FencingToken token, IOException error)
      throws IOException {
    return switch (state) {
      case LeaseState.Vacant() -> new ReleaseOutcome.Absent();
      case LeaseState.Held(Lease lease, Age _) when lease.isHeldBy(by, token) ->
        new ReleaseOutcome.Failed(lease, time.now(), Errno.describe(error));
      case LeaseState.Held _,LeaseState.Unusable _ -> throw error;
    };
  }

  @Override
  public ForceReleaseOutcome forceRelease(LeaseName name, Predicate<Lease> spares) {
    return storage(name, () -> {
      if (!directory.exists()) {
        return new ForceReleaseOutcome.Absent();
      }
      return guarded(name, () -> removals.ofAny(name, finder.find(name).state(), spares)).settled();
    });
  }

  @Override
  public List<LeaseName> unused(Duration least, int limit) {
    try {
      return retirement.unused(least, limit);
    } catch (IOException e) {
      throw new StorageException("the locks cannot be read: " + Errno.describeWithFile(e), e);
    }
  }

  @Override
  public boolean forget(LeaseName name, Duration least) {
    return storage(name, () -> guarded(name, () -> retirement.retire(name, least)));
  }

  @Override
  public LockView view(LeaseName name) {
    HaltSource.InForce inForce = halts.inForce();
    return look(name,
        () -> restoration.look(pending -> view(name, pending.get(name), witnesses::isRestored, inForce)));
  }

  @Override
  public List<LockView> list(String after, int limit) {
    HaltSource.InForce inForce = halts.inForce();
    try {
      return restoration.look(pending -> {
        Set<Witnesses.Grant> restored = Witnesses.restored(directory.list());
        return Stream.concat(names(), pending.keySet().stream()).filter(name -> name.value().compareTo(after) > 0)
            .sorted().distinct()
            .map(name -> look(name, () -> view(name, pending.get(name),
                (_, token) -> restored.contains(new Witnesses.Grant(name, token)), inForce)))
            .filter(view -> !view.isFree()).limit(limit).toList();
      });
    } catch (IOException e) {
      throw new StorageException("the locks cannot be read: " + Errno.describeWithFile(e), e);
    }
  }

  /** Whether a lock was put back after a power cut. */
  private interface Restored {
    boolean is(LeaseName name, FencingToken token) throws IOException;
  }

  /** @param pending the records that a restore will apply; null if there are none */
  private LockView view(LeaseName name, @Nullable LockHistory pending, Restored restored, HaltSource.InForce inForce)
      throws IOException {
    directory.requireUnmoved();
    LockFinder.Found found = pending == null
        ? finder.find(name)
        : finder.find(name, content -> restoration.restored(name, content, pending));
    LockRecord lock = found.parsed();
    boolean isRestored = lock != null
        && ((pending != null && pending.isLast(lock.bytes())) || restored.is(name, lock.lease().token()));
    return new LockView(name, pathOf(name), found.state(), freezes.find(name), isRestored, inForce);
  }

  @Override
  public FreezeOutcome freeze(FreezeRequest request) {
    return look(request.name(), () -> entered(request.name(), () -> freezes.freeze(request)));
  }

  @Override
  public UnfreezeOutcome unfreeze(LeaseName name) {
    return look(name, () -> directory.exists()
        ? entered(name, () -> freezes.unfreeze(name))
        : new UnfreezeOutcome.NotFrozen());
  }

  @Override
  public FreezeState freezeState(LeaseName name) {
    return look(name, () -> freezes.find(name));
  }

  @Override
  public SortedMap<LeaseName, FreezeState> freezes() {
    SortedMap<LeaseName, FreezeState> all = new TreeMap<>();
    names().forEach(name -> all.put(name, freezeState(name)));
    all.values().removeIf(FreezeState.None.class::isInstance);
    return all;
  }

  /** The names that have a lock or freeze file. */
  private Stream<LeaseName> names() {
    try {
      return directory.list().stream()
          .flatMap(file -> FileNames.nameOfLock(file).or(() -> FileNames.nameOfFreeze(file)).stream()).sorted()
          .distinct();
    } catch (IOException e) {
      throw new StorageException("cannot list the lock directory: " + Errno.describeWithFile(e), e);
    }
  }

  @Override
  public <T> T alone(Supplier<T> work) {
    try {
      restoration.restore();
      try (LockDirectory.Guard _ = directory.enter(FileNames.COUNTS)) {
        return work.get();
      }
    } catch (IOException e) {
      throw new StorageException("the locks cannot be counted: " + Errno.describeWithFile(e), e);
    }
  }

  @Override
  public String pathOf(LeaseName name) {
    return directory.pathOf(FileNames.lock(name));
  }

  @Override
  public void close() {
    journal.close();
    directory.close();
  }

  @Override
  public Journal.@Nullable Entry append(String record) {
    try {
      restoration.begin();
      restoration.renewIfPossible();
      return restoration.isOfKnownBoot() ? journal.append(record) : null;
    } catch (IOException | StorageException unusable) {
      return null;
    }
  }

  /** Restores what an earlier boot left, if there is anything. If that is impossible, the next change reports it. */
  void restore() {
    restoration.restoreIfPossible();
  }

  /** The same without the locks. */
  void restoreOthers() {
    restoration.restoreOthersIfPossible();
  }

  /** One attempt to acquire, under the guard; null if the lock changed meanwhile and must be judged again. */
  private @Nullable AcquireOutcome attempt(AcquireRequest request, LockFinder.Found found, FreezeState freeze)
      throws IOException {
    Decision decision = decide(request, found, freeze);
    if (decision instanceof Decision.Create || decision instanceof Decision.Steal) {
      requireGranting();
    }
    return switch (decision) {
      case Decision.Create() -> unlessHalted(request, grants.create(request));
      case Decision.Steal(Lease previous) -> unlessHalted(request, grants.steal(request, previous, found.record()));
      case Decision.Keep(Lease _) -> {
        HeldLease kept = grants.keep(found.record());
        yield kept == null ? null : new AcquireOutcome.Kept(kept);
      }
      case Decision.Refusal refusal -> new AcquireOutcome.Refused(refusal);
    };
  }

  /**
   * Withdraws a grant that a halt covers by now: it was placed after the request was judged, and its caller relies on
   * it that nothing is granted any more.
   */
  private @Nullable AcquireOutcome unlessHalted(AcquireRequest request, @Nullable AcquireOutcome outcome)
      throws IOException {
    if (!(outcome instanceof AcquireOutcome.Granted(HeldLease held, PreviousLock previous))) {
      return outcome;
    }
    Decision.Halted halted;
    try {
      halted = halts.inForce().refusal(request);
    } catch (StorageException e) {
      grants.undo(held.lease(), previous, new IOException(e));
      throw e;
    }
    if (halted == null) {
      return outcome;
    }
    AcquireOutcome.Undone undone = grants.undo(held.lease(), previous, new IOException(halted.describe()));
    return previous == null && !undone.leftBehind()
        ? new AcquireOutcome.Refused(halted)
        : new AcquireOutcome.Undone(held.lease(), previous, undone.error(), undone.leftBehind(), halted);
  }

  /** One attempt to renew, likewise. */
  private @Nullable RenewOutcome attempt(LockFinder.Found found, Owner by, FencingToken token) throws IOException {
    return switch (found.state()) {
      case LeaseState.Vacant() -> new RenewOutcome.Gone();
      case LeaseState.Unusable unusable -> new RenewOutcome.Refused(unusable.refusal());
      case LeaseState.Held(Lease lease, Age _) when !lease.isHeldBy(by, token) -> RenewOutcome.notHeld(lease, by);
      case LeaseState.Held(Lease lease, Age age) -> {
        HeldLease held = token.isNone() ? grants.keep(found.record()) : grants.beat(found.record());
        yield held == null
            ? null
            : new RenewOutcome.Renewed(held, Math.max(0, age.seconds() - lease.ttl().seconds()));
      }
    };
  }

  private void requireGranting() throws IOException {
    if (directory.has(FileNames.MOVING)) {
      throw Moved.of(Path.of(directory.pathOf(FileNames.MOVING)));
    }
  }

  private Decision decide(AcquireRequest request, LockFinder.Found found, FreezeState freeze) {
    Decision.Halted halted = halts.inForce().refusal(request);
    return LeaseRules.decide(found.state(), halted == null ? freeze.refusal() : halted, request.leaseRequest());
  }

  private interface Operation<T extends @Nullable Object> {
    T run() throws IOException;
  }

  /** Judges a lock and acts on it, again if it changes in between. */
  private <T> T judged(LeaseName name, Operation<@Nullable T> attempt) throws IOException {
    for (int attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
      T outcome = attempt.run();
      if (outcome != null) {
        return outcome;
      }
    }
    throw new StorageException("lock " + name + " keeps changing: another program writes " + pathOf(name)
        + " without following the lock protocol; stop it, then retry");
  }

  private <T> T guarded(LeaseName name, Operation<T> operation) throws IOException {
    restoration.begin();
    restoration.renewIfPossible();
    return entered(name, operation);
  }

  private <T> T entered(LeaseName name, Operation<T> operation) throws IOException {
    try (LockDirectory.Guard _ = directory.enter(FileNames.slot(name))) {
      return operation.run();
    }
  }

  /** Requires the restore, without which the operation would judge files that a power cut has left. */
  private <T> T storage(LeaseName name, Operation<T> operation) {
    return look(name, () -> {
      restoration.restore();
      return operation.run();
    });
  }

  private <T> T look(LeaseName name, Operation<T> operation) {
    try {
      return operation.run();
    } catch (IOException e) {
      throw new StorageException("lock " + name + ": " + Errno.describeWithFile(e), e);
    }
  }
}
