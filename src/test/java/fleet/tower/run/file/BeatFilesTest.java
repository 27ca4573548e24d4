package fleet.tower.run.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.presence.Presence;
import fleet.tower.platform.presence.file.ProcessFiles;
import fleet.tower.run.OutsideBeats;

@DisplayName("Beats from outside, as writes to files")
@Timeout(30)
class BeatFilesTest {
  private static final RequestId RUN = new RequestId("schedule:tidy:2026-01-01T10:01:00Z");
  private static final String DEAD = "0123456789abcdef01234567";

  private final Path directory;
  private final Presence presence;
  private final OutsideBeats beats;

  BeatFilesTest(@TempDir Path temp) {
    directory = temp.resolve("state/beats");
    presence = new ProcessFiles(temp.resolve("state/processes")).open();
    beats = new BeatFiles(directory, presence).open();
  }

  @AfterEach
  void close() {
    presence.close();
  }

  @Test
  @DisplayName("Each write is a beat, also of nothing, also to a file that was removed; a look without one is none")
  void writes() throws IOException {
    try (OutsideBeats.Taking taking = beats.take(RUN)) {
      Path file = Path.of(taking.path());
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
      assertThat(taking.hasCome()).isFalse();
      for (int i = 0; i < 100; i++) {
        assertThat(beats.leave(RUN)).isTrue();
        assertThat(taking.hasCome()).isTrue();
        assertThat(taking.hasCome()).isFalse();
      }
      Files.writeString(file, "", StandardOpenOption.TRUNCATE_EXISTING);
      assertThat(taking.hasCome()).isTrue();
      Files.delete(file);
      assertThat(taking.hasCome()).isFalse();
      Files.writeString(file, "x");
      assertThat(taking.hasCome()).isTrue();
    }
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  @DisplayName("Nobody can leave a beat for a run that takes none: before it, behind it, or one of a like name")
  void nobodyTakesAny() {
    assertThat(beats.leave(RUN)).isFalse();
    try (OutsideBeats.Taking taking = beats.take(new RequestId("r1.x"))) {
      assertThat(beats.leave(new RequestId("r1"))).isFalse();
      assertThat(beats.leave(new RequestId("x"))).isFalse();
      assertThat(taking.hasCome()).isFalse();
    }
    assertThat(beats.leave(new RequestId("r1.x"))).isFalse();
  }

  @Test
  @DisplayName("What a dead executor has left takes no beats and is swept away")
  void dead() throws IOException {
    Files.createDirectories(directory);
    Path left = Files.createFile(directory.resolve(RUN + "." + DEAD));
    Path other = Files.createFile(directory.resolve("other." + DEAD));
    Path strange = Files.createFile(directory.resolve("README"));

    assertThat(beats.leave(RUN)).isFalse();
    assertThat(left).doesNotExist();
    beats.take(RUN).close();

    assertThat(other).doesNotExist();
    assertThat(strange).isEmptyFile();
  }

  @Test
  @DisplayName("Nothing is written through a link, and nobody waits at what is no file")
  void noFile(@TempDir Path elsewhere) throws IOException {
    Path precious = Files.createFile(elsewhere.resolve("precious"));
    Files.createDirectories(directory);
    Path file = directory.resolve(RUN + "." + presence.id());
    Files.createSymbolicLink(file, precious);

    assertThat(beats.leave(RUN)).isFalse();
    assertThat(precious).isEmptyFile();
    assertThatThrownBy(() -> beats.take(RUN)).isInstanceOf(StorageException.class)
        .hasMessageStartingWith("no file for beats can be made in " + directory + ": ");
  }
}
