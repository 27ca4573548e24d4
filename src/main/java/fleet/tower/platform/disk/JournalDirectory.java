package fleet.tower.platform.disk;

import java.io.IOException;

import org.jspecify.annotations.Nullable;

/** The file system operations of a {@link Journal}: one method per step that can fail or be the last before a crash. */
public interface JournalDirectory {

  /** This boot of this host and the file system's device, as text; null if the boot is unknown. */
  @Nullable
  String origin() throws IOException;

  /** Whether a name exists, even as a dangling link. */
  boolean has(String file) throws IOException;

  /** Up to a number of bytes of a file from a position on; null if the file does not exist. */
  byte @Nullable [] read(String file, long from, int most) throws IOException;

  /** Opens an existing file; throws {@link java.nio.file.NoSuchFileException} if there is none. */
  Log open(String file) throws IOException;

  /** Whether a name is one of the opened file. */
  boolean leadsTo(String file, Log log) throws IOException;

  /**
   * Creates a file that only its owner may read, replacing a leftover of an earlier crash. On an error, removes it
   * again if possible.
   *
   * @param durable whether its content must be on disk on return
   */
  void create(String file, byte[] content, boolean durable) throws IOException;

  /** Adds a second name to a file; throws {@link java.nio.file.FileAlreadyExistsException} if the name exists. */
  void link(String file, String newName) throws IOException;

  /** Renames a file, atomically replacing any file of the new name. */
  void rename(String file, String newName) throws IOException;

  /** Removes a name; throws {@link java.nio.file.NoSuchFileException} if it does not exist. */
  void unlink(String file) throws IOException;

  /** Makes the links, renames and unlinks so far durable. */
  void sync() throws IOException;

  /** A file that is open for appending, whatever its names are by now. */
  interface Log extends AutoCloseable {

    /** Appends by one write, which the appends of other processes do not split; returns the file's new size. */
    long append(byte[] bytes) throws IOException;

    /** Returns when everything appended so far is on disk. */
    void sync() throws IOException;

    @Override
    void close();
  }
}
