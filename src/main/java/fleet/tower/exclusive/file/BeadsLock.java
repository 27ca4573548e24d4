package fleet.tower.exclusive.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.disk.Errno;
import fleet.tower.exclusive.Claim;
import fleet.tower.exclusive.ExclusiveRecord;
import fleet.tower.exclusive.ExclusiveRecord.Mark;
import fleet.tower.exclusive.ExclusiveRules;
import fleet.tower.exclusive.ForeignLock;
import fleet.tower.exclusive.Hold;
import fleet.tower.exclusive.Verdict;
import fleet.tower.exclusive.Witness;
import fleet.tower.time.Scheduler;
import fleet.tower.time.TimeSource;

/** The exclusive lock of a beads database: {@code .exclusive-lock} in its directory. */
final class BeadsLock implements ForeignLock {
  static final String FILE = ".exclusive-lock";
  /** So often a file may become another one under our hands before we say that nothing can be said. */
  private static final int MAX_LOOKS = 10;

  private final LockPlace place;
  private final Witness witness;
  private final TimeSource time;

  BeadsLock(Path directory, Witness witness, TimeSource time, Scheduler scheduler) {
    this.place = new LockPlace(directory.resolve(FILE), this::isDead, time, scheduler);
    this.witness = witness;
    this.time = time;
  }

  private boolean isDead(byte[] bytes) {
    return ExclusiveRules.judge(new ExclusiveRules.Bytes(bytes), witness) instanceof Verdict.Stale;
  }

  @Override
  public Verdict look() {
    return ExclusiveRules.judge(place.read(), witness);
  }

  /** Where there is nothing to remove, no turn is taken: most who look find the lock free or held. */
  @Override
  public Verdict check() {
    Verdict first = look();
    if (!(first instanceof Verdict.Stale(Verdict.Occupant occupant))) {
      return first;
    }
    try {
      return place.inTurn(this::removeIfStale);
    } catch (IOException e) {
      return notRemoved(occupant, e);
    }
  }

  private static Verdict.Doubtful notRemoved(Verdict.Occupant occupant, IOException e) {
    return new Verdict.Doubtful("failed to remove stale lock: " + Errno.describe(e), occupant.holder());
  }

  private Verdict removeIfStale() throws IOException {
    for (int look = 0; look < MAX_LOOKS; look++) {
      ExclusiveRules.Content content = place.read();
      Verdict verdict = ExclusiveRules.judge(content, witness);
      if (!(verdict instanceof Verdict.Stale(Verdict.Occupant occupant))
          || !(content instanceof ExclusiveRules.Bytes(byte[] judged))) {
        return verdict;
      }
      if (place.remove(judged)) {
        return new Verdict.Cleared(occupant);
      }
    }
    return unsettled();
  }

  private static Verdict.Doubtful unsettled() {
    return new Verdict.Doubtful("the lock file becomes another one again and again", null);
  }

  @Override
  public Hold.Outcome hold(Claim claim) {
    Optional<String> hostname = witness.hostname();
    if (hostname.isEmpty()) {
      return new Hold.Refused(new Verdict.Doubtful("this host does not know its own name", null));
    }
    if (witness.life(claim.pid()) == Witness.Life.GONE) {
      return new Hold.Refused(
          new Verdict.Doubtful("process " + claim.pid() + " is not there, so its lock would be stale at once", null));
    }
    try {
      return place.inTurn(() -> take(claim, hostname.get()));
    } catch (IOException e) {
      return new Hold.Refused(new Verdict.Doubtful("failed to create lock file: " + Errno.describe(e), null));
    }
  }

  private Hold.Outcome take(Claim claim, String hostname) throws IOException {
    Verdict.@Nullable Occupant displaced = null;
    byte[] text = new ExclusiveRecord(claim.holder(), claim.pid(), hostname, time.now(), claim.version(),
        mark(claim.pid()), claim.run()).text().getBytes(StandardCharsets.UTF_8);
    for (int look = 0; look < MAX_LOOKS; look++) {
      ExclusiveRules.Content content = place.read();
      switch (ExclusiveRules.judge(content, witness)) {
        case Verdict.Stale(Verdict.Occupant occupant) -> {
          Verdict.Doubtful failure = removeOnTheWay(content, occupant);
          if (failure != null) {
            return new Hold.Refused(failure);
          }
          displaced = occupant;
        }
        case Verdict.Passable _ -> {
          if (place.create(text)) {
            return new Hold.Granted(new Ours(claim), displaced, false);
          }
        }
        case Verdict.Blocking why -> {
          return isOurs(content, claim)
              ? new Hold.Granted(new Ours(claim), null, true)
              : new Hold.Refused(why);
        }
      }
    }
    return new Hold.Refused(unsettled());
  }

  private Verdict.@Nullable Doubtful removeOnTheWay(ExclusiveRules.Content content, Verdict.Occupant occupant) {
    try {
      boolean _ = content instanceof ExclusiveRules.Bytes(byte[] judged) && place.remove(judged);
      return null;
    } catch (IOException e) {
      return notRemoved(occupant, e);
    }
  }

  @Override
  public Optional<Hold> heldBy(Claim claim) {
    return isOurs(place.read(), claim) ? Optional.of(new Ours(claim)) : Optional.empty();
  }

  private boolean isOurs(ExclusiveRules.Content content, Claim claim) {
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
  private final class Ours implements Hold {
    private final Claim claim;

    private Ours(Claim claim) {
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
