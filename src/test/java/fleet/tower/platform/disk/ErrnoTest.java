package fleet.tower.platform.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileSystemException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ErrnoTest {
  @ParameterizedTest
  @CsvSource({"Permission denied, EACCES: permission denied",
      "No space left on device, ENOSPC: no space left on device",
      "Read-only file system, EROFS: read-only file system", "Directory not empty, ENOTEMPTY: directory not empty",
      "Is a directory, EISDIR: is a directory", "Something new, something new"})
  @DisplayName("TF-8.3 errors have the names of the specification")
  void namesErrors(String reason, String expected) {
    assertThat(Errno.describe(new FileSystemException("f", null, reason))).isEqualTo(expected);
    assertThat(Errno.describe(new IOException(reason))).isEqualTo(expected);
  }
}
