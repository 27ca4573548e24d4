package fleet.tower.home;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Installation;
import fleet.tower.harness.Installation.Result;
import fleet.tower.harness.ProofsProfile;

/** Tests {@code tower doctor} as a process, on its own disk. */
class DoctorProcessTest {
  private final Installation tower;

  DoctorProcessTest(@TempDir Path directory) {
    tower = new Installation(directory.resolve("release")).with("TOWER_AOT", "off");
  }

  private Result onDisk(String options, String commands) throws Exception {
    Path home = Files.createDirectories(tower.home());
    String script = "mount -t tmpfs -o mode=700," + options + " none '" + home + "' || exit 99\nmkdir '" + home
        + "/intents' '"
        + home + "/config'\n" + commands;
    Result result = tower.run(List.of("unshare", "-m", "sh", "-c", script));
    assumeTrue(result.exit() != 99 && !result.err().contains("unshare"), "no mount namespace can be made here");
    return result;
  }

  @Test
  @DisplayName("LK-33 a full tmpfs is reported as warnings with remedies, not as errors")
  @ProofsProfile
  void fullDisk() throws Exception {
    Result result = onDisk("size=2m,nr_inodes=50", "'" + tower.launcher() + "' lock prod >/dev/null 2>&1\n"
        + "head -c 1500000 /dev/zero >'" + tower.home() + "/fill'\n'" + tower.launcher() + "' doctor");

    assertThat(result.out()).containsPattern("warn +free space +\\S+ has 0 MiB left\n +→ free some space")
        .containsPattern("warn +free inodes +\\S+ has room for \\d\\d more files\n +→ remove files")
        .containsPattern("warn +lock directory file system +\\S+ is on tmpfs: its locks and tokens do not survive")
        .containsPattern("ok +start-up cache +off");
    assertThat(result.exit()).as(result.err()).isZero();
  }

  @Test
  @DisplayName("LK-33 a home without write access is an error, even for root")
  void readOnly() throws Exception {
    Result result = onDisk("size=2m", "mount -o remount,ro '" + tower.home() + "' && '" + tower.launcher()
        + "' doctor");

    assertThat(result.out()).containsPattern("fail +home +\\S+ cannot be written\n +→ run as its owner");
    assertThat(result.exit()).isEqualTo(1);
  }
}
