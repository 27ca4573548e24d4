package fleet.tower.foreign.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignLockState;
import fleet.tower.harness.Await;

@DisplayName("A file with its holder's process number, as daemons write it")
class PidFileLockTest {
  private final Path file;
  private final ForeignLock lock;

  PidFileLockTest(@TempDir Path directory) {
    file = directory.resolve("crond.pid");
    lock = Tools.open("pidfile:" + file);
  }

  @Test
  @DisplayName("A live daemon is named; a killed one does not block, and its file stays until the next acquisition")
  void daemons() {
    Process daemon = Tools.start("sh", "-c", "echo $$ >" + file + "; exec sleep 600");
    Await.until("the file", () -> file.toFile().length() > 0);
    assertThat(lock.check()).isInstanceOfSatisfying(ForeignLockState.Held.class, held -> {
      assertThat(held.occupant().holder()).isIn("sh", "sleep");
      assertThat(held.occupant().pid()).isEqualTo(daemon.pid());
    });
    assertThat(lock.hold(Tools.claim("r1"))).isInstanceOf(ForeignLock.Hold.Refused.class);
    daemon.destroyForcibly();
    Await.until("its end", () -> !daemon.isAlive());

    assertThat(lock.check()).isInstanceOf(ForeignLockState.Stale.class);
    assertThat(file).hasContent(daemon.pid() + "\n");
    ForeignLock.Hold hold = Tools.granted(lock.hold(Tools.claim("r1")));
    assertThat(file).hasContent(ProcessHandle.current().pid() + "\n");
    assertThat(lock.check()).isInstanceOf(ForeignLockState.Held.class);
    assertThat(lock.hold(Tools.claim("r1"))).isInstanceOf(ForeignLock.Hold.Refused.class);
    assertThat(hold.release()).isEqualTo(new ForeignLock.Hold.Released());
    assertThat(file).doesNotExist();
  }

  @ParameterizedTest
  @DisplayName("A file without a number is doubtful, which counts as held, and is not touched")
  @ValueSource(strings = {"", "\n", "0\n", "-1\n", "crond", "12a\n", "99999999999999\n"})
  void unfit(String text) {
    Tools.write(file, text);

    assertThat(lock.check()).isInstanceOf(ForeignLockState.Doubtful.class);
    assertThat(lock.hold(Tools.claim("r1"))).isInstanceOf(ForeignLock.Hold.Refused.class);
    assertThat(file).hasContent(text);
  }

  @Test
  @DisplayName("Lines after the number are ignored, as PostgreSQL writes them")
  void moreLines() {
    Process daemon = Tools.start("sleep", "600");
    Tools.write(file, daemon.pid() + "\n/var/lib/postgresql/data\n1761393600\n");
    assertThat(lock.check()).isInstanceOf(ForeignLockState.Held.class);
    daemon.destroyForcibly();
  }

  @Test
  @DisplayName("This process' number in a file of an earlier process is stale, as in a restarted container")
  void ownNumber() {
    Tools.write(file, ProcessHandle.current().pid() + "\n");

    assertThat(lock.check()).isInstanceOf(ForeignLockState.Stale.class);
    ForeignLock.Hold hold = Tools.granted(lock.hold(Tools.claim("r1")));
    Tools.write(file, "1\n");
    assertThat(hold.release()).isInstanceOf(ForeignLock.Hold.NotOurs.class);
    assertThat(file).hasContent("1\n");
  }
}
