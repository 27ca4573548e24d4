package fleet.tower.lock.file;

import java.io.IOException;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.disk.JournalDirectory;

/**
 * The file system operations of the lock algorithm: one method per step that can fail, be delayed, or be the last
 * before a crash. Files are named without their directory.
 */
interface LockDirectory extends JournalDirectory, AutoCloseable {

  /** The maximum size of a file that is read as a lock. */
  int MAX_FILE_BYTES = 64 * 1024;

  /**
   * Throws if the locks have moved to another store. {@link #enter} does that too; reads, which do not enter, would
   * show the locks as they were then.
   *
   * @throws fleet.tower.platform.StorageException with the place that they have moved to
   */
  default void requireUnmoved() {}

  /** Whether the directory exists; without it there are no locks. */
  boolean exists();

  /** Waits for exclusive use of one slot among all threads and processes; creates the directory first. */
  Guard enter(long slot) throws IOException;

  /** The bytes of a regular file, or null if it does not exist; follows no link and does not block on a pipe. */
  byte @Nullable [] read(String file) throws IOException;

  /** The modification time of a file by this host's clock; null if the file does not exist or the time is unknown. */
  @Nullable
  Instant modified(String file) throws IOException;

  /** Changes part of a file in place, depending on its content; creates the file if it is missing. Not durable. */
  void patch(String file, Patch patch) throws IOException;

  /**
   * Writes a file that only its owner may read: in place if there is one that is as long and has no other name, so that
   * no block of the disk is allocated. Not durable.
   */
  void overwrite(String file, byte[] content) throws IOException;

  /**
   * Swaps the names of two files in one step; false if one of them does not exist, and then nothing has changed. Not
   * durable.
   */
  boolean exchange(String file, String other) throws IOException;

  /** All names in the directory; empty if there is no directory. */
  List<String> list() throws IOException;

  /** SHA-256 of a file of any size in hexadecimal; for files that may not be readable as a lock. */
  String digest(String file) throws IOException;

  /** The full path of a file, for messages. */
  String pathOf(String file);

  @Override
  void close();

  /** Exclusive use of a slot until closed. Closing cannot fail: the work under the guard is complete in any case. */
  interface Guard extends AutoCloseable {
    @Override
    void close();
  }

  /** Computes from a file's content which bytes to write where. */
  interface Patch {
    Piece of(byte[] current);
  }

  /** Bytes and the position to write them to. */
  record Piece(int position, byte[] bytes) {}

  /** A name exists, but is not a file that may be read as a lock. */
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
