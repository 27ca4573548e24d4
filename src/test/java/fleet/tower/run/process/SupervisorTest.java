package fleet.tower.run.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.JavaProcess;
import fleet.tower.harness.ProofsProfile;

@DisplayName("An executor is killed")
class SupervisorTest {
  /** In a shell, waits until the last background process has left its group and sleeps. */
  private static final String UNTIL_IT_SLEEPS = "until grep -qx sleep /proc/$!/comm; do :; done";

  @TempDir
  private Path home = Path.of("not-yet");

  /** The other executor and its input. */
  private final class Executor implements AutoCloseable {
    private final Process process;
    private final BufferedReader answers;
    private final Writer orders;
    private final Queue<String> exits = new ArrayDeque<>();

    Executor() throws IOException {
      process = new ProcessBuilder(JavaProcess.command(ExecutorMain.class, home.toString())).redirectErrorStream(true)
          .start();
      answers = process.inputReader(StandardCharsets.UTF_8);
      orders = process.outputWriter(StandardCharsets.UTF_8);
    }

    /** The number of the supervisor. A short step may end, and its exit be printed, before that number. */
    long ask(String order) throws IOException {
      orders.write(order + "\n");
      orders.flush();
      String answer = answers.readLine();
      while (answer.startsWith("exit ")) {
        exits.add(answer);
        answer = answers.readLine();
      }
      return Long.parseLong(answer);
    }

    String exit() throws IOException {
      return exits.isEmpty() ? answers.readLine() : exits.remove();
    }

    void kill() {
      process.destroyForcibly();
    }

    @Override
    public void close() {
      Await.kill(process);
    }
  }

  private static String unlikely(int digit) {
    return "8" + digit + ProcessHandle.current().pid();
  }

  private static boolean isOfThisTest(ProcessHandle process) {
    return process.info().arguments()
        .filter(all -> IntStream.rangeClosed(1, 3).anyMatch(digit -> List.of(all).contains(unlikely(digit))))
        .isPresent();
  }

  /** The steps ignore TERM, so nothing else ends those that a failed test leaves behind. */
  @AfterEach
  void killSteps() {
    ProcessHandle.allProcesses().filter(SupervisorTest::isOfThisTest).forEach(ProcessHandle::destroyForcibly);
  }

  /** A group that ignores TERM, one whose environment was cleared, and one who left the session. */
  private static String tree(String time) {
    return "trap '' TERM; setsid sh -c 'trap \"\" TERM; sleep " + time + "; sleep " + time + "' & env -i sleep " + time
        + " & sleep " + time;
  }

  private static long count(String time) {
    return ProcessHandle.allProcesses()
        .filter(it -> it.info().arguments().filter(all -> List.of(all).contains(time)).isPresent()).count();
  }

  @Test
  @DisplayName("All processes of its steps end soon after, and so does the supervisor")
  @ProofsProfile
  void endsStepsOfTheKilled() throws IOException {
    String time = unlikely(1);
    String daemon = unlikely(2);
    try (Executor executor = new Executor()) {
      executor.ask("setsid sleep " + daemon + " & " + UNTIL_IT_SLEEPS);
      Steps.await(() -> count(daemon) == 1, "the daemon of a step that ends by itself");
      assertThat(executor.exit()).isEqualTo("exit Exited[code=0]");
      executor.ask(tree(time));
      long supervisor = executor.ask(tree(time));
      Steps.await(() -> count(time) == 6, "the steps' processes");

      executor.kill();

      Steps.await(() -> !Steps.lives("sleep\0" + time), "the end of the steps");
      Steps.await(() -> ProcessHandle.of(supervisor).isEmpty(), "the end of the supervisor");
      assertThat(count(daemon)).isEqualTo(1);
    }
  }

  @Test
  @DisplayName("A killed supervisor is replaced, and the new one gets the running groups")
  @ProofsProfile
  void replacesSupervisor() throws IOException {
    String time = unlikely(3);
    try (Executor executor = new Executor()) {
      long first = executor.ask(tree(time));
      Steps.await(() -> count(time) == 3, "the step's processes");
      ProcessHandle.of(first).ifPresent(ProcessHandle::destroyForcibly);
      Steps.await(() -> second(executor) != first, "another supervisor");

      executor.kill();

      Steps.await(() -> !Steps.lives("sleep\0" + time), "the end of the step");
    }
  }

  private static long second(Executor executor) {
    try {
      return executor.ask("supervisor?");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @DisplayName("When an executor without running steps exits normally, its supervisor exits too")
  void endsInOrder() throws IOException {
    try (Executor executor = new Executor()) {
      long supervisor = executor.ask("true");
      executor.orders.close();
      Steps.await(() -> ProcessHandle.of(supervisor).isEmpty(), "the end of the supervisor");
    }
  }
}
