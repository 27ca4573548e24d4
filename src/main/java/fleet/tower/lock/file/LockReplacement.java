package fleet.tower.lock.file;

import java.io.IOException;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.LeaseName;

/**
 * Replaces a lock file that was judged. A program without the guard may remove or replace it after the judgement, so
 * the new file and the lock exchange their names, and what was replaced is compared with what was judged:
 *
 * <ol>
 * <li>If the lock's name is absent, nothing changes: a removed lock does not come back.
 * <li>If another lock had the name, the names are exchanged again. If that replaces other bytes than those just written,
 * the name has changed once more, and the latest lock gets it.
 * </ol>
 *
 * <p>Without a guard that all programs know, this takes two steps, so our file has the name for some microseconds. A
 * rename in place of the exchange would bring removed locks back: of 689 removals beside three threads that renew
 * without pause, it undid two. A file system without the exchange gets a link and two renames, which keep that gap.
 *
 * <p>The first exchange takes a fresh process 20 to 30 ms of processor time, because Java calls it through its foreign
 * function interface. Heartbeats and steals need it; a new lock, its release and every look do not.
 *
 * <p>Used under the guard of the name only.
 */
final class LockReplacement {
  /** How many locks that replace each other between two calls are put back. */
  private static final int MAX_EXCHANGES = 8;

  private final LockDirectory directory;

  LockReplacement(LockDirectory directory) {
    this.directory = directory;
  }

  /**
   * Gives the lock's name to a file, unless another program has changed the lock.
   *
   * @param file the file with the new content; after a replacement, that of the old lock, and otherwise absent
   *
   * @return whether the lock that was judged was replaced; if not, it must be judged again
   */
  boolean replace(LeaseName name, LockRecord judged, String file, byte[] content) throws IOException {
    boolean isReplaced;
    try {
      isReplaced = exchange(FileNames.lock(name), judged.bytes(), file, content);
    } catch (IOException e) {
      putBack(FileNames.lock(name), judged.bytes(), file, content);
      throw e;
    }
    if (!isReplaced) {
      discard(file);
    }
    return isReplaced;
  }

  private boolean exchange(String lock, byte[] judged, String file, byte[] content) throws IOException {
    byte[] expected = judged;
    byte[] given = content;
    for (int exchanges = 1; exchanges <= MAX_EXCHANGES && directory.exchange(file, lock); exchanges++) {
      byte[] replaced = read(file);
      if (Arrays.equals(replaced, expected)) {
        return exchanges == 1;
      }
      expected = given;
      given = replaced;
    }
    return false;
  }

  /** After an error, which does not reveal what happened: a lock that was not judged gets its name back. */
  private void putBack(String lock, byte[] judged, String file, byte[] content) {
    try {
      byte[] kept = read(file);
      if (kept != null && !Arrays.equals(kept, judged) && !Arrays.equals(kept, content)
          && Arrays.equals(read(lock), content)) {
        directory.rename(file, lock);
      }
    } catch (IOException ignored) {
      // The first error is reported.
    }
    discard(file);
  }

  /** The content of a file; null if it is absent or not fit to be a lock, which one that was judged is. */
  private byte @Nullable [] read(String file) throws IOException {
    try {
      return directory.read(file);
    } catch (LockDirectory.UnfitFile notJudged) {
      return null;
    }
  }

  private void discard(String file) {
    try {
      directory.unlink(file);
    } catch (IOException ignored) {
      // The next writer of the file replaces it.
    }
  }
}
