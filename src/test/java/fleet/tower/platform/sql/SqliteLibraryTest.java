package fleet.tower.platform.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.zip.ZipFile;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sqlite.SQLiteJDBCLoader;
import org.sqlite.util.LibraryLoaderUtil;

@DisplayName("Where SQLite's native library is loaded from")
class SqliteLibraryTest {
  private final Path base;
  private final Path first;
  private final Path second;

  SqliteLibraryTest(@TempDir Path directory) throws Exception {
    base = directory.toRealPath();
    first = base.resolve("first");
    second = base.resolve("second");
  }

  @Test
  @DisplayName("It is stored in the first directory, readable to all, and found there again")
  void stored() throws Exception {
    assertThat(kept()).isEqualTo(SqliteLibrary.library(first)).hasBinaryContent(original());
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(kept()))).isEqualTo("rw-r--r--");
    Object stored = Files.getAttribute(kept(), "unix:ino");

    assertThat(kept()).isEqualTo(SqliteLibrary.library(first));
    assertThat(Files.getAttribute(kept(), "unix:ino")).isEqualTo(stored);
    assertThat(second).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 1})
  @DisplayName("A file with other content is replaced, whatever its size")
  void replaced(int more) throws Exception {
    byte[] planted = java.util.Arrays.copyOf(original(), original().length + more);
    planted[planted.length / 2] ^= 1;
    Files.write(Files.createDirectories(SqliteLibrary.library(first).getParent()).resolve(
        LibraryLoaderUtil.getNativeLibName()), planted);

    assertThat(kept()).isEqualTo(SqliteLibrary.library(first)).hasBinaryContent(original());
  }

  @Test
  @DisplayName("A link is replaced, and its target is left alone")
  void link() throws Exception {
    Path target = Files.write(base.resolve("target"), original());
    Files.createDirectories(SqliteLibrary.library(first).getParent());
    Files.createSymbolicLink(SqliteLibrary.library(first), target);

    assertThat(Files.isRegularFile(kept(), LinkOption.NOFOLLOW_LINKS)).isTrue();
    assertThat(target).hasBinaryContent(original());
  }

  @ParameterizedTest
  @ValueSource(strings = {"rwxrwxr-x", "rwxrwxrwx"})
  @DisplayName("A directory that others can write is not used, nor written")
  void writable(String mode) throws Exception {
    Files.setPosixFilePermissions(Files.createDirectory(first), PosixFilePermissions.fromString(mode));

    assertThat(kept()).isEqualTo(SqliteLibrary.library(second));
    assertThat(first).isEmptyDirectory();
  }

  @Test
  @DisplayName("A directory of another user is not used, even if it has the genuine library")
  void foreign() throws Exception {
    kept();
    assumeTrue(new ProcessBuilder("chown", "-R", "65534", first.toString()).start().waitFor() == 0,
        "only root can give files away");

    assertThat(kept()).isEqualTo(SqliteLibrary.library(second));
  }

  @Test
  @DisplayName("Without a usable directory there is none")
  void none() throws Exception {
    Path file = Files.writeString(base.resolve("file"), "");

    try (ZipFile jar = new ZipFile(SqliteLibrary.jar().toFile())) {
      assertThat(new SqliteLibrary(List.of(file)).kept(jar)).isEmpty();
      assertThat(new SqliteLibrary(List.of()).kept(jar)).isEmpty();
    }
  }

  private Path kept() throws Exception {
    try (ZipFile jar = new ZipFile(SqliteLibrary.jar().toFile())) {
      return new SqliteLibrary(List.of(first, second)).kept(jar).orElseThrow();
    }
  }

  private static byte[] original() throws Exception {
    try (var in = SQLiteJDBCLoader.class.getResourceAsStream(
        LibraryLoaderUtil.getNativeLibResourcePath() + "/" + LibraryLoaderUtil.getNativeLibName())) {
      return in.readAllBytes();
    }
  }
}
