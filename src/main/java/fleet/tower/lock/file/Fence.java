package fleet.tower.lock.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.regex.Pattern;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.platform.StorageException;

/**
 * The fencing-token counter of a lock name. Invariant, also after a power failure: the larger of the counter and the
 * token in the lock file is not below any token ever issued. Used under the guard only.
 */
final class Fence {
  private static final Pattern FORM = Pattern.compile("\\d{1,18}\\n?");

  private final LockDirectory directory;

  Fence(LockDirectory directory) {
    this.directory = directory;
  }

  /** Increments the counter past {@code previous} and its own value; returns the new token once it is on disk. */
  FencingToken advance(LeaseName name, FencingToken previous) throws IOException {
    FencingToken next = last(name).max(previous).next();
    write(name, next);
    return next;
  }

  /**
   * Raises the counter to a token whose lock file is about to be removed: a power failure may have kept the lock file
   * and lost the counter's update.
   */
  void atLeast(LeaseName name, FencingToken token) throws IOException {
    if (last(name).compareTo(token) < 0) {
      write(name, token);
      directory.sync();
    }
  }

  /** Whether a file holds a valid counter. */
  static boolean isSound(Path file) throws IOException {
    return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && Files.size(file) < 32
        && FORM.matcher(new String(Files.readAllBytes(file), StandardCharsets.US_ASCII)).matches();
  }

  /** The counter of a name; {@link FencingToken#NONE} if there is none. */
  FencingToken last(LeaseName name) throws IOException {
    byte[] content = directory.read(FileNames.fence(name));
    if (content == null) {
      return FencingToken.NONE;
    }
    String text = new String(content, StandardCharsets.US_ASCII);
    if (!FORM.matcher(text).matches() || !new FencingToken(Long.parseLong(text.strip())).hasNext()) {
      throw new StorageException("the fencing counter of lock " + name + " is damaged: "
          + directory.pathOf(FileNames.fence(name))
          + " must contain one number, not below any fencing token issued for this name; correct it by hand");
    }
    return new FencingToken(Long.parseLong(text.strip()));
  }

  private void write(LeaseName name, FencingToken token) throws IOException {
    directory.create(FileNames.fenceTemp(name), (token + "\n").getBytes(StandardCharsets.US_ASCII), true);
    directory.rename(FileNames.fenceTemp(name), FileNames.fence(name));
  }
}
