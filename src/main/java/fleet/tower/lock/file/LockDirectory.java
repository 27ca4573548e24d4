package fleet.tower.lock.file;

import java.io.IOException;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The file system as the lock algorithm uses it: one method for one thing that can fail, be delayed, or be the last one
 * before a crash. Files are named without their directory.
 */
interface LockDirectory extends AutoCloseable {

  /** The most that is ever read as a lock. */
  int MAX_FILE_BYTES = 64 * 1024;

  /** Whether there is such a directory; where there is none, there are no locks. */
  boolean isThere();

  /** Waits for the guard of one slot, which no other process or thread has at the same time; makes the directory first. */
  Guard enter(long slot) throws IOException;

  /** Whether there is anything under a name, be it a link that leads nowhere. */
  boolean has(String file) throws IOException;

  /** The bytes of a regular file of ours, or null where there is none; follows no link and hangs on no pipe. */
  byte @Nullable [] read(String file) throws IOException;

  /** When a file was last written, by the clock of this host; null where there is none, or where that is not known. */
  @Nullable
  Instant modified(String file) throws IOException;

  /**
   * Makes a new file that only we may read, replacing a leftover of an earlier crash. An error leaves nothing behind, unless
   * that fails too.
   *
   * @param durable whether its content must have reached the disk on return
   */
  void create(String file, byte[] content, boolean durable) throws IOException;

  /** Changes a part of a file in place, after a look at it; makes the file if need be. Promises nothing after a crash. */
  void patch(String file, Patch patch) throws IOException;

  /** Gives a file a second name; fails with {@link java.nio.file.FileAlreadyExistsException} where the name is taken. */
  void link(String file, String newName) throws IOException;

  /** Gives a file another name, whose old file, if any, is replaced in the same instant. */
  void rename(String file, String newName) throws IOException;

  /** Removes a name; fails with {@link java.nio.file.NoSuchFileException} where there is none. */
  void unlink(String file) throws IOException;

  /** Makes what was linked, renamed and unlinked so far survive a power cut. */
  void sync() throws IOException;

  /** All names in the directory; none where there is no directory. */
  List<String> list() throws IOException;

  /** SHA-256 of a file of any size in hexadecimal, for a file that may not be readable as a lock. */
  String digest(String file) throws IOException;

  /** Where a human finds a file. */
  String pathOf(String file);

  @Override
  void close();

  /** Held until closed. Leaving it cannot fail: what was done under it is done, whatever becomes of the guard. */
  interface Guard extends AutoCloseable {
    @Override
    void close();
  }

  /** Says, given the content as it is, which bytes to write where. */
  interface Patch {
    Piece of(byte[] current);
  }

  /** Bytes and the position they go to. */
  record Piece(int position, byte[] bytes) {}

  /** There is something under a name which is not a file that we would read as a lock. */
  final class UnfitFile extends IOException {
    private static final long serialVersionUID = 1;

    private final String problem;

    UnfitFile(String problem) {
      super(problem);
      this.problem = problem;
    }

    String problem() {
      return problem;
    }
  }
}
