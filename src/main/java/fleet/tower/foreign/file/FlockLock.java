package fleet.tower.foreign.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignLockState;

/**
 * A lock by {@code flock(1)} on a file or directory. The kernel ends it with its holder, so it is never stale. Reading
 * its state means acquiring a shared lock for a moment, since there is no other way.
 */
final class FlockLock implements ForeignLock {
  private static final Path LOCKS = Path.of("/proc/locks");
  private static final Pattern ENTRY = Pattern
      .compile("\\d+: FLOCK +\\S+ +WRITE +(\\d+) [0-9a-f]+:[0-9a-f]+:(\\d+) .*");
  private static final int MAX_ATTEMPTS = 10;

  private final Path file;

  FlockLock(Path file) {
    this.file = file;
  }

  @Override
  public ForeignLockState state() {
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
    return state();
  }

  /** A file that was replaced between open and lock protects nothing, so the new one is tried. */
  @Override
  public ForeignLock.Hold.Outcome hold(ForeignLock.Claim claim) {
    try {
      for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        ForeignLock.Hold.Outcome outcome = take();
        if (outcome != null) {
          return outcome;
        }
      }
      return new ForeignLock.Hold.Refused(new ForeignLockState.Doubtful("the file keeps being replaced", null));
    } catch (IOException e) {
      return new ForeignLock.Hold.Refused(new ForeignLockState.Doubtful(String.valueOf(e.getMessage()), null));
    }
  }

  private ForeignLock.Hold.@Nullable Outcome take() throws IOException {
    Flock flock = Flock.openOrCreate(file);
    boolean isKept = false;
    try {
      if (!flock.tryExclusive()) {
        return new ForeignLock.Hold.Refused(new ForeignLockState.Held(holder()));
      }
      if (!Files.exists(file) || !flock.is(file)) {
        return null;
      }
      isKept = true;
      return new ForeignLock.Hold.Granted(() -> {
        flock.close();
        return new ForeignLock.Hold.Released();
      }, null, false);
    } finally {
      if (!isKept) {
        flock.close();
      }
    }
  }

  @Override
  public Optional<ForeignLock.Hold> heldBy(ForeignLock.Claim claim) {
    return Optional.empty();
  }

  /** The process that locked the file, according to the kernel; it does not report one in another container. */
  private ForeignLockState.Occupant holder() {
    try {
      String inode = String.valueOf(Files.getAttribute(file, "unix:ino"));
      List<Long> pids = Files.readAllLines(LOCKS).stream().map(ENTRY::matcher).filter(Matcher::matches)
          .filter(entry -> entry.group(2).equals(inode)).map(entry -> Long.parseLong(entry.group(1)))
          .filter(pid -> pid > 0).distinct().toList();
      if (pids.size() == 1) {
        return new ForeignLockState.Occupant(HostProcessProbe.nameOf(pids.getFirst()), pids.getFirst(), "", null);
      }
    } catch (IOException unknown) {
      // The lock is held by an unknown process.
    }
    return new ForeignLockState.Occupant("another process", 0, "", null);
  }
}
