package fleet.tower.foreign.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.foreign.ExclusiveRecord;
import fleet.tower.foreign.ExclusiveRecord.Mark;
import fleet.tower.foreign.ExclusiveRules;
import fleet.tower.foreign.ForeignClaim;
import fleet.tower.foreign.ForeignHold;
import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignLockState;
import fleet.tower.foreign.ProcessProbe;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/** The exclusive lock of a beads database: {@code .exclusive-lock} in its directory. */
final class BeadsLock implements ForeignLock {
  static final String FILE = ".exclusive-lock";
  /** So often a file may become another one under our hands before we say that nothing can be said. */
  private static final int MAX_LOOKS = 10;

  private final LockPlace place;
  private final ProcessProbe witness;
  private final TimeSource time;

  BeadsLock(Path directory, ProcessProbe witness, TimeSource time, Scheduler scheduler) {
    this.place = new LockPlace(directory.resolve(FILE), this::isDead, time, scheduler);
    this.witness = witness;
    this.time = time;
  }

  private boolean isDead(byte[] bytes) {
    return ExclusiveRules.judge(new ExclusiveRules.Bytes(bytes), witness) instanceof ForeignLockState.Stale;
  }

  @Override
  public ForeignLockState look() {
    return ExclusiveRules.judge(place.read(), witness);
  }

  /** Where there is nothing to remove, no turn is taken: most who look find the lock free or held. */
  @Override
  public ForeignLockState check() {
    ForeignLockState first = look();
    if (!(first instanceof ForeignLockState.Stale(ForeignLockState.Occupant occupant))) {
      return first;
    }
    try {
      return place.inTurn(this::removeIfStale);
    } catch (IOException e) {
      return notRemoved(occupant, e);
    }
  }

  private static ForeignLockState.Doubtful notRemoved(ForeignLockState.Occupant occupant, IOException e) {
    return new ForeignLockState.Doubtful("failed to remove stale lock: " + Errno.describe(e), occupant.holder());
  }

  private ForeignLockState removeIfStale() throws IOException {
    for (int look = 0; look < MAX_LOOKS; look++) {
      ExclusiveRules.Content content = place.read();
      ForeignLockState verdict = ExclusiveRules.judge(content, witness);
      if (!(verdict instanceof ForeignLockState.Stale(ForeignLockState.Occupant occupant))
          || !(content instanceof ExclusiveRules.Bytes(byte[] judged))) {
        return verdict;
      }
      if (place.remove(judged)) {
        return new ForeignLockState.Cleared(occupant);
      }
    }
    return unsettled();
  }

  private static ForeignLockState.Doubtful unsettled() {
    return new ForeignLockState.Doubtful("the lock file becomes another one again and again", null);
  }

  @Override
  public ForeignHold.Outcome hold(ForeignClaim claim) {
    Optional<String> hostname = witness.hostname();
    if (hostname.isEmpty()) {
      return new ForeignHold.Refused(new ForeignLockState.Doubtful("this host does not know its own name", null));
    }
    if (witness.life(claim.pid()) == ProcessProbe.Life.GONE) {
      return new ForeignHold.Refused(
          new ForeignLockState.Doubtful("process " + claim.pid() + " is not there, so its lock would be stale at once",
              null));
    }
    try {
      return place.inTurn(() -> take(claim, hostname.get()));
    } catch (IOException e) {
      return new ForeignHold.Refused(
          new ForeignLockState.Doubtful("failed to create lock file: " + Errno.describe(e), null));
    }
  }

  private ForeignHold.Outcome take(ForeignClaim claim, String hostname) throws IOException {
    ForeignLockState.@Nullable Occupant displaced = null;
    byte[] text = new ExclusiveRecord(claim.holder(), claim.pid(), hostname, time.now(), claim.version(),
        mark(claim.pid()), claim.run()).text().getBytes(StandardCharsets.UTF_8);
    for (int look = 0; look < MAX_LOOKS; look++) {
      ExclusiveRules.Content content = place.read();
      switch (ExclusiveRules.judge(content, witness)) {
        case ForeignLockState.Stale(ForeignLockState.Occupant occupant) -> {
          ForeignLockState.Doubtful failure = removeOnTheWay(content, occupant);
          if (failure != null) {
            return new ForeignHold.Refused(failure);
          }
          displaced = occupant;
        }
        case ForeignLockState.Passable _ -> {
          if (place.create(text)) {
            return new ForeignHold.Granted(new Ours(claim), displaced, false);
          }
        }
        case ForeignLockState.Blocking why -> {
          return isOurs(content, claim)
              ? new ForeignHold.Granted(new Ours(claim), null, true)
              : new ForeignHold.Refused(why);
        }
      }
    }
    return new ForeignHold.Refused(unsettled());
  }

  private ForeignLockState.@Nullable Doubtful removeOnTheWay(ExclusiveRules.Content content,
      ForeignLockState.Occupant occupant) {
    try {
      boolean _ = content instanceof ExclusiveRules.Bytes(byte[] judged) && place.remove(judged);
      return null;
    } catch (IOException e) {
      return notRemoved(occupant, e);
    }
  }

  @Override
  public Optional<ForeignHold> heldBy(ForeignClaim claim) {
    return isOurs(place.read(), claim) ? Optional.of(new Ours(claim)) : Optional.empty();
  }

  private boolean isOurs(ExclusiveRules.Content content, ForeignClaim claim) {
    return content instanceof ExclusiveRules.Bytes(byte[] bytes)
        && ExclusiveRecord.of(bytes).filter(record -> record.isOf(claim, mark(claim.pid()),
            witness.hostname().orElse(""))).isPresent();
  }

  private @Nullable Mark mark(long pid) {
    return witness.realm().isPresent() && witness.startTicks(pid).isPresent()
        ? new Mark(witness.realm().get(), witness.startTicks(pid).getAsLong())
        : null;
  }

  /** The lock of a claim; whether it is still there and still that one is asked when it is given back. */
  private final class Ours implements ForeignHold {
    private final ForeignClaim claim;

    private Ours(ForeignClaim claim) {
      this.claim = claim;
    }

    @Override
    public Release release() {
      try {
        return place.inTurn(this::giveBack);
      } catch (IOException e) {
        return new Failed(Errno.describe(e) + " (" + place.file() + ")");
      }
    }

    private Release giveBack() throws IOException {
      for (int look = 0; look < MAX_LOOKS; look++) {
        ExclusiveRules.Content content = place.read();
        if (content instanceof ExclusiveRules.Nothing) {
          return new Absent();
        }
        if (!isOurs(content, claim)) {
          return new NotOurs(ExclusiveRules.judge(content, witness));
        }
        if (content instanceof ExclusiveRules.Bytes(byte[] ours) && place.remove(ours)) {
          return new Released();
        }
      }
      return new Failed("the lock file becomes another one again and again");
    }
  }
}
