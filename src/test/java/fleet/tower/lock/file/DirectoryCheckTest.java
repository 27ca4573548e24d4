package fleet.tower.lock.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.lease.LeaseState;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.TestRequest;
import fleet.tower.platform.Finding;
import fleet.tower.platform.StorageException;

@DisplayName("A directory in which locks would not be safe is rejected before anything is written")
class DirectoryCheckTest {
  @TempDir
  private Path temp = Path.of("not-yet");

  private FileFixture files(String directory) {
    return new FileFixture(temp.resolve(directory));
  }

  private static void assertRefused(FileFixture files, String message) {
    try (files; LockStore store = files.open(false)) {
      assertThatThrownBy(() -> store.acquire(TestRequest.by("req_1", "prod").request()))
          .isInstanceOf(StorageException.class).hasMessage(message);
    }
  }

  @Test
  @DisplayName("TF-10.1 a missing directory is created by the first change, not by a read")
  void makesItsDirectory() {
    try (FileFixture files = files("a/b/locks")) {
      assertThat(files.store().view(StoreCall.NAME).leaseState()).isEqualTo(new LeaseState.Vacant());
      assertThat(files.store().list()).isEmpty();
      assertThat(files.directory()).doesNotExist();
      files.granted(TestRequest.by("req_1", "prod"));
      assertThat(files.directory()).isDirectory();
    }
  }

  @Test
  @DisplayName("TF-12.1 a symbolic link is rejected")
  void refusesALink() throws IOException {
    Files.createDirectory(temp.resolve("real"));
    Files.createSymbolicLink(temp.resolve("locks"), temp.resolve("real"));

    assertRefused(files("locks"), temp.resolve("locks") + " is a link or a file, not a directory; move it away, or set "
        + "TOWER_HOME to its target");
    assertThat(temp.resolve("real")).isEmptyDirectory();
  }

  @Test
  @DisplayName("TF-12.1 a file is rejected")
  void refusesAFile() throws IOException {
    Files.createFile(temp.resolve("locks"));

    assertRefused(files("locks"), temp.resolve("locks") + " is a link or a file, not a directory; move it away, or set "
        + "TOWER_HOME to its target");
  }

  @Test
  @DisplayName("TF-12.1 a world-writable directory is rejected")
  void refusesAWorldWritableDirectory() throws IOException {
    Path locks = Files.createDirectory(temp.resolve("locks"));
    Files.setPosixFilePermissions(locks, PosixFilePermissions.fromString("rwxrwxrwx"));

    assertRefused(files("locks"), locks + " is world-writable (rwxrwxrwx); chmod 700 " + locks);
    assertThat(locks).isEmptyDirectory();
  }

  @Test
  @DisplayName("TF-12.1 a directory that others may read is used with a warning")
  void warnsOfAnOpenDirectory() throws IOException {
    Path locks = Files.createDirectory(temp.resolve("locks"));
    Files.setPosixFilePermissions(locks, PosixFilePermissions.fromString("rwxr-xr-x"));
    try (FileFixture files = files("locks")) {
      files.granted(TestRequest.by("req_1", "prod"));
      files.granted(TestRequest.by("req_1", "dev"));
      assertThat(files.warnings()).containsOnlyOnce(locks + " is accessible to other users (rwxr-xr-x)");
    }
  }

  @Test
  @DisplayName("TF-12.1 a directory of another user is rejected")
  void refusesSomebodyElses() throws IOException {
    Path locks = Files.createDirectory(temp.resolve("locks"));
    try {
      Files.setAttribute(locks, "unix:uid", 4242);
    } catch (IOException notAllowed) {
      Assumptions.abort("only root may give a directory away");
    }

    assertRefused(files("locks"), locks + " belongs to user id 4242, not to us; run as that user, or set TOWER_HOME to "
        + "a home of your own");
  }

  @ParameterizedTest(name = "{0}: {1}, and where insecure is allowed: {2}")
  @CsvSource({"ext2/ext3, OK, OK", "ext4, OK, OK", "xfs, OK, OK", "btrfs, OK, OK", "zfs, OK, OK", "tmpfs, WARN, WARN",
      "ramfs, WARN, WARN", "overlay, WARN, WARN", "nfs, FAIL, WARN", "nfs4, FAIL, WARN", "cifs, FAIL, WARN",
      "9p, FAIL, WARN", "fuse.sshfs, FAIL, WARN", "fuseblk, FAIL, WARN", "virtiofs, FAIL, WARN"})
  @DisplayName("TF-A37 network file systems are rejected; tmpfs and overlay warn")
  void decidesByFileSystem(String type, Finding.Severity expected, Finding.Severity insecure) {
    Finding strict = DirectoryCheck.fileSystem(temp, type, false);

    assertThat(strict.severity()).isEqualTo(expected);
    assertThat(DirectoryCheck.fileSystem(temp, type, true).severity()).isEqualTo(insecure);
    if (expected == Finding.Severity.FAIL) {
      assertThat(strict.message()).contains(temp.toString(), type);
      assertThat(strict.remedy()).contains("TOWER_LOCK_INSECURE_DIRECTORY=true");
    }
  }

  @Test
  @DisplayName("TF-A37 a real tmpfs warns that its locks do not survive a restart")
  void warnsOfARealTmpfs() throws IOException {
    Path shared = Path.of("/dev/shm");
    Assumptions.assumeTrue(Files.isWritable(shared) && Files.getFileStore(shared).type().equals("tmpfs"),
        "no tmpfs at " + shared);
    Path locks = Files.createTempDirectory(shared, "locks");
    try (FileFixture files = new FileFixture(locks)) {
      files.granted(TestRequest.by("req_1", "prod"));
      assertThat(files.warnings())
          .containsExactly(locks + " is on tmpfs: its locks and tokens do not survive a restart");
      for (String file : files.names()) {
        Files.delete(locks.resolve(file));
      }
    } finally {
      Files.delete(locks);
    }
  }
}
