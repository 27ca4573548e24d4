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

/**
 * Who can change what a path leads to. It is safe if nobody but this user and root can: they own the file and every directory
 * and link on the way to it, and nobody else may write there. A directory on the way may be everybody's if it is sticky, as
 * {@code /tmp} is, because there nobody can replace what is another's.
 */
public final class WriteAccess {
  private static final int OTHERS_WRITE = 0022;
  private static final int STICKY = 01000;
  private static final int KIND = 0170000;
  private static final int LINK = 0120000;
  private static final int MOST_LINKS = 40;

  private WriteAccess() {}

  /**
   * One place that others can change.
   *
   * @param remedy the command that closes it
   */
  public record Problem(Path path, String message, String remedy) {
    public Problem {
      requireNonNull(path);
      requireNonNull(message);
      requireNonNull(remedy);
    }

    @Override
    public String toString() {
      return path + " " + message + "; " + remedy;
    }
  }

  /** The first place on the way to a file or directory that others can change; what does not exist is no problem. */
  public static Optional<Problem> problem(Path path) {
    try {
      return walk(path.toAbsolutePath().normalize());
    } catch (NoSuchFileException absent) {
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(new Problem(path, "cannot be looked at: " + Errno.describe(e),
          "look at the owners and modes of the directories above it"));
    }
  }

  private static Optional<Problem> walk(Path path) throws IOException {
    Deque<Path> ahead = new ArrayDeque<>();
    path.forEach(ahead::add);
    Path root = requireNonNull(path.getRoot());
    Path at = root;
    int links = 0;
    while (!ahead.isEmpty()) {
      Path next = at.resolve(ahead.remove()).normalize();
      Map<String, Object> attributes = Files.readAttributes(next, "unix:uid,mode", LinkOption.NOFOLLOW_LINKS);
      int mode = (Integer) requireNonNull(attributes.get("mode"));
      Optional<Problem> problem = problem(next, requireNonNull(attributes.get("uid")), mode, ahead.isEmpty());
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
        names.reversed().forEach(ahead::addFirst);
      } else {
        at = next;
      }
    }
    return Optional.empty();
  }

  private static Optional<Problem> problem(Path path, Object owner, int mode, boolean isLast) throws IOException {
    if (!owner.equals(0) && !isOurs(owner)) {
      return Optional.of(new Problem(path, "belongs to user id " + owner + ", neither to this user nor to root",
          "give it to one of them: chown"));
    }
    boolean isLink = (mode & KIND) == LINK;
    boolean isShared = (mode & STICKY) != 0 && !isLast;
    if (isLink || isShared || (mode & OTHERS_WRITE) == 0) {
      return Optional.empty();
    }
    String shown = Integer.toOctalString(mode & 07777);
    return Optional.of((mode & 0002) != 0
        ? new Problem(path, "can be written by everybody (" + shown + ")", "chmod go-w " + path)
        : new Problem(path, "can be written by its group (" + shown + ")",
            "chmod g-w " + path + " (with umask 002 every new file is like this)"));
  }

  private static boolean isOurs(Object owner) throws IOException {
    Path self = Path.of("/proc/self");
    return Files.notExists(self) || owner.equals(Files.getAttribute(self, "unix:uid"));
  }
}
