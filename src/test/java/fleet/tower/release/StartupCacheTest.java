package fleet.tower.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.harness.Await;
import fleet.tower.harness.Installation;
import fleet.tower.harness.Installation.Result;
import fleet.tower.harness.ProofsProfile;

/** Tests the cache of loaded classes that the launcher creates in the background. */
@Timeout(600)
class StartupCacheTest {
  /** Several trainings may run on a busy machine. */
  private static final Duration TRAINING = Duration.ofMinutes(4);
  private final Installation tower;
  private final Path tools;
  private final Set<String> seen = new HashSet<>();

  StartupCacheTest(@TempDir Path directory) throws IOException {
    tools = StartupCaches.normalPriority(directory);
    tower = Installation.apart(directory.resolve("a release")).with("TOWER_AOT", "on")
        .with("PATH", tools + ":" + Installation.path());
  }

  private List<Path> caches() {
    Path aot = tower.root().resolve("lib/aot");
    if (!Files.exists(aot)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(aot)) {
      return files.sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean isTrained() {
    return trained().isPresent();
  }

  /** The cache, if it is the only file; a training or Java, which deletes an invalid one, may change the directory. */
  private Optional<Path> trained() {
    return Optional.of(caches()).filter(all -> all.size() == 1).map(List::getFirst)
        .filter(cache -> cache.toString().endsWith(".aot"));
  }

  /** The cache that a running command has mapped, or empty. */
  private String mappedCache() throws Exception {
    Process follower = tower.start(List.of(tower.launcher().toString(), "audit", "--follow"));
    try {
      Path maps = Path.of("/proc/" + follower.pid() + "/maps");
      Await.until("the JVM reads its jar", () -> read(maps).contains("libnio.so"));
      return read(maps).lines().filter(line -> line.endsWith(".aot")).map(line -> line.replaceFirst(".*/", ""))
          .distinct().findFirst().orElse("");
    } finally {
      follower.destroyForcibly().waitFor();
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  @DisplayName("The first command trains it in the background, later ones use it; never after a jar change or damage")
  @ProofsProfile
  void trainedUsedAndDropped() throws Exception {
    assertThat(tower.tower("check", "free")).isEqualTo(new Result(3, "free\n", ""));
    Await.until("a trained cache", TRAINING, this::isTrained);
    String first = caches().getFirst().getFileName().toString();
    assertThat(tower.tower("check", "free")).isEqualTo(new Result(3, "free\n", ""));
    assertThat(mappedCache()).isEqualTo(first);

    tower.jar("2.2.2");
    assertThat(mappedCache()).isEmpty();
    Await.until("the cache of the new jar, and no other", TRAINING,
        () -> trained().filter(cache -> !cache.endsWith(first)).isPresent());
    assertThat(tower.tower("version").out()).startsWith("tower 2.2.2 (");
    assertThat(mappedCache()).isNotEmpty().isNotEqualTo(first);
    assertThat(tools.resolve("used")).as("trained and tried at low priority").content().hasLineCount(4);
  }

  @Test
  @DisplayName("A truncated or invalid cache is never mentioned, and is replaced")
  @ProofsProfile
  void damaged() throws Exception {
    tower.tower("check", "free");
    Await.until("a trained cache", TRAINING, this::isTrained);
    Path cache = caches().getFirst();
    byte[] whole = Files.readAllBytes(cache);
    for (byte[] content : List.of("garbage".getBytes(StandardCharsets.UTF_8),
        Arrays.copyOf(whole, whole.length / 2))) {
      Files.write(cache, content);
      for (int start = 0; start < 2; start++) {
        assertThat(tower.tower("check", "free")).isEqualTo(new Result(3, "free\n", ""));
      }
      Await.until("a trained cache instead of " + content.length + " bytes", TRAINING,
          () -> isTrained() && size(cache) > whole.length * 3L / 4);
      assertThat(mappedCache()).isEqualTo(cache.getFileName().toString());
    }
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      return 0;
    }
  }

  /** Creates a java that prints the cache that it was given. */
  private void stubJava() throws IOException {
    stubJava("echo cache >\"${word#*=}\"; exit", "exit");
  }

  /**
   * Creates the same java with another training and trial.
   *
   *
   * @param training what it does to train the cache {@code ${word#*=}}
   * @param trial what it does when a new cache is tried
   */
  private void stubJava(String training, String trial) throws IOException {
    tower.with("JAVA_HOME", tower.stubJdk("jdk", "25.0.3", """
        for word in "$@"; do
          case $word in
            -XX:AOTCacheOutput=*) echo trained >>'%1$s'; %2$s ;;
            -XX:AOTMode=on) %3$s ;;
            -XX:AOTCache=*) echo "${word##*/}"; exit ;;
          esac
        done
        echo none""".formatted(tower.root().resolve("trainings"), training, trial)).toString());
  }

  /** A launcher in the background would create its directories again while they are deleted. */
  @AfterEach
  void awaitEndOfTraining() {
    String launcher = tower.launcher().toString();
    Await.until("the launcher in the background has ended", TRAINING, () -> ProcessHandle.allProcesses()
        .noneMatch(process -> process.info().commandLine().orElse("").contains(launcher)));
  }

  private String trainings() {
    Path trainings = tower.root().resolve("trainings");
    return Files.exists(trainings) ? read(trainings) : "";
  }

  @ParameterizedTest
  @CsvSource({": >\"${word#*=}\"; exit 0, exit 0", "exit 0, exit 0",
      "echo cache >\"${word#*=}\"; kill -SEGV $$, exit 0",
      "echo cache >\"${word#*=}\"; exit 0, exit 1"})
  @DisplayName("A training that crashes or leaves no valid cache installs none, and is not repeated at once")
  @ProofsProfile
  void crashed(String training, String trial) throws Exception {
    stubJava(training, trial);
    assertThat(tower.tower("version")).isEqualTo(new Result(0, "none\n", ""));
    awaitEndOfTraining();

    assertThat(tower.tower("version")).isEqualTo(new Result(0, "none\n", ""));
    awaitEndOfTraining();

    assertThat(caches()).singleElement().asString().endsWith(".making");
    assertThat(caches().getFirst()).isEmptyDirectory();
    assertThat(trainings()).isEqualTo("trained\n");
  }

  @Test
  @DisplayName("A cache of 0 bytes, as left by an older launcher, is not used or mentioned, and is created again")
  @ProofsProfile
  void empty() throws Exception {
    stubJava();
    String name = train();
    Path cache = caches().getFirst();
    Files.write(cache, new byte[0]);

    assertThat(cacheUsed()).isEqualTo("none");
    Await.until("a cache that is not empty", TRAINING, () -> isTrained() && size(cache) > 0);
    assertThat(cacheUsed()).isEqualTo(name);
  }

  private String cacheUsed() {
    return tower.tower("version").out().strip();
  }

  private String train() {
    assertThat(cacheUsed()).isEqualTo("none");
    Await.until("a cache that was not there before", TRAINING,
        () -> trained().filter(cache -> seen.add(cache.getFileName().toString())).isPresent());
    return caches().getFirst().getFileName().toString();
  }

  @Test
  @DisplayName("A jar, library or JDK with another size, inode or sub-second timestamp has its own cache")
  @ProofsProfile
  void keys() throws Exception {
    stubJava();
    FileTime modified = FileTime.fromMillis(1_767_225_600_100L);
    Files.setLastModifiedTime(tower.jar(), modified);
    String first = train();
    assertThat(cacheUsed()).isEqualTo(first);

    Files.write(tower.jar(), Files.readAllBytes(tower.jar()));
    Files.setLastModifiedTime(tower.jar(), FileTime.fromMillis(modified.toMillis() + 100));
    String sameSecond = train();
    assertThat(cacheUsed()).isEqualTo(sameSecond).isNotEqualTo(first);

    tower.jar("3.3.3");
    Files.setLastModifiedTime(tower.jar(), modified);
    String otherInode = train();
    assertThat(otherInode).isNotIn(first, sameSecond);

    Path library = Files.createDirectories(tower.jar().resolveSibling("lib")).resolve("some.jar");
    Files.writeString(library, "one");
    String withLibrary = train();
    Files.writeString(library, "other");
    assertThat(train()).isNotIn(first, sameSecond, otherInode, withLibrary);

    Files.writeString(tower.root().resolve("jdk/release"), "JAVA_VERSION=\"25.0.4\"\nJAVA_RUNTIME=\"x\"\n");
    assertThat(train()).isNotIn(first, sameSecond, otherInode);
  }

  @Test
  @DisplayName("A demo uses a cache that exists, and trains none")
  void demo() throws Exception {
    stubJava();
    assertThat(tower.tower("demo")).isEqualTo(new Result(0, "none\n", ""));
    assertThat(tower.root().resolve("lib/aot")).doesNotExist();

    Path locks = tower.root().resolve("lib/aot").resolve(train());
    Path intents = Files.move(locks, Path.of(locks.toString().replace("-locks.aot", "-intents.aot")));

    assertThat(tower.tower("demo").out()).isEqualTo(intents.getFileName() + "\n");
  }

  @Test
  @DisplayName("Without a directory for the cache there is none, and the command runs")
  @ProofsProfile
  void elsewhere() throws Exception {
    stubJava();
    Files.createDirectories(tower.jar().getParent());
    Files.writeString(tower.jar().resolveSibling("aot"), "a file in the way");
    assertThat(tower.tower("version")).isEqualTo(new Result(0, "none\n", ""));
    assertThat(tower.tower("version")).isEqualTo(new Result(0, "none\n", ""));
  }
}
