package fleet.tower.foreign.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import fleet.tower.foreign.ExclusiveRules;
import fleet.tower.foreign.ForeignClaim;
import fleet.tower.foreign.ForeignHold;
import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignLockState;
import fleet.tower.foreign.ProcessProbe;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

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
  private final ProcessProbe witness;

  PidFileLock(Path file, ProcessProbe witness, TimeSource time, Scheduler scheduler) {
    this.place = new LockPlace(file, this::isDead, time, scheduler);
    this.witness = witness;
  }

  private boolean isDead(byte[] bytes) {
    return judge(new ExclusiveRules.Bytes(bytes)) instanceof ForeignLockState.Stale;
  }

  @Override
  public ForeignLockState look() {
    return judge(place.read());
  }

  @Override
  public ForeignLockState check() {
    return look();
  }

  private ForeignLockState judge(ExclusiveRules.Content content) {
    return switch (content) {
      case ExclusiveRules.Nothing() -> new ForeignLockState.Free();
      case ExclusiveRules.Unreadable(String problem) ->
        new ForeignLockState.Doubtful("failed to read: " + problem, null);
      case ExclusiveRules.Bytes(byte[] bytes) -> judge(new String(bytes, StandardCharsets.UTF_8));
    };
  }

  private ForeignLockState judge(String text) {
    Matcher number = FIRST_LINE.matcher(text);
    long pid = number.matches() ? Long.parseLong(number.group(1)) : 0;
    if (pid == 0) {
      return new ForeignLockState.Doubtful(text.isBlank() ? "the file is empty" : "there is no process number in it",
          null);
    }
    boolean isOfOneBefore = pid == ProcessHandle.current().pid() && !HELD_HERE.contains(place.file());
    return isOfOneBefore || witness.life(pid) == ProcessProbe.Life.GONE
        ? new ForeignLockState.Stale(new ForeignLockState.Occupant("process " + pid, pid, "", null))
        : new ForeignLockState.Held(new ForeignLockState.Occupant(HostProcessProbe.nameOf(pid), pid, "", null));
  }

  @Override
  public ForeignHold.Outcome hold(ForeignClaim claim) {
    try {
      return place.inTurn(() -> take(claim));
    } catch (IOException e) {
      return new ForeignHold.Refused(new ForeignLockState.Doubtful("failed to create: " + Errno.describe(e), null));
    }
  }

  private ForeignHold.Outcome take(ForeignClaim claim) throws IOException {
    byte[] text = (claim.pid() + "\n").getBytes(StandardCharsets.US_ASCII);
    ForeignLockState.@Nullable Occupant displaced = null;
    for (int look = 0; look < MAX_LOOKS; look++) {
      ExclusiveRules.Content content = place.read();
      switch (judge(content)) {
        case ForeignLockState.Stale(ForeignLockState.Occupant occupant) -> {
          boolean _ = content instanceof ExclusiveRules.Bytes(byte[] judged) && place.remove(judged);
          displaced = occupant;
        }
        case ForeignLockState.Passable _ -> {
          if (place.create(text)) {
            HELD_HERE.add(place.file());
            return new ForeignHold.Granted(() -> release(text), displaced, false);
          }
        }
        case ForeignLockState.Blocking why -> {
          return new ForeignHold.Refused(why);
        }
      }
    }
    return new ForeignHold.Refused(new ForeignLockState.Doubtful("the file becomes another one again and again", null));
  }

  @Override
  public Optional<ForeignHold> heldBy(ForeignClaim claim) {
    return Optional.empty();
  }

  private ForeignHold.Release release(byte[] ours) {
    try {
      ForeignHold.Release release = place.inTurn(() -> {
        if (place.remove(ours)) {
          return new ForeignHold.Released();
        }
        return place.isTaken() ? new ForeignHold.NotOurs(look()) : new ForeignHold.Absent();
      });
      HELD_HERE.remove(place.file());
      return release;
    } catch (IOException e) {
      return new ForeignHold.Failed(Errno.describe(e) + " (" + place.file() + ")");
    }
  }
}
