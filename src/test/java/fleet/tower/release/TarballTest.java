package fleet.tower.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestFiles;
import fleet.tower.platform.json.JsonException;
import fleet.tower.release.CommandEnvironment.Result;
import fleet.tower.service.config.TestService;

@DisplayName("The tarball, unpacked outside the build")
class TarballTest {
  private static final long MEBIBYTE = 1024L * 1024;
  private static final String NOBODY = "65534";
  private static final Pattern LINK = Pattern.compile("]\\(([^)#\\s]+)(?:#[^)]*)?\\)");

  @TempDir
  private static Path shared = Path.of("");

  @TempDir
  private Path directory = Path.of("");

  private Path release = Path.of("");
  private CommandEnvironment surroundings = new CommandEnvironment(Path.of(""));

  @BeforeAll
  static void unpack() throws IOException {
    Tarball.unpack(shared);
  }

  /** Links the files of the unpacked release, which is faster than unpacking it for each test. */
  @BeforeEach
  void install() throws IOException {
    // Other users have access to the directory, and its path has a space.
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path programs = Files.createDirectory(directory.resolve("somebody's own programs"));
    release = programs.resolve(Tarball.DIRECTORY);
    assertThat(new CommandEnvironment(directory)
        .run("cp", "-al", shared.resolve(Tarball.DIRECTORY).toString(), programs.toString()))
        .isEqualTo(new Result(0, ""));
    surroundings = new CommandEnvironment(Files.createDirectories(directory.resolve("elsewhere")))
        .with("HOME", Files.createDirectories(directory.resolve("user")).toString())
        .with("TOWER_HOME", Files.createDirectories(directory.resolve("home")).toString())
        .with("TOWER_LOCK_INSECURE_DIRECTORY", "true").with("TOWER_AOT", "off").with("TOWER_ACTOR", "ada");
    TestService.makeHome(directory.resolve("home"));
  }

  private Set<String> files(Path root) {
    try (Stream<Path> files = Files.walk(root)) {
      return files.filter(Files::isRegularFile).map(file -> root.relativize(file).toString())
          .collect(Collectors.toCollection(TreeSet::new));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The entries of a shared directory, not of its subdirectories, which may disappear meanwhile. */
  private List<String> names(Path root) {
    try (Stream<Path> entries = Files.list(root)) {
      return entries.map(entry -> entry.getFileName().toString()).toList();
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  @DisplayName("It has all programs, documents and examples, and no build files; all is root's and only root can "
      + "write it")
  void contents() throws IOException {
    Set<String> files = files(release);

    assertThat(files).contains("bin/tower", "bin/find-jdk.sh", "bin/lock-manager.sh", "lib/tower.jar", "LICENSE",
        "README.md", "CHANGELOG.md", "config/intent.schema.json", "config/application.example.yaml",
        "intents/greet.yaml", "systemd/tower-executor.service", "docs/operations.md", "docs/intents.md",
        "docs/openapi.yaml", "docs/reference/commands.md", "observe/alerts.yaml", "observe/dashboard.json",
        "helm/tower-executor/Chart.yaml", "THIRD-PARTY.txt", "licenses/Apache-2.0.txt");
    Set<String> top = new TreeSet<>(Set.of("bin", "lib", "LICENSE", "README.md", "CHANGELOG.md", "CONTRIBUTING.md",
        "config", "docs", "helm", "intents", "observe", "systemd", "THIRD-PARTY.txt", "licenses"));
    if (BillOfMaterials.isMade()) {
      top.add("sbom");
    }
    assertThat(files.stream().map(file -> file.replaceFirst("/.*", "")).distinct())
        .containsExactlyInAnyOrderElementsOf(top);
    assertThat(files).doesNotContain("bin/bench").noneMatch(file -> file.endsWith(".java") || file.contains(".git"));
    try (JarFile jar = new JarFile(release.resolve("lib/tower.jar").toFile())) {
      String classPath = jar.getManifest().getMainAttributes().getValue("Class-Path");
      assertThat(files.stream().filter(file -> file.startsWith("lib/lib/")).map(file -> file.substring(4)))
          .containsExactlyInAnyOrder(classPath.split(" "));
    }
    assertThat(surroundings.run("tar", "--numeric-owner", "-tvzf", Tarball.file().toString()).output().lines())
        .allMatch(line -> line.matches("(-rw-r--r--|[-d]rwxr-xr-x) 0/0 +\\d+ .*"));
    long size = Files.size(Tarball.file());
    assertThat(size).isLessThan(48 * MEBIBYTE);
    Matcher documented = Pattern.compile("\\((\\d+) MiB\\)")
        .matcher(Files.readString(release.resolve("docs/operations.md")));
    assertThat(documented.find()).isTrue();
    assertThat(Math.abs(size / MEBIBYTE - Long.parseLong(documented.group(1)))).isLessThanOrEqualTo(1);
  }

  @Test
  @DisplayName("Every relative link of its pages leads to a file in it; only links to tests need the sources")
  void links() throws IOException {
    List<String> broken = new ArrayList<>();
    for (String page : files(release)) {
      if (page.endsWith(".md")) {
        Path file = release.resolve(page);
        LINK.matcher(Files.readString(file)).results().map(link -> link.group(1))
            .filter(link -> !link.contains(":") && !release.relativize(file.resolveSibling(link).normalize())
                .startsWith("src/test"))
            .filter(link -> Files.notExists(file.resolveSibling(link))).forEach(link -> broken.add(page + ": " + link));
      }
    }
    assertThat(broken).isEmpty();
  }

  @Test
  @DisplayName("bin/tower works at once, builds nothing and writes nothing in its directory but SQLite's library: "
      + "version, doctor, lock, unlock, a run")
  void runs() throws IOException {
    Set<String> before = files(release);
    Files.delete(directory.resolve("home/intents"));
    Files.createSymbolicLink(directory.resolve("home/intents"), release.resolve("intents"));
    String tower = release.resolve("bin/tower").toString();

    assertThat(surroundings.run(tower, "version")).satisfies(
        result -> assertThat(result.exit()).isZero(),
        result -> assertThat(result.output()).startsWith("tower " + Tarball.VERSION + " ("));
    assertThat(surroundings.run(tower, "doctor")).satisfies(
        result -> assertThat(result.exit()).as(result.output()).isZero());
    assertThat(surroundings.run(tower, "lock", "shop", "--request-id", "r1").exit()).isZero();
    assertThat(surroundings.run(tower, "check", "shop")).isEqualTo(new Result(1, "active\n"));
    assertThat(surroundings.run(tower, "unlock", "shop", "--request-id", "r1").exit()).isZero();
    assertThat(surroundings.run(tower, "run", "greet", "-p", "name=Ada")).satisfies(
        result -> assertThat(result.exit()).as(result.output()).isZero(),
        result -> assertThat(result.output()).contains("hello Ada\n", "succeeded"));
    assertThat(surroundings.run(tower, "validate").exit()).isZero();
    Set<String> after = files(release);
    assertThat(after).containsAll(before);
    after.removeAll(before);
    assertThat(after).singleElement().asString().matches("lib/aot/sqlite-[0-9.]+/libsqlitejdbc\\.so");
  }

  @Test
  @DisplayName("The jar of the checkout is the one of the release, with its libraries next to it")
  void sameJar() throws IOException {
    assertThat(Tarball.BASE.resolve("target/tower.jar")).hasSameBinaryContentAs(release.resolve("lib/tower.jar"));
  }

  @Test
  @DisplayName("It runs through a symbolic link")
  @ProofsProfile
  void byLink() throws IOException {
    Path link = Files.createDirectories(directory.resolve("usr/local/bin")).resolve("tower");
    Files.createSymbolicLink(link, link.resolveSibling("").relativize(release.resolve("bin/tower")));

    assertThat(surroundings.run(link.toString(), "check", "free")).isEqualTo(new Result(3, "free\n"));
    surroundings.with("PATH", link.resolveSibling("") + ":" + surroundings.variable("PATH"));
    assertThat(surroundings.run("sh", "-c", "tower check free")).isEqualTo(new Result(3, "free\n"));
  }

  @Test
  @DisplayName("For a user without write access, the start-up cache is in the user's own directory")
  @ProofsProfile
  void readOnly() throws Exception {
    Files.setPosixFilePermissions(release.resolve("lib"), PosixFilePermissions.fromString("r-xr-xr-x"));
    // A home that others can write is refused.
    Files.setPosixFilePermissions(directory.resolve("home"), PosixFilePermissions.fromString("r-xr-xr-x"));
    Files.setPosixFilePermissions(directory.resolve("user"), PosixFilePermissions.fromString("rwxrwxrwx"));
    surroundings.with("PATH", StartupCaches.normalPriority(directory) + ":" + surroundings.variable("PATH"));
    Set<String> before = files(release);
    String check = "TOWER_AOT=on '" + release.resolve("bin/tower").toString().replace("'", "'\\''") + "' check free";
    boolean root = "0".equals(surroundings.run("id", "-u").output().strip());
    List<String> user = root
        ? List.of("setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", "sh", "-c", check)
        : List.of("sh", "-c", check);

    assertThat(surroundings.run(user)).isEqualTo(new Result(3, "free\n"));

    Path caches = directory.resolve("user/.cache/tower-executor");
    Await.until("the cache without temporary files", Duration.ofMinutes(4),
        () -> names(caches).stream().map(name -> name.endsWith(".aot")).toList().equals(List.of(true)));
    assertThat(surroundings.run(user)).isEqualTo(new Result(3, "free\n"));
    assertThat(files(release)).isEqualTo(before);
    Files.setPosixFilePermissions(release.resolve("lib"), PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Test
  @DisplayName("The service starts from it with the shipped settings, and ends on SIGTERM")
  @ProofsProfile
  void serves() throws Exception {
    Files.createDirectories(directory.resolve("home/config"));
    Files.copy(release.resolve("config/application.example.yaml"),
        directory.resolve("home/config/application.yaml"));
    Path output = directory.resolve("output");
    Process service = surroundings.start(List.of(release.resolve("bin/tower").toString(), "serve", "--port", "0"),
        output);
    try {
      Await.until("ready, or ended",
          () -> TestFiles.textIfAny(output).contains("tower: ready on http://127.0.0.1:") || !service.isAlive());
      assertThat(TestFiles.textIfAny(output)).contains("tower: ready on http://127.0.0.1:");
      service.destroy();
      assertThat(Await.exitOf(service)).isEqualTo(143);
    } finally {
      service.destroyForcibly();
    }
  }

  @Test
  @DisplayName("Without its jar it reports the missing file, and does not try to build")
  void incomplete() throws IOException {
    Files.delete(release.resolve("lib/tower.jar"));

    assertThat(surroundings.run(release.resolve("bin/tower").toString(), "version"))
        .isEqualTo(new Result(69, "tower: " + release + "/lib/tower.jar is missing; unpack the release again\n"));
  }

  @Test
  @DisplayName("The third-party notice has each shipped library with version and licence, and the text of each licence")
  void notice() throws IOException {
    String notice = Files.readString(release.resolve("THIRD-PARTY.txt"));
    Matcher library = Pattern.compile("(?m)^(\\S+) (\\S+)\n {4}\\S+, http\\S+\n {4}licence: (.+)$").matcher(notice);
    List<MatchResult> libraries = library.results().toList();

    assertThat(libraries.stream().map(it -> it.group(1) + "-" + it.group(2) + ".jar"))
        .containsExactlyInAnyOrderElementsOf(libraries());
    assertThat(libraries.stream().flatMap(it -> Stream.of(it.group(3).split(" or "))).distinct())
        .isNotEmpty().allSatisfy(this::hasText);
    // Libraries inside a jar have licences too.
    assertThat(Pattern.compile("licence: ([A-Z][A-Za-z0-9.-]+)").matcher(notice).results().map(it -> it.group(1))
        .distinct()).contains("MIT", "BSD-3-Clause").allSatisfy(this::hasText);
  }

  private void hasText(String licence) {
    assertThat(release.resolve("licenses").resolve(licence + ".txt")).isNotEmptyFile();
  }

  private List<String> libraries() throws IOException {
    try (Stream<Path> jars = Files.list(release.resolve("lib/lib"))) {
      return jars.map(jar -> jar.getFileName().toString()).toList();
    }
  }

  @Test
  @DisplayName("The bill of materials, the same in the jar and next to it, lists exactly the shipped libraries, and no "
      + "timestamp")
  void billOfMaterials() throws IOException, JsonException {
    assumeTrue(BillOfMaterials.isMade(), "Maven makes it only while it is online");
    byte[] beside = Files.readAllBytes(release.resolve("sbom/application.cdx.json"));
    try (JarFile jar = new JarFile(release.resolve("lib/tower.jar").toFile());
        InputStream inside = jar.getInputStream(jar.getEntry("META-INF/sbom/application.cdx.json"))) {
      assertThat(inside.readAllBytes()).isEqualTo(beside);
    }

    BillOfMaterials bill = BillOfMaterials.read(beside);

    assertThat(bill.jars()).containsExactlyInAnyOrderElementsOf(libraries());
    for (BillOfMaterials.Component component : bill.components()) {
      assertThat(component.licences()).as(component.jar()).isNotEmpty();
      assertThat(component.sha256()).as(component.jar())
          .isEqualTo(Checksums.sha256(release.resolve("lib/lib").resolve(component.jar())));
    }
    assertThat(new String(beside, StandardCharsets.UTF_8)).contains("\"bomFormat\" : \"CycloneDX\"")
        .doesNotContain("\"timestamp\"");
  }
}
