package fleet.tower.lock.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.TestFiles;
import fleet.tower.lease.LeaseName;

@DisplayName("Processes that acquire names while others forget them get growing tokens")
class ForgetProcessesTest {
  private static final int PROCESSES = 3;
  private static final int LEAST_FORGOTTEN = 60;

  @TempDir
  private Path temp = Path.of("not-yet");

  /** A grant, from its request to its answer. */
  private record Grant(long token, long asked, long answered) {
    static Grant of(String line) {
      String[] words = line.split(" ", -1);
      return new Grant(Long.parseLong(words[2]), Long.parseLong(words[3]), Long.parseLong(words[4]));
    }
  }

  @Test
  @DisplayName("three processes acquire, release and forget three names at once: no token is given twice, none is lower "
      + "than an earlier one, and one of them is killed")
  void tokensGrow() throws IOException {
    Path end = temp.resolve("end");
    List<Path> histories = IntStream.range(0, PROCESSES + 1).mapToObj(i -> temp.resolve("history-" + i)).toList();
    List<Process> processes = new ArrayList<>();
    try {
      histories.subList(0, PROCESSES).forEach(history -> processes.add(start(history, end)));
      Await.until("names are forgotten", () -> forgotten(histories) > LEAST_FORGOTTEN / 2);
      processes.getFirst().destroyForcibly();
      processes.add(start(histories.getLast(), end));
      Await.until("more names are forgotten", () -> forgotten(histories) > LEAST_FORGOTTEN
          && TestFiles.textIfAny(histories.getLast()).contains("granted"));
    } finally {
      Files.createFile(end);
      processes.forEach(ChildJvm::exitCode);
    }
    assertThat(processes.subList(1, processes.size())).allMatch(process -> process.exitValue() == 0);
    for (LeaseName name : ForgetHammerMain.NAMES) {
      List<Grant> grants = lines(histories).stream().filter(line -> line.startsWith("granted " + name + " "))
          .map(Grant::of).sorted(Comparator.comparingLong(Grant::asked)).toList();
      assertThat(grants).hasSizeGreaterThan(10).extracting(Grant::token).doesNotHaveDuplicates();
      for (Grant grant : grants) {
        assertThat(grants).filteredOn(earlier -> earlier.answered() < grant.asked())
            .allSatisfy(earlier -> assertThat(earlier.token()).isLessThan(grant.token()));
      }
    }
  }

  private Process start(Path history, Path end) {
    return ChildJvm.start(ForgetHammerMain.class,
        List.of(temp.resolve("locks").toString(), history.toString(), end.toString()), temp.resolve(history + ".out"));
  }

  private static long forgotten(List<Path> histories) {
    return lines(histories).stream().filter(line -> line.startsWith("forgot")).count();
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
