package fleet.tower.lock.file;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Age;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseRules;
import fleet.tower.lease.LeaseState;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.LockFileContent;
import fleet.tower.lock.PreviousLock;
import fleet.tower.platform.SyncGroup;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.Journal;
import fleet.tower.platform.time.BootStamp;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.Timestamps;

/** Writes locks: new ones, stolen ones and renewed ones. Used under the guard of the name only. */
final class Grants {
  private final LockDirectory directory;
  private final TimeSource time;
  private final LockFinder finder;
  private final Fence fence;
  private final Witnesses witnesses;
  private final Journal journal;
  private final Removals removals;
  private final LockReplacement replacement;

  Grants(LockDirectory directory, TimeSource time, LockFinder finder, Journal journal, Removals removals) {
    this.directory = directory;
    this.time = time;
    this.finder = finder;
    this.fence = new Fence(directory);
    this.witnesses = new Witnesses(directory);
    this.journal = journal;
    this.removals = removals;
    this.replacement = new LockReplacement(directory);
  }

  /** Creates the lock; null if another program was faster. */
  @Nullable
  AcquireOutcome create(AcquireRequest request) throws IOException {
    BootStamp boot = time.boot();
    long stamp = stamp(boot);
    Lease lease = prepare(request, FencingToken.NONE, null, boot);
    LeaseName name = request.name();
    try {
      directory.link(FileNames.lockTemp(name), FileNames.lock(name));
      witnesses.addFromTemp(name, lease.token());
      record(lease, null);
    } catch (FileAlreadyExistsException createdWithoutGuard) {
      discard(FileNames.lockTemp(name));
      return null;
    } catch (IOException e) {
      discard(FileNames.lockTemp(name));
      return undo(lease, null, e);
    }
    return new AcquireOutcome.Granted(HeldLease.since(stamp, lease), null);
  }

  /** Replaces the lock that was judged; null if it has changed since. */
  @Nullable
  AcquireOutcome steal(AcquireRequest request, Lease previous, LockRecord judged) throws IOException {
    BootStamp boot = time.boot();
    long stamp = stamp(boot);
    Lease lease = prepare(request, previous.token(), previous, boot);
    LeaseName name = request.name();
    if (!finder.isStill(name, judged)) {
      discard(FileNames.lockTemp(name));
      return null;
    }
    PreviousLock previousLock = PreviousLock.of(previous, judged.bytes());
    try {
      if (!replacement.replace(name, judged, FileNames.lockTemp(name), LockFileContent.of(lease))) {
        return null;
      }
      discard(FileNames.lockTemp(name));
      witnesses.add(name, lease.token());
      record(lease, previous);
    } catch (IOException e) {
      discard(FileNames.lockTemp(name));
      return undo(lease, previousLock, e);
    }
    witnesses.discard(name, previous.token());
    return new AcquireOutcome.Granted(HeldLease.since(stamp, lease), previousLock);
  }

  /**
   * Everything that precedes the change of the lock's name: increments the counter, records the boot clock's evidence,
   * and writes the lock to its temp file, synced if it replaces another lock.
   */
  private Lease prepare(AcquireRequest request, FencingToken previousToken, @Nullable Lease previous,
      @Nullable BootStamp boot) throws IOException {
    LeaseName name = request.name();
    FencingToken token = fence.advance(name, previousToken);
    Instant now = Timestamps.wholeSecond(time.now());
    Lease lease = new Lease(name, request.requestId(), token, request.holder(), now, now, request.ttl(),
        request.metadata().with(token));
    finder.leaveEvidence(previous, lease, boot);
    directory.create(FileNames.lockTemp(name), LockFileContent.of(lease), previous != null);
    return lease;
  }

  /** Records a grant in the journal and waits until the record is on disk. */
  private void record(Lease lease, @Nullable Lease replaced) throws IOException {
    SyncGroup.sync(journal.append(LockHistory.put(lease, lease.token(), LockFileContent.of(lease), replaced)));
  }

  /**
   * Handles an error: if the lock is in place as ours, removes it again. An error before that changed nothing and is
   * rethrown.
   */
  AcquireOutcome.Undone undo(Lease lease, @Nullable PreviousLock previousLock, IOException error) throws IOException {
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
    removals.record(lease.name(), lease).syncIfPossible();
    return new AcquireOutcome.Undone(lease, previousLock, Errno.describe(error), false);
  }

  private boolean isInPlace(Lease lease) throws IOException {
    return finder.find(lease.name()).state() instanceof LeaseState.Held(Lease current, Age _)
        && current.isHeldBy(lease.owner(), lease.token());
  }

  /**
   * Renews for an owner that sent no token and may learn it only now, because the call that wrote this grant died
   * before it returned. Like a new grant, it is returned only when neither the token nor the lock can be lost to a
   * power failure. Null if the lock has changed since it was judged.
   */
  @Nullable
  HeldLease keep(LockRecord record) throws IOException {
    fence.atLeast(record.lease().name(), record.lease().token());
    witnesses.add(record.lease().name(), record.lease().token());
    SyncGroup.sync(journal.append(LockHistory.put(record.lease(), record.lease().token(), record.bytes(), null)));
    return beat(record);
  }

  /** Renews the lock that was judged; null if it has changed since. */
  @Nullable
  HeldLease beat(LockRecord record) throws IOException {
    BootStamp boot = time.boot();
    long stamp = stamp(boot);
    Lease lease = record.lease();
    Lease renewed = lease.renewedAt(LeaseRules.heartbeatTime(lease, time.now()));
    finder.leaveEvidence(lease, renewed, boot);
    return isReplaced(record, record.withHeartbeat(renewed.lastHeartbeatAt()))
        ? HeldLease.since(stamp, renewed)
        : null;
  }

  /**
   * Replaces the lock file, and keeps the one before as the spare that is written over next, so that the file system
   * neither allocates nor frees blocks: a new file renamed over another took 83 to 120 µs on ext4, an overwritten spare
   * takes 9. A program that opened the lock before one heartbeat and reads it during the one after the next could see
   * parts of both. A file without a token is not kept, because the program that has written it may have it open; and as
   * the journal has no record of it, the file that replaces it is synced.
   */
  private boolean isReplaced(LockRecord judged, byte[] content) throws IOException {
    LeaseName name = judged.lease().name();
    if (!judged.lease().token().isNone()) {
      directory.overwrite(FileNames.spare(name), content);
      return replacement.replace(name, judged, FileNames.spare(name), content);
    }
    directory.create(FileNames.lockTemp(name), content, true);
    boolean isReplaced = replacement.replace(name, judged, FileNames.lockTemp(name), content);
    if (isReplaced) {
      discard(FileNames.lockTemp(name));
    }
    return isReplaced;
  }

  private long stamp(@Nullable BootStamp boot) {
    return boot == null ? time.nanos() : boot.nanos();
  }

  private void discard(String temp) {
    try {
      directory.unlink(temp);
    } catch (IOException ignored) {
      // The next writer of the temp file replaces it.
    }
  }
}
