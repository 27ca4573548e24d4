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

/** Reads what stands under a name and how old it is; leaves for later readers what makes them sure of the age. */
final class LockFinder {
  private final LockDirectory directory;
  private final TimeSource time;

  LockFinder(LockDirectory directory, TimeSource time) {
    this.directory = directory;
    this.time = time;
  }

  /** What was found; {@code known} is there exactly where it is a lease. */
  record Found(LeaseState occupancy, @Nullable LockRecord known) {
    /** The record of a lease that was found. */
    LockRecord record() {
      if (known == null) {
        throw new IllegalStateException("no lease was found");
      }
      return known;
    }
  }

  /** Looks under a name. */
  Found find(LeaseName name) throws IOException {
    byte[] content;
    try {
      content = directory.read(FileNames.lock(name));
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
      return new Found(e.occupancy(), null);
    }
  }

  /** Whether the very bytes that were judged stand there still. */
  boolean isStill(LeaseName name, LockRecord judged) throws IOException {
    try {
      return Arrays.equals(directory.read(FileNames.lock(name)), judged.bytes());
    } catch (LockDirectory.UnfitFile somethingElse) {
      return false;
    }
  }

  /** Leaves the boot clock's reading of a heartbeat that is about to be written; {@code standing} stands there now. */
  void leaveEvidence(@Nullable Lease standing, Lease renewed, @Nullable BootStamp stamp) throws IOException {
    if (stamp != null) {
      directory.patch(FileNames.beat(renewed.name()), BeatFile.record(standing, renewed, stamp));
    }
  }

  /** The evidence is asked only where it can matter: to confirm what the wall clock calls stale. */
  private Age age(Lease lease) throws IOException {
    Age age = sinceProofOfLife(lease);
    BootStamp now = age.exceedsByWallClock(lease.ttl()) ? time.boot() : null;
    return now == null ? age : age.confirmedBy(BeatFile.millisSinceHeartbeat(evidence(lease.name()), lease, now));
  }

  /**
   * By the heartbeat. One from a clock that is far ahead would keep a dead holder's lock for as long; so it counts no longer once
   * its file has not been written for a whole ttl.
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
