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
import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignLockState;
import fleet.tower.foreign.ProcessProbe;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/**
 * A file with its holder's process number on the first line, as daemons write it. One of a dead process does not block,
 * and stays until the next acquisition. This process' number in a file that it did not write is an earlier process': in
 * a container every main process is number 1.
 */
final class PidFileLock implements ForeignLock {
  private static final Pattern FIRST_LINE = Pattern.compile("\\s*(\\d{1,10})(?:\\s.*)?", Pattern.DOTALL);
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();
  private static final int MAX_ATTEMPTS = 10;

  private final LockFile lock;
  private final ProcessProbe probe;

  PidFileLock(Path file, ProcessProbe probe, TimeSource time, Scheduler scheduler) {
    this.lock = new LockFile(file, this::isDead, time, scheduler);
    this.probe = probe;
  }

  private boolean isDead(byte[] bytes) {
    return judge(new ExclusiveRules.Bytes(bytes)) instanceof ForeignLockState.Stale;
  }

  @Override
  public ForeignLockState state() {
    return judge(lock.read());
  }

  @Override
  public ForeignLockState check() {
    return state();
  }

  private ForeignLockState judge(ExclusiveRules.Content content) {
    return switch (content) {
      case ExclusiveRules.Nothing() -> new ForeignLockState.Free();
      case ExclusiveRules.Corrupt(String problem) ->
        new ForeignLockState.Doubtful("failed to read: " + problem, null);
      case ExclusiveRules.Bytes(byte[] bytes) -> judge(new String(bytes, StandardCharsets.UTF_8));
    };
  }

  private ForeignLockState judge(String text) {
    Matcher number = FIRST_LINE.matcher(text);
    long pid = number.matches() ? Long.parseLong(number.group(1)) : 0;
    if (pid == 0) {
      return new ForeignLockState.Doubtful(text.isBlank() ? "the file is empty" : "the file has no process number",
          null);
    }
    boolean isOfEarlierProcess = pid == ProcessHandle.current().pid() && !HELD.contains(lock.path());
    return isOfEarlierProcess || probe.life(pid) == ProcessProbe.Life.GONE
        ? new ForeignLockState.Stale(new ForeignLockState.Occupant("process " + pid, pid, "", null))
        : new ForeignLockState.Held(new ForeignLockState.Occupant(HostProcessProbe.nameOf(pid), pid, "", null));
  }

  @Override
  public ForeignLock.Hold.Outcome hold(ForeignLock.Claim claim) {
    try {
      return lock.exclusively(() -> take(claim));
    } catch (IOException e) {
      return new ForeignLock.Hold.Refused(
          new ForeignLockState.Doubtful("failed to create: " + Errno.describe(e), null));
    }
  }

  private ForeignLock.Hold.Outcome take(ForeignLock.Claim claim) throws IOException {
    byte[] text = (claim.pid() + "\n").getBytes(StandardCharsets.US_ASCII);
    ForeignLockState.@Nullable Occupant previous = null;
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      ExclusiveRules.Content content = lock.read();
      switch (judge(content)) {
        case ForeignLockState.Stale(ForeignLockState.Occupant occupant) -> {
          boolean _ = content instanceof ExclusiveRules.Bytes(byte[] judged) && lock.remove(judged);
          previous = occupant;
        }
        case ForeignLockState.Passable _ -> {
          if (lock.create(text)) {
            HELD.add(lock.path());
            return new ForeignLock.Hold.Granted(() -> release(text), previous, false);
          }
        }
        case ForeignLockState.Blocking why -> {
          return new ForeignLock.Hold.Refused(why);
        }
      }
    }
    return new ForeignLock.Hold.Refused(new ForeignLockState.Doubtful("the file keeps changing", null));
  }

  @Override
  public Optional<ForeignLock.Hold> heldBy(ForeignLock.Claim claim) {
    return Optional.empty();
  }

  private ForeignLock.Hold.ReleaseOutcome release(byte[] ours) {
    try {
      ForeignLock.Hold.ReleaseOutcome outcome = lock.exclusively(() -> {
        if (lock.remove(ours)) {
          return new ForeignLock.Hold.Released();
        }
        return lock.exists() ? new ForeignLock.Hold.NotOurs(state()) : new ForeignLock.Hold.Absent();
      });
      HELD.remove(lock.path());
      return outcome;
    } catch (IOException e) {
      return new ForeignLock.Hold.Failed(Errno.describe(e) + " (" + lock.path() + ")");
    }
  }
}
