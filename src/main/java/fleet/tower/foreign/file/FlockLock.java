package fleet.tower.foreign.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import fleet.tower.foreign.ForeignClaim;
import fleet.tower.foreign.ForeignHold;
import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignLockState;

/**
 * A file or directory that is locked as {@code flock(1)} does it. The kernel keeps the lock and ends it with its holder, so none
 * is ever stale. To look, a share of the lock is taken and given back at once: there is no other way to ask.
 */
final class FlockLock implements ForeignLock {
  private static final Path LOCKS = Path.of("/proc/locks");
  private static final Pattern ENTRY = Pattern
      .compile("\\d+: FLOCK +\\S+ +WRITE +(\\d+) [0-9a-f]+:[0-9a-f]+:(\\d+) .*");
  private static final int MAX_LOOKS = 10;

  private final Path file;

  FlockLock(Path file) {
    this.file = file;
  }

  @Override
  public ForeignLockState look() {
    if (!Files.exists(file) && !Files.isSymbolicLink(file)) {
      return new ForeignLockState.Free();
    }
    try (Flock flock = Flock.open(file)) {
      return flock.tryShared() ? new ForeignLockState.Free() : new ForeignLockState.Held(holder());
    } catch (IOException e) {
      return new ForeignLockState.Doubtful(String.valueOf(e.getMessage()), null);
    }
  }

  @Override
  public ForeignLockState check() {
    return look();
  }

  /** A file that was replaced between its opening and its locking is nobody's any more, so the next one is tried. */
  @Override
  public ForeignHold.Outcome hold(ForeignClaim claim) {
    try {
      for (int look = 0; look < MAX_LOOKS; look++) {
        ForeignHold.Outcome outcome = take();
        if (outcome != null) {
          return outcome;
        }
      }
      return new ForeignHold.Refused(new ForeignLockState.Doubtful("the file is replaced again and again", null));
    } catch (IOException e) {
      return new ForeignHold.Refused(new ForeignLockState.Doubtful(String.valueOf(e.getMessage()), null));
    }
  }

  private ForeignHold.@Nullable Outcome take() throws IOException {
    Flock flock = Flock.make(file);
    boolean isKept = false;
    try {
      if (!flock.tryExclusive()) {
        return new ForeignHold.Refused(new ForeignLockState.Held(holder()));
      }
      if (!Files.exists(file) || !flock.is(file)) {
        return null;
      }
      isKept = true;
      return new ForeignHold.Granted(() -> {
        flock.close();
        return new ForeignHold.Released();
      }, null, false);
    } finally {
      if (!isKept) {
        flock.close();
      }
    }
  }

  @Override
  public Optional<ForeignHold> heldBy(ForeignClaim claim) {
    return Optional.empty();
  }

  /** Whom the kernel knows to have locked it; one in another container it does not tell. */
  private ForeignLockState.Occupant holder() {
    try {
      String inode = String.valueOf(Files.getAttribute(file, "unix:ino"));
      List<Long> pids = Files.readAllLines(LOCKS).stream().map(ENTRY::matcher).filter(Matcher::matches)
          .filter(entry -> entry.group(2).equals(inode)).map(entry -> Long.parseLong(entry.group(1)))
          .filter(pid -> pid > 0).distinct().toList();
      if (pids.size() == 1) {
        return new ForeignLockState.Occupant(HostProcessProbe.nameOf(pids.getFirst()), pids.getFirst(), "", null);
      }
    } catch (IOException nobodyTells) {
      // Somebody has it all the same.
    }
    return new ForeignLockState.Occupant("another process", 0, "", null);
  }
}
