package fleet.tower.platform.sql;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

import org.sqlite.SQLiteJDBCLoader;
import org.sqlite.util.LibraryLoaderUtil;

import fleet.tower.platform.disk.OpenFiles;
import fleet.tower.platform.disk.WriteAccess;
import fleet.tower.platform.disk.WrittenFile;

/**
 * The native SQLite library. It is loaded from a directory of the installation or of this user's cache that only this
 * user and root can write, and never from a home, which may be somebody else's. What is there is loaded only if its
 * size and checksum are those of the driver's jar; otherwise it is unpacked again. Without such a directory, each
 * process unpacks its own and removes it. The driver by itself would unpack a megabyte at every start, and leave it if
 * the process is killed.
 *
 * <p>Only this user and root can change such a directory, and they can change the program as well; so the checksum
 * need not resist forgery. A cryptographic digest would take 50 ms of every start.
 *
 * @param directories the directories to use, best first
 */
record SqliteLibrary(List<Path> directories) {
  private static final String PATH_PROPERTY = "org.sqlite.lib.path";
  private static final int PART_BYTES = 1 << 16;
  private static final FileAttribute<?> READABLE = PosixFilePermissions
      .asFileAttribute(PosixFilePermissions.fromString("rw-r--r--"));

  /** The directories of this process: beside its jar, and the one that the launcher names. */
  static SqliteLibrary ofProcess() {
    List<Path> directories = new ArrayList<>();
    String classPath = System.getProperty("java.class.path", "");
    if (classPath.matches("[^:]*\\.jar")) {
      directories.add(Path.of(classPath).toAbsolutePath().resolveSibling("aot"));
    }
    String cache = System.getProperty("tower.cache", "");
    if (!cache.isEmpty()) {
      directories.add(Path.of(cache).toAbsolutePath());
    }
    return new SqliteLibrary(directories.stream().distinct().toList());
  }

  /** Loads the library, once for the life of the process. */
  void load() throws SQLException {
    synchronized (SqliteLibrary.class) {
      if (System.getProperty(PATH_PROPERTY) != null) {
        return;
      }
      try (ZipFile jar = new ZipFile(jar().toFile())) {
        loadFrom(jar);
      } catch (IOException | URISyntaxException e) {
        throw new SQLException("the SQLite library cannot be unpacked: " + OpenFiles.explain(e), e);
      }
    }
  }

  private void loadFrom(ZipFile jar) throws SQLException, IOException {
    Optional<Path> kept = kept(jar);
    if (kept.isPresent()) {
      initialize(kept.get());
      return;
    }
    Path own = Files.createTempDirectory("tower-sqlite-");
    Path library = own.resolve(LibraryLoaderUtil.getNativeLibName());
    try {
      copy(jar, entry(jar), library);
      initialize(library);
    } finally {
      Files.deleteIfExists(library);
      Files.delete(own);
    }
  }

  /** The library in the first directory that has it, or in which it can be stored. */
  Optional<Path> kept(ZipFile jar) throws IOException {
    ZipEntry entry = entry(jar);
    for (Path directory : directories) {
      Path library = library(directory);
      if (isGenuine(library, entry) || unpack(jar, entry, library)) {
        return Optional.of(library);
      }
    }
    return Optional.empty();
  }

  private static ZipEntry entry(ZipFile jar) throws IOException {
    ZipEntry entry = jar.getEntry(LibraryLoaderUtil.getNativeLibResourcePath().substring(1) + "/"
        + LibraryLoaderUtil.getNativeLibName());
    if (entry == null) {
      throw new IOException("the driver has no library for this machine");
    }
    return entry;
  }

  /** Where a directory has the library. */
  static Path library(Path directory) {
    return directory.resolve("sqlite-" + SQLiteJDBCLoader.getVersion()).resolve(LibraryLoaderUtil.getNativeLibName());
  }

  private static void initialize(Path library) throws SQLException {
    System.setProperty(PATH_PROPERTY, library.resolveSibling("").toString());
    try {
      SQLiteJDBCLoader.initialize();
    } catch (Exception e) {
      throw new SQLException("the SQLite library cannot be loaded: " + OpenFiles.explain(e), e);
    }
  }

  /** The jar of the driver. */
  static Path jar() throws URISyntaxException {
    return Path.of(SQLiteJDBCLoader.class.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  /** Nobody else can change the file after it was compared, because nobody else can write on the way to it. */
  private static boolean isGenuine(Path library, ZipEntry entry) throws IOException {
    if (!Files.isRegularFile(library, LinkOption.NOFOLLOW_LINKS) || Files.size(library) != entry.getSize()
        || WriteAccess.problem(library).isPresent()) {
      return false;
    }
    try (FileChannel in = FileChannel.open(library, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
      CRC32 sum = new CRC32();
      ByteBuffer part = ByteBuffer.allocateDirect(PART_BYTES);
      while (in.read(part) >= 0) {
        sum.update(part.flip());
        part.clear();
      }
      return sum.getValue() == entry.getCrc();
    }
  }

  /** Stores the library atomically; processes that do so at once store the same content. */
  private static boolean unpack(ZipFile jar, ZipEntry entry, Path library) {
    Path directory = library.resolveSibling("");
    if (WriteAccess.problem(directory).isPresent()) {
      return false;
    }
    try {
      Files.createDirectories(directory);
      Path fresh = Files.createTempFile(directory, ".library", ".new", READABLE);
      try {
        copy(jar, entry, fresh);
        Files.move(fresh, library, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(fresh);
      }
      return isGenuine(library, entry);
    } catch (IOException unwritable) {
      return false;
    }
  }

  private static void copy(ZipFile jar, ZipEntry entry, Path target) throws IOException {
    try (InputStream in = jar.getInputStream(entry)) {
      WrittenFile.write(target, in.readAllBytes());
    }
  }
}
