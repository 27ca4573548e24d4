package fleet.tower.exclusive.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import fleet.tower.exclusive.Claim;
import fleet.tower.exclusive.ForeignLock;
import fleet.tower.exclusive.Hold;
import fleet.tower.exclusive.Verdict;

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
  public Verdict look() {
    if (!Files.exists(file) && !Files.isSymbolicLink(file)) {
      return new Verdict.Free();
    }
    try (Flock flock = Flock.open(file)) {
      return flock.tryShared() ? new Verdict.Free() : new Verdict.Held(holder());
    } catch (IOException e) {
      return new Verdict.Doubtful(String.valueOf(e.getMessage()), null);
    }
  }

  @Override
  public Verdict check() {
    return look();
  }

  /** A file that was replaced between its opening and its locking is nobody's any more, so the next one is tried. */
  @Override
  public Hold.Outcome hold(Claim claim) {
    try {
      for (int look = 0; look < MAX_LOOKS; look++) {
        Hold.Outcome outcome = take();
        if (outcome != null) {
          return outcome;
        }
      }
      return new Hold.Refused(new Verdict.Doubtful("the file is replaced again and again", null));
    } catch (IOException e) {
      return new Hold.Refused(new Verdict.Doubtful(String.valueOf(e.getMessage()), null));
    }
  }

  private Hold.@Nullable Outcome take() throws IOException {
    Flock flock = Flock.make(file);
    boolean isKept = false;
    try {
      if (!flock.tryExclusive()) {
        return new Hold.Refused(new Verdict.Held(holder()));
      }
      if (!Files.exists(file) || !flock.is(file)) {
        return null;
      }
      isKept = true;
      return new Hold.Granted(() -> {
        flock.close();
        return new Hold.Released();
      }, null, false);
    } finally {
      if (!isKept) {
        flock.close();
      }
    }
  }

  @Override
  public Optional<Hold> heldBy(Claim claim) {
    return Optional.empty();
  }

  /** Whom the kernel knows to have locked it; one in another container it does not tell. */
  private Verdict.Occupant holder() {
    try {
      String inode = String.valueOf(Files.getAttribute(file, "unix:ino"));
      List<Long> pids = Files.readAllLines(LOCKS).stream().map(ENTRY::matcher).filter(Matcher::matches)
          .filter(entry -> entry.group(2).equals(inode)).map(entry -> Long.parseLong(entry.group(1)))
          .filter(pid -> pid > 0).distinct().toList();
      if (pids.size() == 1) {
        return new Verdict.Occupant(HostWitness.nameOf(pids.getFirst()), pids.getFirst(), "", null);
      }
    } catch (IOException nobodyTells) {
      // Somebody has it all the same.
    }
    return new Verdict.Occupant("another process", 0, "", null);
  }
}
