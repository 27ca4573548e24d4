package fleet.tower.platform.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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

  @Test
  @DisplayName("A link that is not followed is called one, whether it was to be read or written")
  void link(@TempDir Path directory) throws IOException {
    Path link = Files.createSymbolicLink(directory.resolve("link"), directory.resolve("nothing"));
    assertThatThrownBy(() -> Files.newByteChannel(link, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))
        .isInstanceOfSatisfying(IOException.class,
            e -> assertThat(Errno.describe(e)).isEqualTo(WrittenFile.LINK));
    assertThatThrownBy(() -> WrittenFile.open(link)).isInstanceOfSatisfying(IOException.class,
        e -> assertThat(Errno.describe(e)).isEqualTo(WrittenFile.LINK));
  }
}
