package fleet.tower.lock.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;

class StorageTest {
  private final Path directory;
  private final TestHome home;

  StorageTest(@TempDir Path directory) {
    this.directory = directory;
    home = new TestHome(directory.resolve("home"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"lock prod", "heartbeat prod --request-id r", "unlock prod --request-id r",
      "force-release prod --reason r", "fence prod --token 1", "locks", "locks prod", "check prod", "exists prod",
      "why prod", "audit"})
  @DisplayName("A home that is a file: exit 64 and a message that names it; never `free`, never a lock")
  void homeIsAFile(String line) throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "a file");
    home.with("TOWER_HOME", file.toString());

    Outcome words = home.tower(line);
    Outcome json = home.tower(line + " --json");

    assertThat(words)
        .isEqualTo(new Outcome(64, "", "tower: " + file + ", named by TOWER_HOME, is not a home: it is not a"
            + " directory\n  correct the path\n"));
    assertThat(json.exit()).isEqualTo(64);
    assertThat(json.errorCode()).isEqualTo("not_a_home");
    assertThat(file).hasContent("a file");
  }

  @Test
  @DisplayName("TF-12.1 TF-A35 a world-writable lock directory is rejected, with the remedy")
  void worldWritable() throws Exception {
    home.foreignLock("prod", TestHome.now(), 900);
    Files.setPosixFilePermissions(home.locks(), PosixFilePermissions.fromString("rwxrwxrwx"));

    Outcome outcome = home.tower("lock other");

    assertThat(outcome).isEqualTo(new Outcome(69, "", "tower: " + home.locks() + " is world-writable (rwxrwxrwx);"
        + " chmod 700 " + home.locks() + "\n  see `tower doctor`\n"));
    assertThat(home.lockFile("other")).doesNotExist();
    assertThat(home.tower("unlock prod --request-id req_old123").exit()).isEqualTo(69);
    assertThat(home.lockFile("prod")).exists();
    assertThat(home.tower("doctor").exit()).isEqualTo(1);
  }

  @Test
  @DisplayName("TF-12.1 a lock directory that is a symbolic link is rejected, and nothing is created at its target")
  void symlink() throws Exception {
    Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
    Files.createDirectories(home.root().resolve("logs"));
    Files.createSymbolicLink(home.locks(), elsewhere);

    Outcome outcome = home.tower("lock prod");

    assertThat(outcome.exit()).isEqualTo(69);
    assertThat(outcome.err())
        .startsWith("tower: " + home.locks() + " is a link or a file, not a directory; move it away");
    assertThat(elsewhere).isEmptyDirectory();
  }

  @Test
  @DisplayName("A lock directory open to others causes a warning")
  void openToOthers() throws Exception {
    Files.createDirectories(home.locks());
    Files.setPosixFilePermissions(home.locks(), PosixFilePermissions.fromString("rwxr-xr-x"));

    Outcome outcome = home.tower("lock prod --request-id r");

    assertThat(outcome.exit()).isZero();
    assertThat(outcome.err())
        .startsWith("tower: warning: " + home.locks() + " is accessible to other users (rwxr-xr-x)\n");
  }

  @Test
  @DisplayName("A damaged fence counter: exit 69, the file's name, and the value to write into it; no lock")
  void damagedFence() throws Exception {
    home.tower("lock prod --request-id r");
    home.tower("unlock prod --request-id r");
    Path fence = home.locks().resolve(".prod.fence");
    Files.write(fence, new byte[]{(byte) 0xff, 0x41});

    Outcome outcome = home.tower("lock prod");

    assertThat(outcome.exit()).isEqualTo(69);
    assertThat(outcome.err()).isEqualTo("tower: the fencing counter of lock prod is damaged: " + fence
        + " must contain one number,"
        + " not below any fencing token issued for this name; correct it by hand\n  see `tower doctor`\n");
    assertThat(home.lockFile("prod")).doesNotExist();
    assertThat(home.tower("doctor").out()).contains("fail  fence counter").contains(fence + " is damaged");
    Files.writeString(fence, "1\n");
    assertThat(home.tower("lock prod --json").data().integer("fencing_token")).hasValue(2);
  }

  @Test
  @DisplayName("TF-A25 an unwritable audit log causes a warning and does not prevent the lock")
  void auditLost() throws Exception {
    Files.createDirectories(home.root().resolve("logs"));
    Files.writeString(home.root().resolve("logs/audit"), "a file");

    Outcome outcome = home.tower("lock prod --request-id r");

    assertThat(outcome.exit()).isZero();
    assertThat(outcome.out()).isEqualTo("r\n");
    assertThat(outcome.err()).contains("tower: warning: audit event lost, " + home.root() + "/logs/audit/audit-")
        .contains("not a directory").contains("{\"event\":\"lock_acquired\"");
    assertThat(home.lockFile("prod")).exists();
    Outcome read = home.tower("audit");
    assertThat(read.exit()).isEqualTo(69);
    assertThat(read.err()).isEqualTo("tower: the audit log in " + home.root()
        + "/logs/audit cannot be read: ENOTDIR: not a directory\n  see `tower doctor`\n");
  }
}
