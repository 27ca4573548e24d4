package fleet.tower.platform.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Who can change the target of a path")
class WriteAccessTest {
  private final Path base;
  private final Path file;

  WriteAccessTest(@TempDir Path directory) throws IOException {
    base = directory.toRealPath();
    file = Files.writeString(Files.createDirectories(base.resolve("a/b")).resolve("file"), "");
  }

  private static void mode(Path path, String mode) throws IOException {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
  }

  private static String problem(Path path) {
    return WriteAccess.problem(path).map(WriteAccess.Problem::toString).orElse("");
  }

  @Test
  @DisplayName("A path below a sticky directory is safe; a missing file is no problem")
  void safe() {
    assertThat(problem(file)).isEmpty();
    assertThat(problem(base)).isEmpty();
    assertThat(problem(base.resolve("none/at/all"))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"a/b/file, rw-rw-r--, is group-writable (664)",
      "a/b/file, rw-r--rw-, is world-writable (646)",
      "a/b, rwxrwxrwx, is world-writable (777)", "a, rwxrwxr-x, is group-writable (775)"})
  @DisplayName("The file and every directory on its path must not be writable by others")
  void open(String place, String mode, String problem) throws IOException {
    mode(base.resolve(place), mode);

    assertThat(problem(file)).startsWith(base.resolve(place) + " " + problem + "; chmod g").contains(
        "-w " + base.resolve(place));
  }

  @Test
  @DisplayName("A sticky directory on the path may be world-writable, as /tmp is, but not the last one")
  void sticky() throws Exception {
    Path shared = base.resolve("a");
    assertThat(new ProcessBuilder("chmod", "1777", shared.toString()).start().waitFor()).isZero();

    assertThat(problem(file)).isEmpty();
    assertThat(problem(shared)).isEqualTo(shared + " is world-writable (1777); chmod go-w " + shared);
  }

  @Test
  @DisplayName("Links are followed, their directories are checked, and a cycle is a problem")
  void links() throws IOException {
    Path middle = Files.createDirectories(base.resolve("middle"));
    Files.createSymbolicLink(middle.resolve("hop"), Path.of("../a/b"));
    Path link = Files.createSymbolicLink(base.resolve("link"), middle.resolve("hop/file"));
    assertThat(problem(link)).isEmpty();

    mode(middle, "rwxrwxrwx");
    assertThat(problem(link)).startsWith(middle + " is world-writable");
    mode(middle, "rwx------");
    mode(file, "rw-rw-rw-");
    assertThat(problem(link)).startsWith(file + " is world-writable");

    Files.createSymbolicLink(base.resolve("round"), base.resolve("round"));
    assertThat(problem(base.resolve("round"))).contains("cannot be examined");
  }

  @Test
  @DisplayName("Everything on the path must be owned by this user or root, including links")
  void foreign() throws Exception {
    boolean isRoot = new ProcessBuilder("chown", "12345", base.resolve("a/b").toString()).start().waitFor() == 0;
    assumeTrue(isRoot, "only root can give files away");
    assertThat(problem(file)).isEqualTo(
        base.resolve("a/b")
            + " is owned by user id 12345, not by this user or root; change its owner with chown");

    Path link = Files.createSymbolicLink(base.resolve("link"), base);
    assertThat(new ProcessBuilder("chown", "-h", "12345", link.toString()).start().waitFor()).isZero();
    assertThat(problem(link.resolve("none"))).startsWith(link + " is owned by user id 12345");
  }
}
