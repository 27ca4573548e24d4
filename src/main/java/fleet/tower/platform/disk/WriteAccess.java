package fleet.tower.platform.disk;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Checks who can change the target of a path. A path is safe if only this user and root can: they own the file and
 * every directory and link on the way to it, and no other user can write there. A directory on the way may be
 * writable by all if it is sticky, as {@code /tmp} is, because users cannot replace each other's files there.
 */
public final class WriteAccess {
  private static final int GROUP_WRITE = 0020;
  private static final int ALL_WRITE = 0002;
  private static final int STICKY = 01000;
  private static final int KIND = 0170000;
  private static final int LINK = 0120000;
  private static final int MOST_LINKS = 40;
  private static final Path SELF = Path.of("/proc/self");

  private static volatile @Nullable Object self;

  private WriteAccess() {}

  /**
   * A path that other users can change.
   *
   * @param remedy the command that fixes it
   */
  public record Problem(Path path, String message, String remedy) {
    @Override
    public String toString() {
      return path + " " + message + "; " + remedy;
    }
  }

  /** The first part of a path that other users can change; a missing file is no problem. */
  public static Optional<Problem> problem(Path path) {
    return problem(path, GROUP_WRITE | ALL_WRITE);
  }

  /** The same, except that groups may write. */
  public static Optional<Problem> problemBesidesGroups(Path path) {
    return problem(path, ALL_WRITE);
  }

  private static Optional<Problem> problem(Path path, int forbidden) {
    try {
      return walk(path.toAbsolutePath().normalize(), forbidden);
    } catch (NoSuchFileException absent) {
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(new Problem(path, "cannot be examined: " + Errno.describe(e),
          "check the owners and modes of the directories above it"));
    }
  }

  private static Optional<Problem> walk(Path path, int forbidden) throws IOException {
    Deque<Path> remaining = new ArrayDeque<>();
    path.forEach(remaining::add);
    Path root = requireNonNull(path.getRoot());
    Path at = root;
    int links = 0;
    while (!remaining.isEmpty()) {
      Path next = at.resolve(remaining.remove()).normalize();
      Map<String, Object> attributes = Files.readAttributes(next, "unix:uid,mode", LinkOption.NOFOLLOW_LINKS);
      int mode = (Integer) requireNonNull(attributes.get("mode"));
      Optional<Problem> problem = owner(next, requireNonNull(attributes.get("uid")));
      if (problem.isEmpty()) {
        problem = writers(next, mode, forbidden, remaining.isEmpty());
      }
      if (problem.isPresent()) {
        return problem;
      }
      if ((mode & KIND) == LINK) {
        links++;
        if (links > MOST_LINKS) {
          throw new FileSystemLoopException(path.toString());
        }
        Path target = Files.readSymbolicLink(next);
        at = target.isAbsolute() ? root : at;
        List<Path> names = new ArrayList<>();
        target.forEach(names::add);
        names.reversed().forEach(remaining::addFirst);
      } else {
        at = next;
      }
    }
    return Optional.empty();
  }

  private static Optional<Problem> owner(Path path, Object owner) throws IOException {
    return isTrusted(owner)
        ? Optional.empty()
        : Optional.of(new Problem(path, "is owned by user id " + owner + ", not by this user or root",
            "change its owner with chown"));
  }

  private static Optional<Problem> writers(Path path, int mode, int forbidden, boolean isLast) {
    boolean isLink = (mode & KIND) == LINK;
    boolean isShared = (mode & STICKY) != 0 && !isLast;
    if (isLink || isShared || (mode & forbidden) == 0) {
      return Optional.empty();
    }
    String shown = Integer.toOctalString(mode & 07777);
    return Optional.of((mode & ALL_WRITE) != 0
        ? new Problem(path, "is world-writable (" + shown + ")", "chmod go-w " + path)
        : new Problem(path, "is group-writable (" + shown + ")",
            "chmod g-w " + path + " (umask 002 creates every file with this mode)"));
  }

  /** Whether a user id is that of this user or root; any is where the system does not tell who this user is. */
  public static boolean isTrusted(Object owner) throws IOException {
    return owner.equals(0) || owner.equals(self()) || Files.notExists(SELF);
  }

  private static @Nullable Object self() throws IOException {
    Object known = self;
    if (known == null && Files.exists(SELF)) {
      known = Files.getAttribute(SELF, "unix:uid");
      self = known;
    }
    return known;
  }
}
