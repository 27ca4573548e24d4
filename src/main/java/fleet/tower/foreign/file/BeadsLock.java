package fleet.tower.foreign.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.foreign.ExclusiveRecord;
import fleet.tower.foreign.ExclusiveRecord.Mark;
import fleet.tower.foreign.ExclusiveRules;
import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignLockState;
import fleet.tower.foreign.ProcessProbe;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/** The exclusive lock of a beads database: {@code .exclusive-lock} in its directory. */
final class BeadsLock implements ForeignLock {
  static final String FILE = ".exclusive-lock";
  /** How often to retry when the file changes between read and write. */
  private static final int MAX_ATTEMPTS = 10;

  private final LockFile file;
  private final ProcessProbe probe;
  private final TimeSource time;

  BeadsLock(Path directory, ProcessProbe probe, TimeSource time, Scheduler scheduler) {
    this.file = new LockFile(directory.resolve(FILE), this::isDead, time, scheduler);
    this.probe = probe;
    this.time = time;
  }

  private boolean isDead(byte[] bytes) {
    return ExclusiveRules.judge(new ExclusiveRules.Bytes(bytes), probe) instanceof ForeignLockState.Stale;
  }

  @Override
  public ForeignLockState state() {
    return ExclusiveRules.judge(file.read(), probe);
  }

  /** Removal is serialised; a lock that is free or held needs no removal, and that is the usual case. */
  @Override
  public ForeignLockState check() {
    ForeignLockState first = state();
    if (!(first instanceof ForeignLockState.Stale(ForeignLockState.Occupant occupant))) {
      return first;
    }
    try {
      return file.exclusively(this::removeIfStale);
    } catch (IOException e) {
      return notRemoved(occupant, e);
    }
  }

  private static ForeignLockState.Doubtful notRemoved(ForeignLockState.Occupant occupant, IOException e) {
    return new ForeignLockState.Doubtful("failed to remove stale lock: " + Errno.describe(e), occupant.holder());
  }

  private ForeignLockState removeIfStale() throws IOException {
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      ExclusiveRules.Content content = file.read();
      ForeignLockState state = ExclusiveRules.judge(content, probe);
      if (!(state instanceof ForeignLockState.Stale(ForeignLockState.Occupant occupant))
          || !(content instanceof ExclusiveRules.Bytes(byte[] judged))) {
        return state;
      }
      if (file.remove(judged)) {
        return new ForeignLockState.Cleared(occupant);
      }
    }
    return unsettled();
  }

  private static ForeignLockState.Doubtful unsettled() {
    return new ForeignLockState.Doubtful("the lock file keeps changing", null);
  }

  @Override
  public ForeignLock.Hold.Outcome hold(ForeignLock.Claim claim) {
    Optional<String> hostname = probe.hostname();
    if (hostname.isEmpty()) {
      return new ForeignLock.Hold.Refused(new ForeignLockState.Doubtful("this host does not know its own name", null));
    }
    if (probe.life(claim.pid()) == ProcessProbe.Life.GONE) {
      return new ForeignLock.Hold.Refused(
          new ForeignLockState.Doubtful(
              "process " + claim.pid() + " does not exist, so its lock would be stale at once", null));
    }
    try {
      return file.exclusively(() -> take(claim, hostname.get()));
    } catch (IOException e) {
      return new ForeignLock.Hold.Refused(
          new ForeignLockState.Doubtful("failed to create lock file: " + Errno.describe(e), null));
    }
  }

  private ForeignLock.Hold.Outcome take(ForeignLock.Claim claim, String hostname) throws IOException {
    ForeignLockState.@Nullable Occupant previous = null;
    byte[] text = new ExclusiveRecord(claim.holder(), claim.pid(), hostname, time.now(), claim.version(),
        mark(claim.pid()), claim.run()).text().getBytes(StandardCharsets.UTF_8);
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      ExclusiveRules.Content content = file.read();
      switch (ExclusiveRules.judge(content, probe)) {
        case ForeignLockState.Stale(ForeignLockState.Occupant occupant) -> {
          ForeignLockState.Doubtful failure = removeStale(content, occupant);
          if (failure != null) {
            return new ForeignLock.Hold.Refused(failure);
          }
          previous = occupant;
        }
        case ForeignLockState.Passable _ -> {
          if (file.create(text)) {
            return new ForeignLock.Hold.Granted(new Ours(claim), previous, false);
          }
        }
        case ForeignLockState.Blocking why -> {
          return isOurs(content, claim)
              ? new ForeignLock.Hold.Granted(new Ours(claim), null, true)
              : new ForeignLock.Hold.Refused(why);
        }
      }
    }
    return new ForeignLock.Hold.Refused(unsettled());
  }

  private ForeignLockState.@Nullable Doubtful removeStale(ExclusiveRules.Content content,
      ForeignLockState.Occupant occupant) {
    try {
      boolean _ = content instanceof ExclusiveRules.Bytes(byte[] judged) && file.remove(judged);
      return null;
    } catch (IOException e) {
      return notRemoved(occupant, e);
    }
  }

  @Override
  public Optional<ForeignLock.Hold> heldBy(ForeignLock.Claim claim) {
    return isOurs(file.read(), claim) ? Optional.of(new Ours(claim)) : Optional.empty();
  }

  private boolean isOurs(ExclusiveRules.Content content, ForeignLock.Claim claim) {
    return content instanceof ExclusiveRules.Bytes(byte[] bytes)
        && ExclusiveRecord.of(bytes).filter(record -> record.isOf(claim, mark(claim.pid()),
            probe.hostname().orElse(""))).isPresent();
  }

  private @Nullable Mark mark(long pid) {
    return probe.realm().isPresent() && probe.startTicks(pid).isPresent()
        ? new Mark(probe.realm().get(), probe.startTicks(pid).getAsLong())
        : null;
  }

  /** The hold of a claim; its release checks whether it still exists and is still the claim's. */
  private final class Ours implements ForeignLock.Hold {
    private final ForeignLock.Claim claim;

    private Ours(ForeignLock.Claim claim) {
      this.claim = claim;
    }

    @Override
    public ReleaseOutcome release() {
      try {
        return file.exclusively(this::removeIfOurs);
      } catch (IOException e) {
        return new Failed(Errno.describe(e) + " (" + file.path() + ")");
      }
    }

    private ReleaseOutcome removeIfOurs() throws IOException {
      for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        ExclusiveRules.Content content = file.read();
        if (content instanceof ExclusiveRules.Nothing) {
          return new Absent();
        }
        if (!isOurs(content, claim)) {
          return new NotOurs(ExclusiveRules.judge(content, probe));
        }
        if (content instanceof ExclusiveRules.Bytes(byte[] ours) && file.remove(ours)) {
          return new Released();
        }
      }
      return new Failed("the lock file keeps changing");
    }
  }
}
