package fleet.tower.lock.file;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
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
import fleet.tower.lock.LockFileContent;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.LockView;
import fleet.tower.lock.PreviousLock;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.lock.freeze.FreezeOutcome;
import fleet.tower.lock.freeze.FreezeRequest;
import fleet.tower.lock.freeze.FreezeState;
import fleet.tower.lock.freeze.UnfreezeOutcome;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.time.BootStamp;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.Timestamps;

/**
 * A lock store on files. Every change of a lock happens under the guard of its name:
 *
 * <ol>
 * <li><b>Create</b>: increment the fencing counter; write the lock to a temp file and sync it; link it to the lock's
 * name, which fails if the name exists, even if its writer does not use the guard; remove the temp file; sync the
 * directory.
 * <li><b>Heartbeat</b>: read; if the lock is still this owner's grant, rename a copy with a new heartbeat over it.
 * <li><b>Steal</b>: read again; only if the lock is stale and force was given: increment the counter; write the temp
 * file; read once more and require the same bytes that were judged; rename over them, so that the name is never absent;
 * sync.
 * <li><b>Release</b>: read; if the lock is this owner's, unlink; sync.
 * <li><b>Freeze, unfreeze</b>: {@link FreezeFiles}. Create and steal check for a freeze first, under the same guard.
 * </ol>
 *
 * A refusal is decided by a read without the guard: the read is atomic, and a refusal changes nothing. An error after
 * the link or rename removes the lock again before it is reported.
 *
 * <p>While the locks move to another store, nothing is granted; see {@link FileLockSource}.
 */
final class FileLockStore implements LockStore {
  /** How often to retry an acquisition when a program that does not use the guard changed the lock meanwhile. */
  private static final int MAX_ATTEMPTS = 5;

  private final LockDirectory directory;
  private final TimeSource time;
  private final LockFinder finder;
  private final Fence fence;
  private final FreezeFiles freezes;

  FileLockStore(LockDirectory directory, TimeSource time) {
    this.directory = directory;
    this.time = time;
    this.finder = new LockFinder(directory, time);
    this.fence = new Fence(directory);
    this.freezes = new FreezeFiles(directory, time);
  }

  @Override
  public AcquireOutcome acquire(AcquireRequest request) {
    LeaseName name = request.name();
    return storage(name, () -> {
      if (decide(request, finder.find(name), freezes.find(name)) instanceof Decision.Refusal refusal) {
        directory.requireUnmoved();
        return new AcquireOutcome.Refused(refusal);
      }
      return guarded(name, () -> {
        AcquireOutcome outcome = null;
        for (int attempt = 0; outcome == null && attempt < MAX_ATTEMPTS; attempt++) {
          outcome = attempt(request, finder.find(name), freezes.find(name));
        }
        if (outcome == null) {
          throw new StorageException("lock " + name + " keeps changing: another program writes " + pathOf(name)
              + " without following the lock protocol; stop it, then retry");
        }
        return outcome;
      });
    });
  }

  @Override
  public RenewOutcome renew(LeaseName name, Owner by, FencingToken token) {
    return storage(name, () -> {
      if (!directory.exists()) {
        return new RenewOutcome.Gone();
      }
      return guarded(name, () -> {
        LockFinder.Found found = finder.find(name);
        return switch (found.state()) {
          case LeaseState.Vacant() -> new RenewOutcome.Gone();
          case LeaseState.Corrupt(String problem) -> new RenewOutcome.Unreadable(new Decision.Unreadable(problem));
          case LeaseState.Unsupported(String version) -> new RenewOutcome.Unreadable(new Decision.Newer(version));
          case LeaseState.Held(Lease lease, Age _) when !lease.isHeldBy(by, token) -> new RenewOutcome.Taken(lease);
          case LeaseState.Held(Lease lease, Age age) -> new RenewOutcome.Renewed(
              token.isNone() ? keep(found.record()) : beat(found.record()),
              Math.max(0, age.seconds() - lease.ttl().seconds()));
        };
      });
    });
  }

  @Override
  public ReleaseOutcome release(LeaseName name, Owner by, FencingToken token) {
    return storage(name, () -> {
      LeaseState seen = finder.find(name).state();
      if (seen instanceof LeaseState.Vacant) {
        return new ReleaseOutcome.Absent();
      }
      try {
        return guarded(name, () -> removeIfOwned(finder.find(name).state(), by, token));
      } catch (IOException e) {
        if (seen instanceof LeaseState.Held(Lease lease, Age _) && lease.isHeldBy(by, token)) {
          return new ReleaseOutcome.Failed(lease, time.now(), Errno.describe(e));
        }
        throw e;
      }
    });
  }

  @Override
  public ForceReleaseOutcome forceRelease(LeaseName name) {
    return storage(name, () -> {
      if (!directory.exists()) {
        return new ForceReleaseOutcome.Absent();
      }
      return guarded(name, () -> removeAny(name, finder.find(name).state()));
    });
  }

  @Override
  public LockView view(LeaseName name) {
    return storage(name, () -> {
      directory.requireUnmoved();
      return new LockView(name, pathOf(name), finder.find(name).state(), freezes.find(name));
    });
  }

  @Override
  public List<LockView> list() {
    return names().map(this::view).filter(view -> !view.isForTheTaking()).toList();
  }

  @Override
  public FreezeOutcome freeze(FreezeRequest request) {
    return storage(request.name(), () -> guarded(request.name(), () -> freezes.freeze(request)));
  }

  @Override
  public UnfreezeOutcome unfreeze(LeaseName name) {
    return storage(name, () -> directory.exists()
        ? guarded(name, () -> freezes.unfreeze(name))
        : new UnfreezeOutcome.NotFrozen());
  }

  @Override
  public FreezeState freezeState(LeaseName name) {
    return storage(name, () -> freezes.find(name));
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
  public String pathOf(LeaseName name) {
    return directory.pathOf(FileNames.lock(name));
  }

  @Override
  public void close() {
    directory.close();
  }

  /** One attempt under the guard; null if the lock changed meanwhile and must be judged again. */
  private @Nullable AcquireOutcome attempt(AcquireRequest request, LockFinder.Found found, FreezeState freeze)
      throws IOException {
    Decision decision = decide(request, found, freeze);
    if (decision instanceof Decision.Create || decision instanceof Decision.Steal) {
      requireGranting();
    }
    return switch (decision) {
      case Decision.Create() -> create(request);
      case Decision.Steal(Lease previous) -> steal(request, previous, found.record());
      case Decision.Keep(Lease _) -> new AcquireOutcome.Kept(keep(found.record()));
      case Decision.Refusal refusal -> new AcquireOutcome.Refused(refusal);
    };
  }

  private void requireGranting() throws IOException {
    if (directory.has(FileNames.MOVING)) {
      throw Moved.of(Path.of(directory.pathOf(FileNames.MOVING)));
    }
  }

  private @Nullable AcquireOutcome create(AcquireRequest request) throws IOException {
    long stamp = time.nanos();
    Lease lease = prepare(request, FencingToken.NONE, null);
    LeaseName name = request.name();
    try {
      directory.link(FileNames.lockTemp(name), FileNames.lock(name));
      directory.unlink(FileNames.lockTemp(name));
      directory.sync();
    } catch (FileAlreadyExistsException createdWithoutGuard) {
      discard(FileNames.lockTemp(name));
      return null;
    } catch (IOException e) {
      discard(FileNames.lockTemp(name));
      return undo(lease, null, e);
    }
    return new AcquireOutcome.Granted(HeldLease.since(stamp, lease), null);
  }

  private @Nullable AcquireOutcome steal(AcquireRequest request, Lease previous, LockRecord judged) throws IOException {
    long stamp = time.nanos();
    Lease lease = prepare(request, previous.token(), previous);
    LeaseName name = request.name();
    if (!finder.isStill(name, judged)) {
      discard(FileNames.lockTemp(name));
      return null;
    }
    PreviousLock previousLock = PreviousLock.of(previous, judged.bytes());
    try {
      directory.rename(FileNames.lockTemp(name), FileNames.lock(name));
      directory.sync();
    } catch (IOException e) {
      discard(FileNames.lockTemp(name));
      return undo(lease, previousLock, e);
    }
    return new AcquireOutcome.Granted(HeldLease.since(stamp, lease), previousLock);
  }

  /**
   * Everything that precedes the change of the lock's name: increments the counter, records the boot clock's evidence,
   * and writes the lock to its temp file, synced.
   */
  private Lease prepare(AcquireRequest request, FencingToken previousToken, @Nullable Lease previous)
      throws IOException {
    LeaseName name = request.name();
    FencingToken token = fence.advance(name, previousToken);
    Instant now = Timestamps.wholeSecond(time.now());
    Lease lease = new Lease(name, request.requestId(), token, request.holder(), now, now, request.ttl(),
        request.metadata().with(token));
    finder.leaveEvidence(previous, lease, time.boot());
    directory.create(FileNames.lockTemp(name), LockFileContent.of(lease), true);
    return lease;
  }

  /**
   * Handles an error: if the lock is in place as ours, removes it again. An error before that changed nothing and is
   * rethrown.
   */
  private AcquireOutcome undo(Lease lease, @Nullable PreviousLock previousLock, IOException error) throws IOException {
    boolean isOurs;
    try {
      isOurs = isInPlace(lease);
      if (isOurs) {
        directory.unlink(FileNames.lock(lease.name()));
      }
    } catch (IOException e) {
      return new AcquireOutcome.Undone(lease, previousLock, Errno.describe(e), true);
    }
    if (!isOurs) {
      throw error;
    }
    syncIfPossible();
    return new AcquireOutcome.Undone(lease, previousLock, Errno.describe(error), false);
  }

  private boolean isInPlace(Lease lease) throws IOException {
    return finder.find(lease.name()).state() instanceof LeaseState.Held(Lease current, Age _)
        && current.isHeldBy(lease.owner(), lease.token());
  }

  /**
   * Renews for an owner that sent no token and may learn it only now, because the call that wrote this grant died
   * before it returned. Like a new grant, it is returned only when neither the token nor the lock can be lost to a
   * power failure.
   */
  private HeldLease keep(LockRecord record) throws IOException {
    fence.atLeast(record.lease().name(), record.lease().token());
    directory.sync();
    return beat(record);
  }

  private HeldLease beat(LockRecord record) throws IOException {
    BootStamp boot = time.boot();
    long stamp = boot == null ? time.nanos() : boot.nanos();
    Lease lease = record.lease();
    Lease renewed = lease.renewedAt(LeaseRules.heartbeatTime(lease, time.now()));
    finder.leaveEvidence(lease, renewed, boot);
    directory.create(FileNames.lockTemp(lease.name()), record.withHeartbeat(renewed.lastHeartbeatAt()), false);
    try {
      directory.rename(FileNames.lockTemp(lease.name()), FileNames.lock(lease.name()));
    } catch (IOException e) {
      discard(FileNames.lockTemp(lease.name()));
      throw e;
    }
    return HeldLease.since(stamp, renewed);
  }

  private ReleaseOutcome removeIfOwned(LeaseState state, Owner by, FencingToken token) {
    return switch (state) {
      case LeaseState.Vacant() -> new ReleaseOutcome.Absent();
      case LeaseState.Corrupt(String problem) -> new ReleaseOutcome.Unreadable(new Decision.Unreadable(problem));
      case LeaseState.Unsupported(String version) -> new ReleaseOutcome.Unreadable(new Decision.Newer(version));
      case LeaseState.Held(Lease lease, Age _) when !lease.isHeldBy(by, token) -> new ReleaseOutcome.NotOwner(lease);
      case LeaseState.Held(Lease lease, Age _) -> remove(lease);
    };
  }

  private ForceReleaseOutcome removeAny(LeaseName name, LeaseState state) throws IOException {
    if (state instanceof LeaseState.Vacant) {
      return new ForceReleaseOutcome.Absent();
    }
    Lease lease = state instanceof LeaseState.Held held ? held.lease() : null;
    PreviousLock previousLock = new PreviousLock(lease, directory.digest(FileNames.lock(name)));
    String error = unlink(name, lease);
    Instant at = time.now();
    return error == null
        ? new ForceReleaseOutcome.Removed(previousLock, at)
        : new ForceReleaseOutcome.Failed(at, error);
  }

  private ReleaseOutcome remove(Lease lease) {
    String error = unlink(lease.name(), lease);
    Instant at = time.now();
    return error == null ? new ReleaseOutcome.Released(lease, at) : new ReleaseOutcome.Failed(lease, at, error);
  }

  /** Removes the lock file of a name; returns the error that prevented it, or null. */
  private @Nullable String unlink(LeaseName name, @Nullable Lease lease) {
    try {
      if (lease != null) {
        fence.atLeast(name, lease.token());
      }
      directory.unlink(FileNames.lock(name));
    } catch (NoSuchFileException alreadyGone) {
      // Removed by a program without the guard. The lock is reported as free, so the removal is synced.
    } catch (IOException e) {
      return Errno.describe(e);
    }
    syncIfPossible();
    return null;
  }

  /**
   * Syncs a removal, ignoring errors. The lock is already gone for every reader; a power failure may bring it back, and
   * then it goes stale.
   */
  private void syncIfPossible() {
    try {
      directory.sync();
    } catch (IOException ignored) {
      // No lock is held that should not be.
    }
  }

  private void discard(String temp) {
    try {
      directory.unlink(temp);
    } catch (IOException ignored) {
      // The next writer of the temp file replaces it.
    }
  }

  private static Decision decide(AcquireRequest request, LockFinder.Found found, FreezeState freeze) {
    return LeaseRules.decide(found.state(), freeze.refusal(), request.leaseRequest());
  }

  private interface Operation<T> {
    T run() throws IOException;
  }

  private <T> T guarded(LeaseName name, Operation<T> operation) throws IOException {
    try (LockDirectory.Guard _ = directory.enter(FileNames.slot(name))) {
      return operation.run();
    }
  }

  private static <T> T storage(LeaseName name, Operation<T> operation) {
    try {
      return operation.run();
    } catch (IOException e) {
      throw new StorageException("lock " + name + ": " + Errno.describeWithFile(e), e);
    }
  }
}
