package fleet.tower.cli;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.CRC32;

import fleet.tower.harness.Programs;
import fleet.tower.release.StartupCaches;

/**
 * The release that all tests of processes share: the classes of this build as a jar, its libraries, and a trained
 * start-up cache of each kind. The first test of a build creates it in {@code target/test-release}, under a lock; each
 * installation has links.
 */
final class TestRelease {
  static final Path BASE = Path.of(System.getProperty("project.basedir", System.getProperty("user.dir")));
  static final String VERSION = "1.1.1";

  private static final Path CLASSES = BASE.resolve("target/classes");
  private static final Path LIBRARIES = BASE.resolve("target/lib");
  private static final Path PLACE = BASE.resolve("target/test-release");
  private static final Path KEY = PLACE.resolve("key");
  private static final Path LIB = PLACE.resolve("lib");
  private static final List<String> SCRIPTS = List.of("tower", "find-jdk.sh", "lock-manager.sh");
  private static final int KINDS = 5;
  private TestRelease() {}

  /** Runs once in each JVM. */
  private static final class Shared {
    static final boolean IS_TRAINED = create();
  }

  /** Whether {@link #linkInto} links a cache of each kind. A crashed training leaves fewer. */
  static boolean isTrained() {
    return Shared.IS_TRAINED;
  }

  static void copyScripts(Path bin) throws IOException {
    Files.createDirectories(bin);
    Programs.copy(SCRIPTS.stream().map(BASE.resolve("bin")::resolve).toList(), bin);
  }

  /** Links the jar, the libraries and the caches into a directory, which then is the {@code lib} of an installation. */
  static void linkInto(Path lib) throws IOException {
    boolean trained = isTrained();
    link(lib.resolve("tower.jar"), LIB.resolve("tower.jar"));
    linkAll(LIBRARIES, Files.createDirectory(lib.resolve("lib")));
    if (trained) {
      linkAll(LIB.resolve("aot"), Files.createDirectory(lib.resolve("aot")));
    }
  }

  private static void linkAll(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.toList()) {
        link(to.resolve(file.getFileName()), file);
      }
    }
  }

  /** A hard link, as Java deletes a cache that it rejects; a symbolic one where the file system has no other. */
  private static void link(Path link, Path file) throws IOException {
    try {
      Files.createLink(link, file);
    } catch (FileSystemException e) {
      Files.createSymbolicLink(link, file);
    }
  }

  private static long caches() throws IOException {
    try (Stream<Path> files = Files.list(LIB.resolve("aot"))) {
      return files.filter(file -> file.toString().endsWith(".aot")).count();
    }
  }

  private static boolean create() {
    if (!Files.isDirectory(LIBRARIES)) {
      throw new IllegalStateException(
          LIBRARIES + " is missing; create it with ./mvnw dependency:copy-dependencies@libraries");
    }
    try (FileChannel file = FileChannel.open(BASE.resolve("target/test-release.lock"), StandardOpenOption.CREATE,
        StandardOpenOption.WRITE); FileLock _ = file.lock()) {
      String key = key();
      if (!Files.exists(KEY) || !Files.readString(KEY).equals(key)) {
        delete(PLACE);
        jar(Files.createDirectories(LIB).resolve("tower.jar"), VERSION, "lib/");
        linkAll(LIBRARIES, Files.createDirectory(LIB.resolve("lib")));
        copyScripts(PLACE.resolve("bin"));
        Files.createDirectory(LIB.resolve("aot"));
        StartupCaches.train(PLACE.resolve("bin/tower"), PLACE);
        Files.writeString(KEY, key);
      }
      return caches() == KINDS;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Names and checksums of all inputs, so that a build without changes needs no training. */
  private static String key() throws IOException {
    StringBuilder key = new StringBuilder(System.getProperty("java.home") + "\n");
    for (Path directory : List.of(CLASSES, LIBRARIES, BASE.resolve("bin"))) {
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
          CRC32 sum = new CRC32();
          sum.update(Files.readAllBytes(file));
          key.append(BASE.relativize(file)).append(' ').append(sum.getValue()).append('\n');
        }
      }
    }
    return key.toString();
  }

  private static void delete(Path directory) throws IOException {
    if (Files.exists(directory)) {
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  /** Creates the jar of a version; {@code libraries} is where its manifest says that they are. */
  static void jar(Path jar, String version, String libraries) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, "fleet.tower.Main");
    manifest.getMainAttributes().putValue("Enable-Native-Access", "ALL-UNNAMED");
    manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH,
        String.join(" ", libraries().stream().map(name -> libraries + name).toList()));
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file, manifest);
        Stream<Path> files = Files.walk(CLASSES)) {
      for (Path entry : files.filter(Files::isRegularFile).sorted().toList()) {
        out.putNextEntry(new JarEntry(CLASSES.relativize(entry).toString()));
        out.write(entry.endsWith("version.txt")
            ? version.getBytes(StandardCharsets.UTF_8)
            : Files.readAllBytes(entry));
        out.closeEntry();
      }
    }
  }

  /**
   * The names of the shipped libraries: those copied from this class path, because an earlier build may have left more.
   */
  private static List<String> libraries() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .map(path -> String.valueOf(Path.of(path).getFileName())).filter(name -> Files.exists(LIBRARIES.resolve(name)))
        .filter(name -> name.endsWith(".jar")).toList();
  }

  /** The {@code libraries} directory for a jar elsewhere. */
  static String librariesUri() {
    return LIBRARIES.toUri().toString();
  }
}
