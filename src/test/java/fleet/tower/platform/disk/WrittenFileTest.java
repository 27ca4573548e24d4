package fleet.tower.platform.disk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.platform.disk.WrittenFile.Also;

@DisplayName("Opening files for writing")
class WrittenFileTest {
  private final Path file;
  private final Path victim;

  WrittenFileTest(@TempDir Path directory) throws IOException {
    file = directory.resolve("file");
    victim = Files.writeString(directory.resolve("victim"), "mine");
  }

  private List<ThrowingCallable> openings() {
    return List.of(() -> WrittenFile.open(file).close(), () -> WrittenFile.open(file, Also.CREATE).close(),
        () -> WrittenFile.open(file, Also.CREATE, Also.TRUNCATE).close(),
        () -> WrittenFile.open(file, Also.APPEND).close(), () -> WrittenFile.appending(file).close(),
        () -> WrittenFile.write(file, new byte[0]));
  }

  @Test
  @DisplayName("A link in place of the file is not followed, whether or not its target exists")
  void link() throws IOException {
    Files.createSymbolicLink(file, victim);
    for (ThrowingCallable opening : openings()) {
      assertThatThrownBy(opening).isInstanceOf(IOException.class)
          .hasMessage(file + ": it is a link, and files are not opened through links; remove it");
    }
    assertThatThrownBy(() -> WrittenFile.create(file)).isInstanceOf(FileAlreadyExistsException.class);
    assertThat(victim).hasContent("mine");

    Files.delete(victim);
    for (ThrowingCallable opening : openings()) {
      assertThatThrownBy(opening).isInstanceOf(IOException.class);
    }
    assertThat(victim).doesNotExist();
  }

  @Test
  @DisplayName("A file that belongs to somebody else is not written")
  void foreign() throws Exception {
    Files.writeString(file, "theirs");
    assumeTrue(new ProcessBuilder("chown", "65534", file.toString()).start().waitFor() == 0,
        "only root can give files away");

    for (Also also : new Also[]{Also.CREATE, Also.APPEND, Also.READ}) {
      assertThatThrownBy(() -> WrittenFile.open(file, also).close())
          .hasMessage(file + ": it belongs to user id 65534, not to this user or root");
    }
    assertThatThrownBy(() -> WrittenFile.appending(file).close()).hasMessageContaining("belongs to user id 65534");
    assertThat(file).hasContent("theirs");
  }

  @Test
  @DisplayName("It is created only on request, with mode 0600")
  void created() throws IOException {
    assertThatThrownBy(() -> WrittenFile.open(file)).isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> WrittenFile.appending(file)).isInstanceOf(NoSuchFileException.class);

    WrittenFile.open(file, Also.CREATE).close();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
    Files.delete(file);
    WrittenFile.write(file, "new".getBytes(UTF_8));
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
    assertThat(file).hasContent("new");
  }

  @Test
  @DisplayName("It is overwritten, appended to, read, or replaced")
  void writes() throws IOException {
    WrittenFile.write(file, "longer".getBytes(UTF_8));
    WrittenFile.write(file, "ab".getBytes(UTF_8));
    try (FileChannel channel = WrittenFile.open(file, Also.APPEND)) {
      channel.write(ByteBuffer.wrap("c".getBytes(UTF_8)));
    }
    try (OutputStream out = WrittenFile.appending(file)) {
      out.write('d');
    }
    try (FileChannel channel = WrittenFile.open(file, Also.READ)) {
      channel.write(ByteBuffer.wrap("A".getBytes(UTF_8)));
      assertThat(channel.read(ByteBuffer.allocate(9))).isEqualTo(3);
    }
    assertThat(file).hasContent("Abcd");
  }
}
