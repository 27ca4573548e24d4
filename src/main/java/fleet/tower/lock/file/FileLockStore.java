package fleet.tower.lock.file;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
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
 * The lock on files. Everything that changes a lock happens under the guard of its name:
 *
 * <ol>
 * <li><b>Create</b>: count the fence on; write the lock to a temp and have it on the disk; link the temp to the lock's name,
 * which fails if anybody got there, also somebody who knows of no guard; drop the temp; sync the directory.
 * <li><b>Heartbeat</b>: read; if it is still this owner's tenure, rename a copy over it in which only the heartbeat differs.
 * <li><b>Steal</b>: read again, and only if it is stale and force was given: count the fence on; write the temp; read once
 * more, it must be the very bytes that were judged; rename over them, so that the name is never absent; sync.
 * <li><b>Release</b>: read; if it is this owner's, unlink; sync.
 * <li><b>Freeze, unfreeze</b>: {@link FreezeFiles}. Create and steal look for a freeze first, under the same guard.
 * </ol>
 *
 * A refusal is decided by a plain look, without the guard: the look is atomic, and it changes nothing. An error after the
 * link or rename takes the lock back before it is reported.
 */
final class FileLockStore implements LockStore {
  /** How often an attempt starts over because somebody who knows of no guard changed the lock meanwhile. */
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
        return new AcquireOutcome.Refused(refusal);
      }
      return guarded(name, () -> {
        AcquireOutcome outcome = null;
        for (int attempt = 0; outcome == null && attempt < MAX_ATTEMPTS; attempt++) {
          outcome = attempt(request, finder.find(name), freezes.find(name));
        }
        if (outcome == null) {
          throw new StorageException("lock " + name + " keeps changing: another program writes " + pathOf(name)
              + " without taking part in the protocol; stop it, then try again");
        }
        return outcome;
      });
    });
  }

  @Override
  public RenewOutcome renew(LeaseName name, Owner by, FencingToken token) {
    return storage(name, () -> {
      if (!directory.isThere()) {
        return new RenewOutcome.Gone();
      }
      return guarded(name, () -> {
        LockFinder.Found found = finder.find(name);
        return switch (found.occupancy()) {
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
      LeaseState seen = finder.find(name).occupancy();
      if (seen instanceof LeaseState.Vacant) {
        return new ReleaseOutcome.Absent();
      }
      try {
        return guarded(name, () -> giveBack(finder.find(name).occupancy(), by, token));
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
      if (!directory.isThere()) {
        return new ForceReleaseOutcome.Absent();
      }
      return guarded(name, () -> removeAny(name, finder.find(name).occupancy()));
    });
  }

  @Override
  public LockView look(LeaseName name) {
    return storage(name, () -> new LockView(name, pathOf(name), finder.find(name).occupancy(), freezes.find(name)));
  }

  @Override
  public List<LockView> list() {
    return names().map(this::look).filter(sighting -> !sighting.isForTheTaking()).toList();
  }

  @Override
  public FreezeOutcome freeze(FreezeRequest request) {
    return storage(request.name(), () -> guarded(request.name(), () -> freezes.freeze(request)));
  }

  @Override
  public UnfreezeOutcome unfreeze(LeaseName name) {
    return storage(name, () -> directory.isThere()
        ? guarded(name, () -> freezes.unfreeze(name))
        : new UnfreezeOutcome.NotFrozen());
  }

  @Override
  public FreezeState frost(LeaseName name) {
    return storage(name, () -> freezes.find(name));
  }

  @Override
  public SortedMap<LeaseName, FreezeState> freezes() {
    SortedMap<LeaseName, FreezeState> all = new TreeMap<>();
    names().forEach(name -> all.put(name, frost(name)));
    all.values().removeIf(FreezeState.None.class::isInstance);
    return all;
  }

  /** What is held or frozen, or was a moment ago. */
  private Stream<LeaseName> names() {
    try {
      return directory.list().stream()
          .flatMap(file -> FileNames.nameOfLock(file).or(() -> FileNames.nameOfFreeze(file)).stream()).sorted()
          .distinct();
    } catch (IOException e) {
      throw new StorageException("the lock directory cannot be listed: " + Errno.describeWithFile(e), e);
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

  /** One attempt under the guard; null when the lock changed under our hands and has to be judged anew. */
  private @Nullable AcquireOutcome attempt(AcquireRequest request, LockFinder.Found found, FreezeState frost)
      throws IOException {
    return switch (decide(request, found, frost)) {
      case Decision.Create() -> create(request);
      case Decision.Steal(Lease previous) -> steal(request, previous, found.record());
      case Decision.Keep(Lease _) -> new AcquireOutcome.Kept(keep(found.record()));
      case Decision.Refusal refusal -> new AcquireOutcome.Refused(refusal);
    };
  }

  private @Nullable AcquireOutcome create(AcquireRequest request) throws IOException {
    long stamp = time.nanos();
    Lease lease = prepare(request, FencingToken.NONE, null);
    LeaseName name = request.name();
    try {
      directory.link(FileNames.lockTemp(name), FileNames.lock(name));
      directory.unlink(FileNames.lockTemp(name));
      directory.sync();
    } catch (FileAlreadyExistsException somebodyWithoutGuard) {
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
    PreviousLock displaced = PreviousLock.of(previous, judged.bytes());
    try {
      directory.rename(FileNames.lockTemp(name), FileNames.lock(name));
      directory.sync();
    } catch (IOException e) {
      discard(FileNames.lockTemp(name));
      return undo(lease, displaced, e);
    }
    return new AcquireOutcome.Granted(HeldLease.since(stamp, lease), displaced);
  }

  /**
   * Everything that comes before the lock's name is touched: counts the fence on, leaves the boot clock's evidence, and has
   * the lock in its temp on the disk.
   */
  private Lease prepare(AcquireRequest request, FencingToken standing, @Nullable Lease previous) throws IOException {
    LeaseName name = request.name();
    FencingToken token = fence.advance(name, standing);
    Instant now = Timestamps.wholeSecond(time.now());
    Lease lease = new Lease(name, request.requestId(), token, request.holder(), now, now, request.ttl(),
        request.metadata().with(token));
    finder.leaveEvidence(previous, lease, time.boot());
    directory.create(FileNames.lockTemp(name), LockFileContent.of(lease), true);
    return lease;
  }

  /**
   * After an error: if the lock stands there as ours, takes it away again. An error that came before it stood there changed
   * nothing and is passed on.
   */
  private AcquireOutcome undo(Lease lease, @Nullable PreviousLock displaced, IOException error) throws IOException {
    boolean isOurs;
    try {
      isOurs = isStanding(lease);
      if (isOurs) {
        directory.unlink(FileNames.lock(lease.name()));
      }
    } catch (IOException e) {
      return new AcquireOutcome.Undone(lease, displaced, Errno.describe(e), true);
    }
    if (!isOurs) {
      throw error;
    }
    syncIfPossible();
    return new AcquireOutcome.Undone(lease, displaced, Errno.describe(error), false);
  }

  private boolean isStanding(Lease lease) throws IOException {
    return finder.find(lease.name()).occupancy() instanceof LeaseState.Held(Lease standing, Age _)
        && standing.isHeldBy(lease.owner(), lease.token());
  }

  /**
   * Renews for an owner who names no token and may learn it only now, because the call that wrote this tenure died before its
   * end. It is given out like a new one: when neither it nor its lock can be lost to a power cut any more.
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

  private ReleaseOutcome giveBack(LeaseState occupancy, Owner by, FencingToken token) {
    return switch (occupancy) {
      case LeaseState.Vacant() -> new ReleaseOutcome.Absent();
      case LeaseState.Corrupt(String problem) -> new ReleaseOutcome.Unreadable(new Decision.Unreadable(problem));
      case LeaseState.Unsupported(String version) -> new ReleaseOutcome.Unreadable(new Decision.Newer(version));
      case LeaseState.Held(Lease lease, Age _) when !lease.isHeldBy(by, token) -> new ReleaseOutcome.NotOwner(lease);
      case LeaseState.Held(Lease lease, Age _) -> remove(lease);
    };
  }

  private ForceReleaseOutcome removeAny(LeaseName name, LeaseState occupancy) throws IOException {
    if (occupancy instanceof LeaseState.Vacant) {
      return new ForceReleaseOutcome.Absent();
    }
    Lease lease = occupancy instanceof LeaseState.Held held ? held.lease() : null;
    PreviousLock displaced = new PreviousLock(lease, directory.digest(FileNames.lock(name)));
    String error = unlink(name, lease);
    Instant at = time.now();
    return error == null ? new ForceReleaseOutcome.Removed(displaced, at) : new ForceReleaseOutcome.Failed(at, error);
  }

  private ReleaseOutcome remove(Lease lease) {
    String error = unlink(lease.name(), lease);
    Instant at = time.now();
    return error == null ? new ReleaseOutcome.Released(lease, at) : new ReleaseOutcome.Failed(lease, at, error);
  }

  /** Removes the lock file of a name; returns the error that kept it there, or null. */
  private @Nullable String unlink(LeaseName name, @Nullable Lease lease) {
    try {
      if (lease != null) {
        fence.atLeast(name, lease.token());
      }
      directory.unlink(FileNames.lock(name));
    } catch (NoSuchFileException goneAlready) {
      // Somebody without guard was faster. It is reported as free, so it is made to stay so.
    } catch (IOException e) {
      return Errno.describe(e);
    }
    syncIfPossible();
    return null;
  }

  /** The lock is gone for everybody who looks; if the power fails before it is gone on the disk, it comes back and goes stale. */
  private void syncIfPossible() {
    try {
      directory.sync();
    } catch (IOException goneAllTheSame) {
      // Nothing to report: no lock is held that should not be.
    }
  }

  private void discard(String temp) {
    try {
      directory.unlink(temp);
    } catch (IOException leftover) {
      // The next one who needs the temp replaces it.
    }
  }

  private static Decision decide(AcquireRequest request, LockFinder.Found found, FreezeState frost) {
    return LeaseRules.decide(found.occupancy(), frost.refusal(), request.leaseRequest());
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
