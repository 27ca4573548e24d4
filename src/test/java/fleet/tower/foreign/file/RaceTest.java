package fleet.tower.foreign.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.SynchronousQueue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.foreign.ForeignLock;
import fleet.tower.harness.Await;
import fleet.tower.harness.Extent;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.lock.file.ChildJvm;
import fleet.tower.platform.time.SystemTime;

@DisplayName("Real processes that compete for a foreign lock")
class RaceTest {
  private static final int PROCESSES = 4;
  private static final int GRANTS = Extent.of(30, 100, 300);
  private static final String AFTER_A_DEATH = "granted after a death";
  private static final int ROUNDS = 100;
  private static final int CLOSE_ROUNDS = 300;
  private static final int MOST_CLOSE_ROUNDS = 20_000;

  private final Path directory;
  private final Path notes;

  RaceTest(@TempDir Path home) throws IOException {
    directory = Files.createDirectory(home.resolve(".beads"));
    notes = Files.createDirectory(home.resolve("notes"));
  }

  private List<String> history() {
    Path history = notes.resolve("history");
    return Files.exists(history) ? Tools.text(history).lines().toList() : List.of();
  }

  @ParameterizedTest
  @DisplayName("BD-6 BD-B2 holders that sometimes die exclude each other, and a dead one's lock goes to the next")
  @ValueSource(strings = {"beads:", "pidfile:/crond.pid", "flock:/file"})
  @ProofsProfile
  void holders(String kind) {
    String name = kind.replace(":", ":" + directory);
    List<Process> processes = new ArrayList<>();
    for (int i = 0; i < PROCESSES; i++) {
      processes.add(holder(name));
    }
    Await.until(GRANTS + " grants", () -> {
      // Who died is followed by another.
      processes.replaceAll(process -> process.isAlive() ? process : holder(name));
      return history().size() >= GRANTS && (kind.startsWith("flock") || history().contains(AFTER_A_DEATH));
    });
    Tools.write(notes.resolve("end"), "");
    processes.forEach(ChildJvm::exitCode);

    assertThat(history()).isSubsetOf("granted", AFTER_A_DEATH);
    if (!kind.startsWith("flock")) {
      assertThat(history()).contains(AFTER_A_DEATH);
    }
    assertThat(Tools.list(directory)).noneMatch(file -> file.contains(".tower-"));
  }

  private Process holder(String name) {
    return ChildJvm.start(VerdictMain.java(HoldMain.class, List.of(name, notes.toString())), notes.resolve("output"));
  }

  @Test
  @DisplayName("BD-B2 a stale lock that a tool overwrites during its removal: the tool's lock remains, complete")
  void overwritten() throws IOException {
    Path file = directory.resolve(".exclusive-lock");
    ForeignLock lock = Tools.open("beads:" + directory);
    String stale = Tools.exclusiveLock("dead", Tools.killed(), Tools.hostname());
    String theirs = Tools.exclusiveLock("tool", ProcessHandle.current().pid(), Tools.hostname());
    Tools.write(notes.resolve("theirs"), theirs);
    // Truncates and then writes, as the document's own examples do.
    Process tool = new ProcessBuilder("sh", "-c", "while read -r round; do cat '" + notes.resolve("theirs") + "' >'"
        + file + "'; echo done; done").redirectErrorStream(true).start();
    var asked = tool.outputWriter();
    var answers = tool.inputReader();
    int removed = 0;
    // Until one was removed before the tool wrote; a busy machine may let the tool write first for long.
    for (int round = 0; round < ROUNDS || (removed == 0 && round < MOST_CLOSE_ROUNDS); round++) {
      Tools.write(file, stale);
      asked.write("go\n");
      asked.flush();
      String seen = lock.check().getClass().getSimpleName();
      removed += seen.equals("Cleared") ? 1 : 0;
      assertThat(answers.readLine()).isEqualTo("done");
      assertThat(file).as("round " + round + " " + seen).hasContent(theirs);
    }
    asked.close();
    ChildJvm.exitCode(tool);
    assertThat(removed).isPositive();
    assertThat(Tools.list(directory)).containsExactly(".exclusive-lock");
  }

  /** Both begin at the same moment, and one of them a little later, each time by another little. */
  @Test
  @DisplayName("BD-B2 BD-B4 a lock that a tool wrote between the last read and the removal goes back to its place")
  void overwrittenAtTheLastMoment() throws Exception {
    Path file = directory.resolve(".exclusive-lock");
    LockFile place = new LockFile(file, _ -> false, SystemTime.source(), SystemTime.scheduler());
    String theirs = Tools.exclusiveLock("tool", ProcessHandle.current().pid(), Tools.hostname());
    String judged = Tools.exclusiveLock("dead", 1, "gone");
    byte[] bytes = judged.getBytes(StandardCharsets.UTF_8);
    SynchronousQueue<Integer> rounds = new SynchronousQueue<>();
    SynchronousQueue<Integer> written = new SynchronousQueue<>();
    Thread tool = Thread.ofPlatform().daemon().start(() -> {
      for (int round = take(rounds); round > 0; round = take(rounds)) {
        for (int spin = 0; spin < round % 200 * 10; spin++) {
          Thread.onSpinWait();
        }
        Tools.write(file, theirs);
        put(written, round);
      }
    });
    int putBack = 0;
    int round = 0;
    // Until both orders have occurred; on one free processor that may take a while.
    while (round < CLOSE_ROUNDS || ((putBack == 0 || putBack == round) && round < MOST_CLOSE_ROUNDS)) {
      round++;
      Tools.write(file, judged);
      put(rounds, round);
      putBack += place.remove(bytes) ? 0 : 1;
      assertThat(take(written)).isEqualTo(round);
      assertThat(file).as("round " + round).hasContent(theirs);
    }
    put(rounds, 0);
    tool.join();
    assertThat(putBack).isBetween(1, round - 1);
    assertThat(Tools.list(directory)).containsExactly(".exclusive-lock");
  }

  private static int take(SynchronousQueue<Integer> queue) {
    try {
      return queue.take();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void put(SynchronousQueue<Integer> queue, int round) {
    try {
      queue.put(round);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
