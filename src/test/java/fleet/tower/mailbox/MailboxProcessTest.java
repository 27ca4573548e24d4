package fleet.tower.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.harness.Await;
import fleet.tower.harness.Installation;
import fleet.tower.harness.ProcessThreads;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestHome;
import fleet.tower.service.config.TestService;

@DisplayName("tower mailbox in concurrent processes that are killed and interrupted")
class MailboxProcessTest {
  private final Installation tower;
  private final TestHome home;
  private final Path directory;

  MailboxProcessTest(@TempDir Path directory) {
    this.directory = directory;
    tower = new Installation(directory.resolve("release"));
    home = new TestHome(tower.home());
  }

  private Process start(String name, String... command) throws IOException {
    return tower.start(new ArrayList<>(Arrays.asList(command)), directory.resolve(name),
        directory.resolve(name + ".err"));
  }

  private String said(String name) {
    return TestHome.text(directory.resolve(name));
  }

  private String counts() {
    return home.tower("mailbox count jobs --json").data().raw().replaceAll(".*\"ready\"", "\"ready\"");
  }

  private static int end(Process process) throws InterruptedException {
    return Await.exitOf(process);
  }

  @Test
  @DisplayName("WI-16 WI-B6 two workers share ten messages, one is killed with its message: it is delivered "
      + "again, none twice at once, none lost")
  @ProofsProfile
  void race() throws Exception {
    for (int i = 0; i < 10; i++) {
      home.tower("mailbox send jobs m" + i + " --id m" + i);
    }
    String work = "while \"$0\" mailbox receive jobs --wait 5s --visibility %s >\"$1.now\"; do"
        + " read -r receipt body <\"$1.now\"; echo \"$body\"; %s;"
        + " \"$0\" mailbox ack jobs \"$receipt\" 2>/dev/null; done; echo end";
    Process doomed = start("doomed", "bash", "-c", work.formatted("3s", "sleep 600"), tower.launcher().toString(),
        directory.resolve("doomed").toString());
    // The other starts only now, because it may otherwise take all ten before this one has started.
    Await.until("the worker to be killed has a message", () -> said("doomed").contains("m"));
    Process worker = start("worker", "bash", "-c", work.formatted("1m", "true"), tower.launcher().toString(),
        directory.resolve("worker").toString());
    Await.until("the other has one too", () -> said("worker").contains("m"));
    List<ProcessHandle> children = doomed.descendants().toList();
    doomed.destroyForcibly();
    end(doomed);
    children.forEach(ProcessHandle::destroyForcibly);

    assertThat(end(worker)).isZero();

    String lost = said("doomed").strip();
    List<String> done = said("worker").lines().toList();
    assertThat(done).hasSize(11).endsWith("end").doesNotHaveDuplicates().contains(lost);
    assertThat(counts()).isEqualTo("\"ready\":0,\"leased\":0,\"delayed\":0,\"dead\":0}");
  }

  @ParameterizedTest
  @CsvSource({"files, INT, 130", "service, TERM, 143"})
  @DisplayName("WI-11 an interrupted wait reports it and leaves no message leased, on files and through a service")
  void interrupted(String place, String signal, int exit) throws Exception {
    try (TestService service = place.equals("service") ? new TestService(tower.home()) : null) {
      if (service != null) {
        tower.with("TOWER_URL", service.url()).with("TOWER_TOKEN", service.token());
      }
      Process waiting = start("waiting", tower.launcher().toString(), "mailbox", "receive", "jobs", "--wait", "10m");
      Await.until("it waits", () -> !waiting.isAlive() || isWaiting(waiting));
      assertThat(waiting.isAlive()).as(said("waiting.err")).isTrue();
      assertThat(tower.run(List.of("kill", "-" + signal, Long.toString(waiting.pid()))).exit()).isZero();

      assertThat(end(waiting)).isEqualTo(exit);

      assertThat(said("waiting")).isEmpty();
      assertThat(said("waiting.err")).endsWith("tower: waiting for a message in mailbox jobs was cancelled\n");
      home.tower("mailbox send jobs a");
      assertThat(counts()).isEqualTo("\"ready\":1,\"leased\":0,\"delayed\":0,\"dead\":0}");
    }
  }

  /** Its request has been sent, or its timer runs. */
  private static boolean isWaiting(Process process) {
    return ProcessThreads.names(process).stream()
        .anyMatch(name -> name.equals("tower-request") || name.equals("tower-timer"));
  }

  @Test
  @DisplayName("WI-16 WI-11 waiters that come and go by signals at any moment leave no message leased to a "
      + "process that has ended")
  @ProofsProfile
  void interruptedWhileMessagesCome() throws Exception {
    try (TestService service = new TestService(tower.home())) {
      tower.with("TOWER_URL", service.url()).with("TOWER_TOKEN", service.token());
      Map<String, String> got = new TreeMap<>();
      for (int round = 0; round < 4; round++) {
        String name = "round" + round;
        Process waiting = start(name, tower.launcher().toString(), "mailbox", "receive", "jobs", "--wait", "1m");
        Await.until("it waits", () -> !waiting.isAlive() || isWaiting(waiting));
        ProcessHandle handle = waiting.toHandle();
        Thread signal = Thread.startVirtualThread(handle::destroy);
        home.tower("mailbox send jobs m" + round + " --id m" + round);
        signal.join();
        end(waiting);
        said(name).lines().forEach(line -> got.put(line.split("/", 2)[0], line));
      }
      int leased = got.size();
      String expected = "\"ready\":" + (4 - leased) + ",\"leased\":" + leased + ",\"delayed\":0,\"dead\":0}";
      Await.until(expected, () -> counts().equals(expected));
    }
  }
}
