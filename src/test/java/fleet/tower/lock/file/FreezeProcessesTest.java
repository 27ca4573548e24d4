package fleet.tower.lock.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.TestFiles;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.FreezeRequest;
import fleet.tower.lock.FreezeStore.FreezeOutcome;
import fleet.tower.lock.FreezeStore.UnfreezeOutcome;
import fleet.tower.lock.LockStore;
import fleet.tower.platform.time.FineClock;
import fleet.tower.platform.time.SystemTime;

@DisplayName("Processes that compete for a name do not get it while it is frozen")
class FreezeProcessesTest {
  private static final int ROUNDS = 20;
  private static final LeaseName PROD = new LeaseName("prod");

  @TempDir
  private Path temp = Path.of("not-yet");

  /** The interval from the return of the freeze to the start of its lifting. */
  private record Frozen(long from, long to) {
    /** Whether a request was sent and answered in this interval. */
    boolean holds(String line) {
      String[] words = line.split(" ", -1);
      return Long.parseLong(words[1]) >= from && Long.parseLong(words[2]) <= to;
    }
  }

  @Test
  @DisplayName("LK-30 T19 three processes request continuously; none is granted the name between a freeze and "
      + "its lifting")
  void noGrantUnderAFreeze() throws IOException {
    Path directory = temp.resolve("locks");
    Path end = temp.resolve("end");
    List<Path> histories = IntStream.range(0, 3).mapToObj(i -> temp.resolve("history-" + i)).toList();
    List<Process> processes = new ArrayList<>();
    List<Frozen> frozen = new ArrayList<>();
    try (LockStore store = new FileLocks(directory, true, SystemTime.source(), SystemTime.scheduler(), _ -> true,
        _ -> {}).open()) {
      for (Path history : histories) {
        processes.add(ChildJvm.start(FreezeHammerMain.class,
            List.of(directory.toString(), history.toString(), end.toString()), temp.resolve(history + ".out")));
      }
      for (int round = 0; round < ROUNDS; round++) {
        await(histories, "granted", 3L * round + 1);
        assertThat(store.freeze(new FreezeRequest(PROD, new RequestId("r" + round), "ann", "test", new Ttl(600), null)))
            .isInstanceOf(FreezeOutcome.Frozen.class);
        long from = FineClock.nanos();
        await(histories, "refused", count(histories, "refused") + 30);
        long to = FineClock.nanos();
        frozen.add(new Frozen(from, to));
        assertThat(store.unfreeze(PROD)).isInstanceOf(UnfreezeOutcome.Unfrozen.class);
      }
    } finally {
      Files.createFile(end);
      processes.forEach(ChildJvm::exitCode);
    }
    List<String> lines = lines(histories);
    for (Frozen one : frozen) {
      assertThat(lines).filteredOn(one::holds).isNotEmpty().noneMatch(line -> line.startsWith("granted"));
    }
  }

  private static void await(List<Path> histories, String what, long atLeast) {
    Await.until(atLeast + " times " + what, () -> count(histories, what) >= atLeast);
  }

  private static long count(List<Path> histories, String what) {
    return lines(histories).stream().filter(line -> line.startsWith(what)).count();
  }

  private static List<String> lines(List<Path> histories) {
    List<String> lines = new ArrayList<>();
    for (Path history : histories) {
      String text = TestFiles.textIfAny(history);
      lines.addAll(text.substring(0, text.lastIndexOf('\n') + 1).lines().toList());
    }
    return lines;
  }
}
