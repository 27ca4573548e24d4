package fleet.tower.lock.file;

import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Age;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.platform.time.BootStamp;
import fleet.tower.platform.time.TimeSource;

/** Reads the lock of a name and determines its age; records evidence that lets later readers determine it reliably. */
final class LockFinder {
  private final LockDirectory directory;
  private final TimeSource time;

  LockFinder(LockDirectory directory, TimeSource time) {
    this.directory = directory;
    this.time = time;
  }

  /** The lock that was found; {@code parsed} is non-null exactly if it is a lease. */
  record Found(LeaseState state, @Nullable LockRecord parsed) {
    /** The record of the lease; requires that a lease was found. */
    LockRecord record() {
      if (parsed == null) {
        throw new IllegalStateException("no lease was found");
      }
      return parsed;
    }
  }

  /** What a restore makes of the content of a lock file; null if there is no file. */
  interface Restoring {
    byte @Nullable [] of(byte @Nullable [] found) throws IOException;
  }

  /** Reads the lock of a name. */
  Found find(LeaseName name) throws IOException {
    return find(name, found -> found);
  }

  /** Reads the lock that a restore will leave under a name. */
  Found find(LeaseName name, Restoring restoring) throws IOException {
    byte[] content;
    try {
      content = restoring.of(directory.read(FileNames.lock(name)));
    } catch (LockDirectory.UnfitFile unfit) {
      return new Found(new LeaseState.Corrupt(unfit.problem()), null);
    }
    if (content == null) {
      return new Found(new LeaseState.Vacant(), null);
    }
    try {
      LockRecord record = LockRecord.parse(name, content);
      return new Found(new LeaseState.Held(record.lease(), age(record.lease())), record);
    } catch (LockRecord.NotALease e) {
      return new Found(e.state(), null);
    }
  }

  /** Whether the lock file still holds exactly the bytes that were judged. */
  boolean isStill(LeaseName name, LockRecord judged) throws IOException {
    try {
      return Arrays.equals(directory.read(FileNames.lock(name)), judged.bytes());
    } catch (LockDirectory.UnfitFile replaced) {
      return false;
    }
  }

  /** Records the boot-clock time of a heartbeat that is about to be written; {@code existing} is the current lease. */
  void leaveEvidence(@Nullable Lease existing, Lease renewed, @Nullable BootStamp stamp) throws IOException {
    if (stamp != null) {
      directory.patch(FileNames.beat(renewed.name()), BeatFile.record(existing, renewed, stamp));
    }
  }

  /** Reads the boot-clock evidence only where it matters: to confirm what the wall clock calls stale. */
  private Age age(Lease lease) throws IOException {
    Age age = sinceProofOfLife(lease);
    BootStamp now = age.exceedsByWallClock(lease.ttl()) ? time.boot() : null;
    return now == null ? age : age.confirmedBy(BeatFile.millisSinceHeartbeat(evidence(lease.name()), lease, now));
  }

  /**
   * The time since the heartbeat. A heartbeat from a clock far ahead would protect a dead holder's lock for that long;
   * so the file's modification time replaces it once that is older than the ttl.
   */
  private Age sinceProofOfLife(Lease lease) throws IOException {
    Age age = Age.between(lease.lastHeartbeatAt(), time.now());
    Instant written = age.isSkewed() ? directory.modified(FileNames.lock(lease.name())) : null;
    Age sinceWritten = written == null ? age : Age.between(written, time.now());
    return sinceWritten.exceedsByWallClock(lease.ttl()) ? sinceWritten : age;
  }

  private byte @Nullable [] evidence(LeaseName name) throws IOException {
    try {
      return directory.read(FileNames.beat(name));
    } catch (LockDirectory.UnfitFile noEvidence) {
      return null;
    }
  }
}
