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

@DisplayName("Who can change what a path leads to")
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
  @DisplayName("Nobody else below a sticky directory; what does not exist is no problem")
  void safe() {
    assertThat(problem(file)).isEmpty();
    assertThat(problem(base)).isEmpty();
    assertThat(problem(base.resolve("none/at/all"))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"a/b/file, rw-rw-r--, can be written by its group (664)",
      "a/b/file, rw-r--rw-, can be written by everybody (646)",
      "a/b, rwxrwxrwx, can be written by everybody (777)", "a, rwxrwxr-x, can be written by its group (775)"})
  @DisplayName("The file and every directory on its way must not be writable by others")
  void open(String place, String mode, String problem) throws IOException {
    mode(base.resolve(place), mode);

    assertThat(problem(file)).startsWith(base.resolve(place) + " " + problem + "; chmod g").contains(
        "-w " + base.resolve(place));
  }

  @Test
  @DisplayName("A sticky directory on the way may be everybody's, as /tmp is, but not the last one, whose files count")
  void sticky() throws Exception {
    Path shared = base.resolve("a");
    assertThat(new ProcessBuilder("chmod", "1777", shared.toString()).start().waitFor()).isZero();

    assertThat(problem(file)).isEmpty();
    assertThat(problem(shared)).isEqualTo(shared + " can be written by everybody (1777); chmod go-w " + shared);
  }

  @Test
  @DisplayName("Links are followed, each directory that one stands in is looked at, and a circle is a problem")
  void links() throws IOException {
    Path middle = Files.createDirectories(base.resolve("middle"));
    Files.createSymbolicLink(middle.resolve("hop"), Path.of("../a/b"));
    Path link = Files.createSymbolicLink(base.resolve("link"), middle.resolve("hop/file"));
    assertThat(problem(link)).isEmpty();

    mode(middle, "rwxrwxrwx");
    assertThat(problem(link)).startsWith(middle + " can be written by everybody");
    mode(middle, "rwx------");
    mode(file, "rw-rw-rw-");
    assertThat(problem(link)).startsWith(file + " can be written by everybody");

    Files.createSymbolicLink(base.resolve("round"), base.resolve("round"));
    assertThat(problem(base.resolve("round"))).contains("cannot be looked at");
  }

  @Test
  @DisplayName("Everything on the way belongs to this user or to root, a link too")
  void foreign() throws Exception {
    boolean isRoot = new ProcessBuilder("chown", "12345", base.resolve("a/b").toString()).start().waitFor() == 0;
    assumeTrue(isRoot, "only root can give files away");
    assertThat(problem(file)).isEqualTo(
        base.resolve("a/b")
            + " belongs to user id 12345, neither to this user nor to root; give it to one of them: chown");

    Path link = Files.createSymbolicLink(base.resolve("link"), base);
    assertThat(new ProcessBuilder("chown", "-h", "12345", link.toString()).start().waitFor()).isZero();
    assertThat(problem(link.resolve("none"))).startsWith(link + " belongs to user id 12345");
  }
}
