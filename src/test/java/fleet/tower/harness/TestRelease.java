package fleet.tower.harness;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

import fleet.tower.release.StartupCaches;

/**
 * The release that all tests of processes share: the classes of this build as a jar, its libraries, and a trained
 * start-up cache of each kind. The first test of a build creates it in {@code target/test-release}, under a lock; each
 * installation has links. Its jar is the one of the tarball if that is up to date, so that both share one training.
 */
public final class TestRelease {
  public static final Path BASE = Path.of(System.getProperty("project.basedir", System.getProperty("user.dir")));
  public static final String VERSION = "1.1.1";

  private static final Path BUILT_JAR = BASE.resolve("target/tower.jar");
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
  public static boolean isTrained() {
    return Shared.IS_TRAINED;
  }

  public static void copyScripts(Path bin) throws IOException {
    Files.createDirectories(bin);
    Programs.copy(SCRIPTS.stream().map(BASE.resolve("bin")::resolve).toList(), bin);
  }

  /** Links the jar, the libraries and the caches into a directory, which then is the {@code lib} of an installation. */
  public static void linkInto(Path lib) throws IOException {
    boolean trained = isTrained();
    TestFiles.link(lib.resolve("tower.jar"), LIB.resolve("tower.jar"));
    linkAll(LIBRARIES, Files.createDirectory(lib.resolve("lib")));
    if (trained) {
      linkAll(LIB.resolve("aot"), Files.createDirectory(lib.resolve("aot")));
    }
  }

  /**
   * Replaces the {@code lib} of an unpacked release with links to the same files, and adds the caches. False if a file
   * differs, because the tarball is older than the classes.
   */
  public static boolean replaceWithLinks(Path lib) throws IOException {
    if (!isTrained() || !isSame(lib)) {
      return false;
    }
    delete(lib);
    linkInto(Files.createDirectory(lib));
    return true;
  }

  private static boolean isSame(Path lib) throws IOException {
    List<Path> libraries = TestFiles.in(LIBRARIES);
    boolean same = TestFiles.in(lib.resolve("lib")).size() == libraries.size()
        && Files.mismatch(lib.resolve("tower.jar"), LIB.resolve("tower.jar")) == -1;
    for (Path library : libraries) {
      Path other = lib.resolve("lib").resolve(library.getFileName());
      same = same && Files.exists(other) && Files.mismatch(library, other) == -1;
    }
    return same;
  }

  /**
   * The command that runs the program with more JVM options, as the launcher does, from the cache of a kind. It starts
   * with a third of the processor time of the same classes on the class path of the tests.
   */
  public static List<String> command(String kind, List<String> options, String... arguments) {
    boolean trained = isTrained();
    List<String> command = new ArrayList<>(List.of(JavaProcess.JAVA, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
        "-Xlog:disable", "-Xlog:all=error:stderr"));
    command.addAll(options);
    if (trained) {
      Path cache = TestFiles.in(LIB.resolve("aot")).stream().filter(file -> file.toString().endsWith(kind + ".aot"))
          .findFirst().orElseThrow();
      command.addAll(List.of("-XX:AOTCache=" + cache, "-Xlog:aot*=off:stderr"));
    }
    command.addAll(List.of("-jar", LIB.resolve("tower.jar").toString()));
    command.addAll(List.of(arguments));
    return command;
  }

  private static void linkAll(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.toList()) {
        TestFiles.link(to.resolve(file.getFileName()), file);
      }
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
      boolean built = isBuilt();
      String key = built + key();
      if (!Files.exists(KEY) || !Files.readString(KEY).equals(key)) {
        delete(PLACE);
        Path jar = Files.createDirectories(LIB).resolve("tower.jar");
        if (built) {
          Files.copy(BUILT_JAR, jar);
        } else {
          jar(jar, VERSION, "lib/");
        }
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

  /** Whether the jar of the build has exactly the classes and the libraries of these tests. */
  private static boolean isBuilt() throws IOException {
    if (!Files.exists(BUILT_JAR)) {
      return false;
    }
    try (JarFile jar = new JarFile(BUILT_JAR.toFile()); Stream<Path> files = Files.walk(CLASSES)) {
      Map<String, Long> expected = new HashMap<>();
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        expected.put(CLASSES.relativize(file).toString(), checksum(file));
      }
      Map<String, Long> found = jar.stream()
          .filter(entry -> !entry.isDirectory() && !entry.getName().matches("META-INF/(MANIFEST.MF|maven/.*)"))
          .collect(Collectors.toMap(JarEntry::getName, JarEntry::getCrc));
      String classPath = jar.getManifest().getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
      return found.equals(expected) && Set.of(classPath.split(" ", -1))
          .equals(libraries().stream().map(name -> "lib/" + name).collect(Collectors.toSet()));
    }
  }

  private static long checksum(Path file) throws IOException {
    CRC32 sum = new CRC32();
    sum.update(Files.readAllBytes(file));
    return sum.getValue();
  }

  /** Names and checksums of all inputs, so that a build without changes needs no training. */
  private static String key() throws IOException {
    StringBuilder key = new StringBuilder(System.getProperty("java.home") + "\n");
    for (Path directory : List.of(CLASSES, LIBRARIES, BASE.resolve("bin"))) {
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
          key.append(BASE.relativize(file)).append(' ').append(checksum(file)).append('\n');
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
  public static void jar(Path jar, String version, String libraries) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, "fleet.tower.Main");
    manifest.getMainAttributes().putValue("Enable-Native-Access", "ALL-UNNAMED");
    manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH,
        String.join(" ", libraries().stream().map(name -> libraries + name).toList()));
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file, manifest);
        Stream<Path> files = Files.walk(CLASSES)) {
      out.setLevel(Deflater.NO_COMPRESSION);
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
  public static String librariesUri() {
    return LIBRARIES.toUri().toString();
  }
}
