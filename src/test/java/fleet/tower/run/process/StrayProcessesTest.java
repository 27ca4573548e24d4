package fleet.tower.run.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.platform.process.ProcessStat;
import fleet.tower.platform.process.StrayProcesses;

@DisplayName("The search for processes that outlived their parent")
class StrayProcessesTest {
  private static final String ENTRY = "TOWER_REQUEST_ID=stray-1";
  private @TempDir Path directory;
  private long stray;

  @AfterEach
  void end() {
    if (stray != 0) {
      ProcessHandle.of(stray).ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  /** Starts a process whose parent and session leader end at once, and returns its start time. */
  private long orphan(String command) throws Exception {
    Path pid = directory.resolve("pid");
    Process parent = new ProcessBuilder(List.of("setsid", "--wait", "bash", "-c",
        command + " </dev/null >/dev/null 2>&1 & echo $! >" + pid)).start();
    assertThat(parent.waitFor()).isZero();
    stray = Long.parseLong(Files.readString(pid).strip());
    Await.until("it sleeps", () -> {
      ProcessStat stat = ProcessStat.of(stray);
      return stat != null && stat.name().equals("sleep");
    });
    ProcessStat stat = ProcessStat.of(stray);
    return stat == null ? 0 : stat.startTicks();
  }

  @Test
  @DisplayName("A process with the entry counts until it has ended; a similar value and an older process do not")
  void marked() throws Exception {
    long start = orphan("env " + ENTRY + " sleep 600");

    assertThat(StrayProcesses.mayExist(ENTRY, start)).isTrue();
    // Processes of other tests may count for a moment, between two programs or until their own test ends them.
    Await.until("only a similar value exists", () -> !StrayProcesses.mayExist("TOWER_REQUEST_ID=stray", start));
    assertThat(StrayProcesses.mayExist(ENTRY, start)).isTrue();
    assertThat(StrayProcesses.mayExist(ENTRY, start + 1_000_000)).isFalse();
    ProcessHandle.of(stray).orElseThrow().destroyForcibly();
    Await.until("it is gone", () -> !StrayProcesses.mayExist(ENTRY, start));
  }

  @Test
  @DisplayName("A process whose environment shows nothing counts if its session has lost its leader")
  void unreadable() throws Exception {
    long start = orphan("env -i sleep 600");

    assertThat(StrayProcesses.mayExist(ENTRY, start)).isTrue();
    ProcessHandle.of(stray).orElseThrow().destroyForcibly();
    Await.until("it is gone", () -> !StrayProcesses.mayExist(ENTRY, start));
  }
}
