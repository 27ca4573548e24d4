package fleet.tower.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The browser of the tests")
class ChromiumTest {
  @Test
  @DisplayName("It is the first of the known names that is on the search path")
  void found(@TempDir Path directory) throws IOException {
    Path other = Files.createDirectory(directory.resolve("other"));
    String path = directory + ":" + other;
    assertThat(Chromium.find(path)).isEmpty();

    Path chrome = executable(directory.resolve("google-chrome"));
    assertThat(Chromium.find(path)).contains(chrome);

    Path chromium = executable(other.resolve("chromium"));
    assertThat(Chromium.find(path)).contains(chromium);
  }

  private static Path executable(Path file) throws IOException {
    return Files.setPosixFilePermissions(Files.createFile(file), PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Test
  @DisplayName("Where CI is set, its absence fails the tests instead of skipping them")
  void required() {
    assertThat(Chromium.isRequired(Map.of("CI", "true"))).isTrue();
    assertThat(Chromium.isRequired(Map.of())).isFalse();
  }
}
