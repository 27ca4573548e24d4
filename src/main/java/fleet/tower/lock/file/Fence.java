package fleet.tower.lock.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.platform.StorageException;

/**
 * The fencing-token counter of a lock name. Invariant, also after a power failure: the largest of the counter, the
 * token in the lock file and those in the journal is not below any token ever issued. Used under the guard only.
 *
 * <p>A name without a counter counts from the {@link Floor}, since {@link Retirement} may have removed its counter.
 *
 * <p>The counter is overwritten in place, with a fixed number of digits, so that a power cut leaves the old or the new
 * value. A missing counter, and one of another length, is replaced as a whole.
 */
final class Fence {
  private static final Pattern FORM = Pattern.compile("\\d{1,18}\\n?");
  private static final int DIGITS = 18;

  private final LockDirectory directory;
  private final Floor floor;

  Fence(LockDirectory directory) {
    this.directory = directory;
    this.floor = new Floor(directory);
  }

  /** Increments the counter past {@code previous} and its own value; returns the new token. */
  FencingToken advance(LeaseName name, FencingToken previous) throws IOException {
    byte[] content = directory.read(FileNames.fence(name));
    FencingToken next = value(name, content).max(previous).next();
    write(name, content, next);
    return next;
  }

  /** Raises the counter to a token whose lock file another program has written, or a power cut has kept. */
  void atLeast(LeaseName name, FencingToken token) throws IOException {
    byte[] content = directory.read(FileNames.fence(name));
    if (value(name, content).compareTo(token) < 0) {
      write(name, content, token);
    }
  }

  /**
   * Raises the counter after a power cut. A damaged one is left to the operator. One that was removed does not come
   * back.
   */
  void restore(LeaseName name, FencingToken token) throws IOException {
    byte[] content;
    try {
      content = directory.read(FileNames.fence(name));
    } catch (LockDirectory.UnfitFile damaged) {
      return;
    }
    boolean isLow = content == null
        ? floor.value().compareTo(token) < 0
        : isSound(content) && value(content).compareTo(token) < 0;
    if (isLow) {
      replace(name, token);
    }
  }

  /** Whether a file holds a valid counter. */
  static boolean isSound(Path file) throws IOException {
    return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && Files.size(file) < 32
        && isSound(Files.readAllBytes(file));
  }

  /** A token that is not below any token ever issued for a name. */
  FencingToken last(LeaseName name) throws IOException {
    return value(name, directory.read(FileNames.fence(name)));
  }

  /** The counter of a name; {@link FencingToken#NONE} if it has none. */
  FencingToken counter(LeaseName name) throws IOException {
    byte[] content = directory.read(FileNames.fence(name));
    return content == null ? FencingToken.NONE : value(name, content);
  }

  private FencingToken value(LeaseName name, byte @Nullable [] content) throws IOException {
    if (content == null) {
      return floor.value();
    }
    if (!isSound(content)) {
      throw new StorageException("the fencing counter of lock " + name + " is damaged: "
          + directory.pathOf(FileNames.fence(name))
          + " must contain one number, not below any fencing token issued for this name; correct it by hand");
    }
    return value(content);
  }

  /** Whether this is a number that has a successor. */
  static boolean isSound(byte[] content) {
    String text = new String(content, StandardCharsets.US_ASCII);
    return FORM.matcher(text).matches() && value(content).hasNext();
  }

  static FencingToken value(byte[] content) {
    return new FencingToken(Long.parseLong(new String(content, StandardCharsets.US_ASCII).strip()));
  }

  private void write(LeaseName name, byte @Nullable [] content, FencingToken token) throws IOException {
    if (content != null && content.length == DIGITS + 1) {
      directory.patch(FileNames.fence(name), _ -> new LockDirectory.Piece(0, bytes(token)));
    } else {
      replace(name, token);
    }
  }

  private void replace(LeaseName name, FencingToken token) throws IOException {
    directory.create(FileNames.fenceTemp(name), bytes(token), true);
    directory.rename(FileNames.fenceTemp(name), FileNames.fence(name));
  }

  static byte[] bytes(FencingToken token) {
    String digits = token.toString();
    return ("0".repeat(DIGITS - digits.length()) + digits + "\n").getBytes(StandardCharsets.US_ASCII);
  }
}
