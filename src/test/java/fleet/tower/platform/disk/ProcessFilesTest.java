package fleet.tower.platform.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.LineProcess;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.lock.file.ChildJvm;
import fleet.tower.platform.Presence;

@DisplayName("A process is present for exactly as long as it is alive")
class ProcessFilesTest {
  private static final String NOBODY = "0123456789abcdef01234567";
  private final Path temp;
  private final Path directory;

  ProcessFilesTest(@TempDir Path temp) {
    this.temp = temp;
    directory = temp.resolve("state/processes");
  }

  private Presence open() {
    return new ProcessFiles(directory).open();
  }

  private LineProcess other() {
    return new LineProcess(ChildJvm.command(PresenceMain.class, List.of(directory.toString())));
  }

  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  @DisplayName("Nothing is written before the first use of the id; then one owner-only file until it is closed")
  void isLazy() throws IOException {
    try (Presence presence = open()) {
      assertThat(presence.isAlive(NOBODY)).isFalse();
      assertThat(directory).doesNotExist();

      String id = presence.id();

      assertThat(id).matches("[0-9a-f]{24}").isEqualTo(presence.id());
      assertThat(files()).containsExactly(id);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory))).isEqualTo("rwx------");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve(id))))
          .isEqualTo("rw-------");
      assertThat(directory.resolve(id)).hasContent(ProcessHandle.current().pid() + "\n");
    }
    assertThat(files()).isEmpty();
  }

  @Test
  @DisplayName("Several users in one process share one id, which is published until the last one closes")
  @ProofsProfile
  void isSharedInTheProcess() throws IOException {
    Path link = Files.createSymbolicLink(temp.resolve("link"), temp);
    try (Presence first = open(); LineProcess other = other()) {
      String theirs = other.answer();
      String id = first.id();
      Presence second = new ProcessFiles(link.resolve("state/processes")).open();
      assertThat(second.id()).isEqualTo(id);
      assertThat(second.isAlive(id)).isTrue();
      second.close();
      second.close();
      assertThatThrownBy(second::id).isInstanceOf(IllegalStateException.class);

      assertThat(first.isAlive(id)).isTrue();
      assertThat(files()).containsExactlyInAnyOrder(id, theirs);
      try (LineProcess third = other()) {
        third.answer();
        assertThat(files()).as("the sweep of a third process spares live ones").contains(id, theirs).hasSize(3);
      }
    }
  }

  @Test
  @DisplayName("Another process is alive while it runs or is stopped, and dead once killed; its file is then removed")
  void dies() throws IOException {
    try (Presence presence = open(); LineProcess other = other()) {
      String id = other.answer();
      assertThat(presence.isAlive(id)).isTrue();
      ChildJvm.signal(other.process(), "STOP");
      assertThat(presence.isAlive(id)).isTrue();
      assertThat(presence.isAlive(id)).as("a query does not end it").isTrue();

      other.process().destroyForcibly();
      ChildJvm.exitCode(other.process());

      assertThat(directory.resolve(id)).exists();
      assertThat(presence.isAlive(id)).isFalse();
      assertThat(files()).isEmpty();
    }
  }

  @Test
  @DisplayName("A process that ends normally leaves no file")
  void endsInOrder() throws IOException {
    try (Presence presence = open(); LineProcess other = other()) {
      String id = other.answer();
      other.end();

      assertThat(files()).isEmpty();
      assertThat(presence.isAlive(id)).isFalse();
    }
  }

  @Test
  @DisplayName("Files of dead processes, even of unfinished publications, are removed by the next process; other "
      + "files are kept")
  void sweeps() throws IOException {
    Files.createDirectories(directory);
    Files.createFile(directory.resolve(NOBODY));
    Files.createFile(directory.resolve("." + NOBODY));
    Files.createFile(directory.resolve("notes.txt"));
    try (Presence presence = open()) {
      assertThat(files()).hasSize(3);
      String id = presence.id();
      assertThat(files()).containsExactlyInAnyOrder(id, "notes.txt");
      assertThat(presence.isAlive("../../etc/passwd")).isFalse();
      assertThat(presence.isAlive("notes.txt")).isFalse();
    }
  }

  @Test
  @DisplayName("A removed file of a live process is created again with the same id and locked")
  void isPutBack() throws IOException {
    try (Presence presence = open()) {
      String id = presence.id();
      Files.delete(directory.resolve(id));

      assertThat(presence.id()).isEqualTo(id);
      assertThat(files()).containsExactly(id);
      try (LineProcess other = other()) {
        other.answer();
        assertThat(files()).as("the sweep of another process spares it").contains(id);
      }
    }
  }

  @Test
  @DisplayName("An interrupt does not prevent publication, and its status is kept")
  void isInterrupted() throws IOException {
    try (Presence presence = open()) {
      Thread.currentThread().interrupt();
      String id = presence.id();
      boolean alive = presence.isAlive(NOBODY);
      assertThat(Thread.interrupted()).isTrue();

      assertThat(alive).isFalse();
      assertThat(files()).containsExactly(id);
    }
  }
}
