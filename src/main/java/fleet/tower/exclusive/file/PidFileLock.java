package fleet.tower.exclusive.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import fleet.tower.disk.Errno;
import fleet.tower.exclusive.Claim;
import fleet.tower.exclusive.ExclusiveRules;
import fleet.tower.exclusive.ForeignLock;
import fleet.tower.exclusive.Hold;
import fleet.tower.exclusive.Verdict;
import fleet.tower.exclusive.Witness;
import fleet.tower.time.Scheduler;
import fleet.tower.time.TimeSource;

/**
 * A file with the number of the process that holds it on its first line, as daemons have kept them since there are daemons. One
 * of a dead process is in nobody's way, and stays until somebody takes it. Our own number in a file that we did not write was a
 * process' before us: in a container everybody is number 1.
 */
final class PidFileLock implements ForeignLock {
  private static final Pattern FIRST_LINE = Pattern.compile("\\s*(\\d{1,10})(?:\\s.*)?", Pattern.DOTALL);
  private static final Set<Path> HELD_HERE = ConcurrentHashMap.newKeySet();
  private static final int MAX_LOOKS = 10;

  private final LockPlace place;
  private final Witness witness;

  PidFileLock(Path file, Witness witness, TimeSource time, Scheduler scheduler) {
    this.place = new LockPlace(file, this::isDead, time, scheduler);
    this.witness = witness;
  }

  private boolean isDead(byte[] bytes) {
    return judge(new ExclusiveRules.Bytes(bytes)) instanceof Verdict.Stale;
  }

  @Override
  public Verdict look() {
    return judge(place.read());
  }

  @Override
  public Verdict check() {
    return look();
  }

  private Verdict judge(ExclusiveRules.Content content) {
    return switch (content) {
      case ExclusiveRules.Nothing() -> new Verdict.Free();
      case ExclusiveRules.Unreadable(String problem) -> new Verdict.Doubtful("failed to read: " + problem, null);
      case ExclusiveRules.Bytes(byte[] bytes) -> judge(new String(bytes, StandardCharsets.UTF_8));
    };
  }

  private Verdict judge(String text) {
    Matcher number = FIRST_LINE.matcher(text);
    long pid = number.matches() ? Long.parseLong(number.group(1)) : 0;
    if (pid == 0) {
      return new Verdict.Doubtful(text.isBlank() ? "the file is empty" : "there is no process number in it", null);
    }
    boolean isOfOneBefore = pid == ProcessHandle.current().pid() && !HELD_HERE.contains(place.file());
    return isOfOneBefore || witness.life(pid) == Witness.Life.GONE
        ? new Verdict.Stale(new Verdict.Occupant("process " + pid, pid, "", null))
        : new Verdict.Held(new Verdict.Occupant(HostWitness.nameOf(pid), pid, "", null));
  }

  @Override
  public Hold.Outcome hold(Claim claim) {
    try {
      return place.inTurn(() -> take(claim));
    } catch (IOException e) {
      return new Hold.Refused(new Verdict.Doubtful("failed to create: " + Errno.describe(e), null));
    }
  }

  private Hold.Outcome take(Claim claim) throws IOException {
    byte[] text = (claim.pid() + "\n").getBytes(StandardCharsets.US_ASCII);
    Verdict.@Nullable Occupant displaced = null;
    for (int look = 0; look < MAX_LOOKS; look++) {
      ExclusiveRules.Content content = place.read();
      switch (judge(content)) {
        case Verdict.Stale(Verdict.Occupant occupant) -> {
          boolean _ = content instanceof ExclusiveRules.Bytes(byte[] judged) && place.remove(judged);
          displaced = occupant;
        }
        case Verdict.Passable _ -> {
          if (place.create(text)) {
            HELD_HERE.add(place.file());
            return new Hold.Granted(() -> release(text), displaced, false);
          }
        }
        case Verdict.Blocking why -> {
          return new Hold.Refused(why);
        }
      }
    }
    return new Hold.Refused(new Verdict.Doubtful("the file becomes another one again and again", null));
  }

  @Override
  public Optional<Hold> heldBy(Claim claim) {
    return Optional.empty();
  }

  private Hold.Release release(byte[] ours) {
    try {
      Hold.Release release = place.inTurn(() -> {
        if (place.remove(ours)) {
          return new Hold.Released();
        }
        return place.isTaken() ? new Hold.NotOurs(look()) : new Hold.Absent();
      });
      HELD_HERE.remove(place.file());
      return release;
    } catch (IOException e) {
      return new Hold.Failed(Errno.describe(e) + " (" + place.file() + ")");
    }
  }
}
