package fleet.tower.foreign.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignLockState;
import fleet.tower.harness.Await;

@DisplayName("A file locked by flock(1), with flock(1) itself")
class FlockLockTest {
  private final Path file;
  private final ForeignLock lock;

  FlockLockTest(@TempDir Path directory) {
    file = directory.resolve("backup.lock");
    lock = Tools.open("flock:" + file);
  }

  private int flock(String... options) {
    String[] command = new String[options.length + 3];
    command[0] = "flock";
    System.arraycopy(options, 0, command, 1, options.length);
    command[options.length + 1] = file.toString();
    command[options.length + 2] = "true";
    return Tools.exit(command);
  }

  @Test
  @DisplayName("flock(1) excludes the Tower as long as it runs, and is named")
  void excludesUs() throws IOException {
    assertThat(lock.state()).isEqualTo(new ForeignLockState.Free());
    assertThat(file).doesNotExist();
    Process theirs = Tools.start("flock", file.toString(), "sh", "-c", "echo held; read end");
    assertThat(theirs.inputReader().readLine()).isEqualTo("held");

    assertThat(lock.check()).isInstanceOfSatisfying(ForeignLockState.Held.class, held -> {
      assertThat(held.occupant().holder()).isEqualTo("flock");
      assertThat(held.occupant().pid()).isEqualTo(theirs.pid());
    });
    assertThat(lock.hold(Tools.claim("r1"))).isInstanceOf(ForeignLock.Hold.Refused.class);

    theirs.getOutputStream().close();
    Await.until("its end", () -> !theirs.isAlive());
    assertThat(lock.check()).isEqualTo(new ForeignLockState.Free());
  }

  @Test
  @DisplayName("The Tower excludes flock(1) and itself while it holds the lock; the file stays")
  void weExclude() {
    ForeignLock.Hold hold = Tools.granted(lock.hold(Tools.claim("r1")));

    assertThat(flock("-n")).isEqualTo(1);
    assertThat(flock("-n", "-s")).isEqualTo(1);
    assertThat(lock.hold(Tools.claim("r1"))).isInstanceOfSatisfying(ForeignLock.Hold.Refused.class,
        refused -> assertThat(refused.why()).isInstanceOfSatisfying(ForeignLockState.Held.class,
            held -> assertThat(held.occupant().pid()).isEqualTo(ProcessHandle.current().pid())));
    assertThat(hold.release()).isEqualTo(new ForeignLock.Hold.Released());
    assertThat(flock("-n")).isZero();
    assertThat(file).exists();
  }

  @Test
  @DisplayName("A shared lock blocks only requests for an exclusive one")
  void shared() throws IOException {
    Process theirs = Tools.start("flock", "-s", file.toString(), "sh", "-c", "echo held; read end");
    assertThat(theirs.inputReader().readLine()).isEqualTo("held");

    assertThat(lock.check()).isEqualTo(new ForeignLockState.Free());
    assertThat(lock.hold(Tools.claim("r1"))).isInstanceOf(ForeignLock.Hold.Refused.class);
    theirs.destroyForcibly();
  }

  @Test
  @DisplayName("BD-B8 T18 the age of the file is irrelevant, and it is never removed: there is no second file to lock")
  void oldFile() throws IOException {
    ForeignLock.Hold hold = Tools.granted(lock.hold(Tools.claim("r1")));
    Object inode = Files.getAttribute(file, "unix:ino");
    Files.setLastModifiedTime(file, FileTime.from(Instant.parse("2020-01-01T00:00:00Z")));

    assertThat(flock("-n")).isEqualTo(1);
    assertThat(lock.hold(Tools.claim("r2"))).isInstanceOf(ForeignLock.Hold.Refused.class);
    hold.release();
    Tools.granted(lock.hold(Tools.claim("r2"))).release();
    assertThat(Files.getAttribute(file, "unix:ino")).isEqualTo(inode);
  }

  @Test
  @DisplayName("A directory can be locked as well; a file that cannot be opened is doubtful")
  void otherPlaces() throws IOException {
    Path directory = Files.createDirectory(file);
    ForeignLock.Hold hold = Tools.granted(lock.hold(Tools.claim("r1")));
    assertThat(flock("-n")).isEqualTo(1);
    hold.release();
    assertThat(flock("-n")).isZero();

    ForeignLock nowhere = Tools.open("flock:" + directory.resolve("a/b"));
    assertThat(nowhere.hold(Tools.claim("r1"))).isInstanceOfSatisfying(ForeignLock.Hold.Refused.class,
        refused -> assertThat(
            refused.why()).isEqualTo(
                new ForeignLockState.Doubtful("No such file or directory (" + directory.resolve("a/b") + ")",
                    null)));
  }

  @Test
  @DisplayName("It is known whether this process or another has a file open as well, and the check leaves no trace")
  void openings() throws IOException {
    Tools.write(file, "text");
    try (Flock flock = Flock.open(file)) {
      assertThat(flock.others()).isEqualTo(Flock.Openings.NONE);
      try (var _ = Files.newInputStream(file)) {
        assertThat(flock.others()).isEqualTo(Flock.Openings.SOME);
      }
      assertThat(flock.others()).isEqualTo(Flock.Openings.NONE);
      assertThat(Tools.exit("sh", "-c", "cat " + file + " >/dev/null && echo more >>" + file)).isZero();
    }
  }
}
