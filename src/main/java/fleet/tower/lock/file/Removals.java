package fleet.tower.lock.file;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Age;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.Owner;
import fleet.tower.lock.ForceReleaseOutcome;
import fleet.tower.lock.PreviousLock;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.platform.SyncGroup;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.Journal;
import fleet.tower.platform.time.TimeSource;

/** Removes locks. Used under the guard of the name only, apart from the sync that follows. */
final class Removals {
  private final LockDirectory directory;
  private final TimeSource time;
  private final Fence fence;
  private final Witnesses witnesses;
  private final Journal journal;

  Removals(LockDirectory directory, TimeSource time, Journal journal) {
    this.directory = directory;
    this.time = time;
    this.fence = new Fence(directory);
    this.witnesses = new Witnesses(directory);
    this.journal = journal;
  }

  /** The outcome of a removal, and its record. */
  record Removal<T>(T outcome, Removed removed) {
    /** The outcome, after a sync. */
    T settled() {
      removed.syncIfPossible();
      return outcome;
    }
  }

  /** A record of a removal; without an entry if nothing was removed, or the record could not be written. */
  record Removed(Journal.@Nullable Entry entry) {
    static final Removed NOTHING = new Removed(null);

    /**
     * Syncs a removal, ignoring errors. The lock is already gone for every reader; a power failure may bring it back,
     * and then it goes stale.
     */
    void syncIfPossible() {
      if (entry != null) {
        SyncGroup.sync(entry, _ -> {});
      }
    }
  }

  Removal<ReleaseOutcome> ifOwned(LeaseState state, Owner by, FencingToken token) {
    return switch (state) {
      case LeaseState.Vacant() -> unchanged(new ReleaseOutcome.Absent());
      case LeaseState.Unusable unusable -> unchanged(new ReleaseOutcome.Refused(unusable.refusal()));
      case LeaseState.Held(Lease lease, Age _) when !lease.isHeldBy(by, token) ->
        unchanged(ReleaseOutcome.notHeld(lease, by));
      case LeaseState.Held(Lease lease, Age _) -> remove(lease);
    };
  }

  private static <T> Removal<T> unchanged(T outcome) {
    return new Removal<>(outcome, Removed.NOTHING);
  }

  Removal<ForceReleaseOutcome> ofAny(LeaseName name, LeaseState state, Predicate<Lease> spares) throws IOException {
    if (state instanceof LeaseState.Vacant) {
      return unchanged(new ForceReleaseOutcome.Absent());
    }
    Lease lease = state instanceof LeaseState.Held held ? held.lease() : null;
    if (lease != null && spares.test(lease)) {
      return unchanged(new ForceReleaseOutcome.Spared(lease));
    }
    PreviousLock previousLock = new PreviousLock(lease, directory.digest(FileNames.lock(name)));
    String error = unlink(name, lease);
    Instant at = time.now();
    if (error != null) {
      return unchanged(new ForceReleaseOutcome.Failed(at, error));
    }
    if (lease == null) {
      syncNamesIfPossible();
    }
    return new Removal<>(new ForceReleaseOutcome.Removed(previousLock, at), record(name, lease));
  }

  private Removal<ReleaseOutcome> remove(Lease lease) {
    String error = unlink(lease.name(), lease);
    Instant at = time.now();
    return error == null
        ? new Removal<>(new ReleaseOutcome.Released(lease, at), record(lease.name(), lease))
        : unchanged(new ReleaseOutcome.Failed(lease, at, error));
  }

  /** Removes the lock file of a name; returns the error that prevented it, or null. */
  private @Nullable String unlink(LeaseName name, @Nullable Lease lease) {
    try {
      if (lease != null) {
        fence.atLeast(name, lease.token());
      }
      directory.unlink(FileNames.lock(name));
    } catch (NoSuchFileException alreadyGone) {
      // Removed by a program without the guard. The lock is reported as free, so this is recorded.
    } catch (IOException e) {
      return Errno.describe(e);
    }
    return null;
  }

  /** Ignores errors, as {@link Removed#syncIfPossible} does; the journal is then replaced as soon as possible. */
  Removed record(LeaseName name, @Nullable Lease lease) {
    discardSpare(name);
    try {
      FencingToken token = lease == null ? FencingToken.NONE : lease.token();
      Removed removed = new Removed(journal.append(LockHistory.removed(name, token, lease)));
      if (lease != null) {
        witnesses.discard(name, lease.token());
      }
      return removed;
    } catch (IOException ignored) {
      return Removed.NOTHING;
    }
  }

  /** The removal of a file that no record can describe. */
  private void syncNamesIfPossible() {
    try {
      directory.sync();
    } catch (IOException ignored) {
      // As in Removed#syncIfPossible.
    }
  }

  private void discardSpare(LeaseName name) {
    try {
      if (directory.has(FileNames.spare(name))) {
        directory.unlink(FileNames.spare(name));
      }
    } catch (IOException ignored) {
      // The next heartbeat under this name overwrites it.
    }
  }
}
