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
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.Presence;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.ProcessFiles;
import fleet.tower.run.OutsideBeats;

@DisplayName("Heartbeats from outside, as writes to files")
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
  @DisplayName("Each write is a heartbeat, even an empty one, even to a file that was removed and created again")
  void writes() throws IOException {
    try (OutsideBeats.Receiver receiver = beats.receive(RUN)) {
      Path file = Path.of(receiver.path());
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
      assertThat(receiver.hasArrived()).isFalse();
      for (int i = 0; i < 100; i++) {
        assertThat(beats.send(RUN)).isTrue();
        assertThat(receiver.hasArrived()).isTrue();
        assertThat(receiver.hasArrived()).isFalse();
      }
      Files.writeString(file, "", StandardOpenOption.TRUNCATE_EXISTING);
      assertThat(receiver.hasArrived()).isTrue();
      Files.delete(file);
      assertThat(receiver.hasArrived()).isFalse();
      Files.writeString(file, "x");
      assertThat(receiver.hasArrived()).isTrue();
    }
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  @DisplayName("A heartbeat cannot be sent before the run receives, after it, or to a run with a similar name")
  void nobodyTakesAny() {
    assertThat(beats.send(RUN)).isFalse();
    try (OutsideBeats.Receiver receiver = beats.receive(new RequestId("r1.x"))) {
      assertThat(beats.send(new RequestId("r1"))).isFalse();
      assertThat(beats.send(new RequestId("x"))).isFalse();
      assertThat(receiver.hasArrived()).isFalse();
    }
    assertThat(beats.send(new RequestId("r1.x"))).isFalse();
  }

  @Test
  @DisplayName("The files of a dead executor receive no heartbeats and are removed")
  void dead() throws IOException {
    Files.createDirectories(directory);
    Path left = Files.createFile(directory.resolve(RUN + "." + DEAD));
    Path other = Files.createFile(directory.resolve("other." + DEAD));
    Path strange = Files.createFile(directory.resolve("README"));

    assertThat(beats.send(RUN)).isFalse();
    assertThat(left).doesNotExist();
    beats.receive(RUN).close();

    assertThat(other).doesNotExist();
    assertThat(strange).isEmptyFile();
  }

  @Test
  @DisplayName("Nothing is written through a link, and a path that is not a file does not block")
  void noFile(@TempDir Path elsewhere) throws IOException {
    Path precious = Files.createFile(elsewhere.resolve("precious"));
    Files.createDirectories(directory);
    Path file = directory.resolve(RUN + "." + presence.id());
    Files.createSymbolicLink(file, precious);

    assertThat(beats.send(RUN)).isFalse();
    assertThat(precious).isEmptyFile();
    assertThatThrownBy(() -> beats.receive(RUN)).isInstanceOf(StorageException.class)
        .hasMessageStartingWith("no heartbeat file can be created in " + directory + ": ");
  }
}
