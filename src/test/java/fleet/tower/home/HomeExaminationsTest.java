package fleet.tower.home;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.platform.Finding;

@DisplayName("LK-33 the health checks of the home, its disk and its Java")
class HomeExaminationsTest {
  private final Path root;

  HomeExaminationsTest(@TempDir Path directory) {
    root = directory;
  }

  @Test
  @DisplayName("A home is ok, a world-writable one a failure, a missing one a failure")
  void home() throws Exception {
    assertThat(new HomeExamination(root).examine()).containsExactly(Finding.ok("home", root.toString()));
    assertThat(new HomeProtection(root, false).examine()).extracting(Finding::severity)
        .containsOnly(Finding.Severity.OK);
    Files.createDirectories(root.resolve("intents"));
    Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertThat(new HomeProtection(root, false).examine()).first().isEqualTo(Finding.fail("intents access",
        root + " is world-writable (777); any user who can change it can run commands as this user",
        "chmod go-w " + root));
    assertThat(new HomeExamination(root.resolve("none")).examine()).singleElement()
        .satisfies(it -> assertThat(it.severity()).isEqualTo(Finding.Severity.FAIL));
  }

  @Test
  @DisplayName("Free space is reported; too little is a warning")
  void space() {
    assertThat(new SpaceExamination(root).examine()).extracting(Finding::check).startsWith("free space");
    assertThat(new SpaceExamination(root.resolve("none")).examine()).isEmpty();
    assertThat(SpaceExamination.space(root, 100L << 20)).isEqualTo(Finding.ok("free space", "100 MiB"));
    assertThat(SpaceExamination.space(root, (100L << 20) - 1)).isEqualTo(Finding.warn("free space",
        root + " has 99 MiB left", "free some space; without it, locks cannot be renewed"));
    assertThat(SpaceExamination.files(root, 1000)).isEqualTo(Finding.ok("free inodes", "1000"));
    assertThat(SpaceExamination.files(root, 999)).isEqualTo(Finding.warn("free inodes",
        root + " has room for 999 more files", "remove files; without free inodes, locks cannot be renewed"));
  }

  private static List<Finding> java(String version, String classPath, Map<String, String> settings) {
    return new JavaExamination(Runtime.Version.parse(version), classPath,
        name -> Optional.ofNullable(settings.get(name))).examine();
  }

  @Test
  @DisplayName("Java 25 is ok, a newer one a warning, an older one a failure")
  void version() {
    assertThat(java("25.0.3", "", Map.of())).first().isEqualTo(Finding.ok("java", "25.0.3"));
    assertThat(java("26", "", Map.of()).getFirst().severity()).isEqualTo(Finding.Severity.WARN);
    assertThat(java("21.0.1", "", Map.of())).first()
        .isEqualTo(Finding.fail("java", "21.0.1 is older than 25", "set JAVA_HOME to a JDK 25"));
  }

  @Test
  @DisplayName("The start-up cache is next to the jar, or else the user's own; without either there is a warning")
  void cache() throws Exception {
    Path jar = Files.writeString(root.resolve("tower.jar"), "");
    assertThat(java("25", jar.toString(), Map.of())).last()
        .isEqualTo(Finding.ok("start-up cache", root.resolve("aot").toString()));
    assertThat(java("25", "/proc/self/none/tower.jar", Map.of("XDG_CACHE_HOME", root.toString()))).last()
        .matches(it -> it.severity() == Finding.Severity.OK);
    Path file = jar.resolve("x");
    assertThat(java("25", file + "/tower.jar", Map.of("HOME", file.toString()))).last().isEqualTo(Finding.warn(
        "start-up cache", "neither " + file + "/aot nor " + file
            + "/.cache/tower-executor is writable, so every command takes a second to start",
        "set XDG_CACHE_HOME to a writable directory"));
    assertThat(java("25", file + "/tower.jar", Map.of("TOWER_AOT", "off"))).last()
        .isEqualTo(Finding.ok("start-up cache", "off (TOWER_AOT)"));
    assertThat(java("25", "a.jar:b.jar", Map.of())).last()
        .isEqualTo(Finding.ok("start-up cache", "none: not started by the launcher"));
  }
}
