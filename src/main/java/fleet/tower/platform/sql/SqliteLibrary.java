package fleet.tower.platform.sql;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

import org.sqlite.SQLiteJDBCLoader;
import org.sqlite.util.LibraryLoaderUtil;

import fleet.tower.platform.disk.OwnerOnly;

/**
 * The native SQLite library, stored next to the databases in a directory that only their owner can write. Otherwise
 * the driver unpacks a megabyte into the directory for temporary files at every start, and leaves it there if the
 * process is killed.
 */
final class SqliteLibrary {
  private static final String PATH_PROPERTY = "org.sqlite.lib.path";

  private SqliteLibrary() {}

  /**
   * Makes the driver load the library from below a directory, and stores it there if it is missing. If it cannot be
   * stored, the driver uses its default. The first directory is used for the life of the process.
   */
  static synchronized void keepIn(Path parent) {
    if (System.getProperty(PATH_PROPERTY) != null) {
      return;
    }
    Path directory = parent.resolve("sqlite-" + SQLiteJDBCLoader.getVersion());
    try {
      Path library = directory.resolve(LibraryLoaderUtil.getNativeLibName());
      if (!Files.exists(library)) {
        unpack(directory, library);
      }
      System.setProperty(PATH_PROPERTY, directory.toString());
    } catch (IOException e) {
      // The database works without it, a little slower; a real problem shows when the database is opened.
    }
  }

  /** Stores the library atomically; processes that do so at once store the same content. */
  private static void unpack(Path directory, Path library) throws IOException {
    String resource = LibraryLoaderUtil.getNativeLibResourcePath() + "/" + LibraryLoaderUtil.getNativeLibName();
    try (InputStream in = SQLiteJDBCLoader.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IOException("the driver has no library for this machine");
      }
      OwnerOnly.makeDirectories(directory);
      Path fresh = Files.createTempFile(directory, ".library", ".new", OwnerOnly.FILE);
      try {
        try (FileOutputStream out = new FileOutputStream(fresh.toFile())) {
          in.transferTo(out);
          out.getFD().sync();
        }
        Files.move(fresh, library, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(fresh);
      }
    }
  }
}
