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
 * SQLite's own library beside the databases, where only their owner can write. Its driver would unpack a megabyte into the
 * directory for temporary files at every start, and leave it there when the process is killed.
 */
final class SqliteLibrary {
  private static final String PLACE = "org.sqlite.lib.path";

  private SqliteLibrary() {}

  /**
   * Has the driver take the library from below a directory, where it is put unless it is there. Where it cannot be put the
   * driver does what it always does. The first directory serves for the life of the process.
   */
  static synchronized void keepIn(Path directory) {
    if (System.getProperty(PLACE) != null) {
      return;
    }
    Path place = directory.resolve("sqlite-" + SQLiteJDBCLoader.getVersion());
    try {
      Path library = place.resolve(LibraryLoaderUtil.getNativeLibName());
      if (!Files.exists(library)) {
        unpack(place, library);
      }
      System.setProperty(PLACE, place.toString());
    } catch (IOException e) {
      // The database works without it, a little slower; what keeps it from being used will tell itself.
    }
  }

  /** It appears whole or not at all; of several processes that put it there at once, each puts the same. */
  private static void unpack(Path place, Path library) throws IOException {
    String resource = LibraryLoaderUtil.getNativeLibResourcePath() + "/" + LibraryLoaderUtil.getNativeLibName();
    try (InputStream in = SQLiteJDBCLoader.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IOException("the driver has no library for this machine");
      }
      OwnerOnly.makeDirectories(place);
      Path fresh = Files.createTempFile(place, ".library", ".new", OwnerOnly.FILE);
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
