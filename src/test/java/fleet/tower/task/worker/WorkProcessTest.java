package fleet.tower.task.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.harness.Await;
import fleet.tower.harness.Installation;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestFiles;
import fleet.tower.harness.TestHome;
import fleet.tower.service.config.TestService;

@DisplayName("tower task work in concurrent processes that are killed or stopped")
class WorkProcessTest {
  private final Installation tower;
  private final TestHome home;
  private final Path directory;
  private int count;

  WorkProcessTest(@TempDir Path directory) {
    this.directory = directory;
    tower = new Installation(directory.resolve("release"));
    home = new TestHome(tower.home()).with("TOWER_AGENT", "boss");
    TestService.declare(tower.home(), "hang", """
        mode: mutate
        controls: { lock: hang }
        steps:
          - name: hang
            script: echo $$ >"$TOWER_HOME/hanging"; sleep 600
            rollback: [touch, undone]
        """);
  }

  private Process worker(String agent, String... more) throws IOException {
    count++;
    List<String> command = new ArrayList<>(
        List.of(tower.launcher().toString(), "task", "work", "--agent", agent));
    command.addAll(List.of(more));
    return tower.start(command, directory.resolve("out" + count), directory.resolve("err" + count));
  }

  private void make(String id, String more) {
    assertThat(home.tower("task create " + id + " --id " + id + " --request-id make-" + id + more).exit()).isZero();
  }

  private void awaitFile(Path file, Process process) {
    Await.until(file + " is written", () -> TestFiles.textIfAny(file).endsWith("\n") || !process.isAlive());
    assertThat(process.isAlive()).as(TestHome.text(directory.resolve("err" + count))).isTrue();
  }

  private static boolean isAlive(Path pid) {
    return ProcessHandle.of(Long.parseLong(TestHome.text(pid).strip())).filter(ProcessHandle::isAlive).isPresent();
  }

  private static int end(Process process) throws InterruptedException {
    return Await.exitOf(process);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "--"})
  @DisplayName("VB-B1 a killed worker leaves its task in progress, and it is offered again when the claim expires")
  void killed(String kind) throws Exception {
    tower.with("TOWER_HEARTBEAT_MAX_INTERVAL", "1s");
    Path hanging = tower.home().resolve("hanging");
    make("t1", kind.isEmpty() ? " --intent hang" : "");
    Process first = kind.isEmpty()
        ? worker("ann", "--ttl", "8s")
        : worker("ann", "--ttl", "8s", "--", "sh", "-c", "echo $$ >" + hanging + "; sleep 600");
    awaitFile(hanging, first);
    first.destroyForcibly();
    end(first);
    assertThat(home.tower("task get t1 --json").data().text("claimed_by")).hasValue("ann");

    Process second = worker("bob", "--follow", "--once", "--ttl", "1m", "--", "true");
    assertThat(end(second)).isZero();
    assertThat(home.tower("task get t1 --json").data().raw()).contains("\"status\":\"completed\"", "\"attempt\":2");
    assertThat(home.tower("task events t1").out()).containsPattern("task_lost of ann \\(attempt 1\\) by bob");
    assertThat(home.audit()).anyMatch(line -> line.contains("\"event\":\"task_lost\"") && line.contains("\"ann\""));
    Await.until("the killed worker's run is ended", () -> !isAlive(hanging));
  }

  @Test
  @DisplayName("A stopped worker ends its run as tower run does, rolls it back, releases the task, and exits with 143")
  @ProofsProfile
  void terminatedIntent() throws Exception {
    make("t1", " --intent hang");
    make("t2", " --intent hang");
    Process process = worker("ann");
    awaitFile(tower.home().resolve("hanging"), process);

    process.destroy();

    assertThat(end(process)).isEqualTo(143);
    assertThat(home.tower("task list --status pending --ids").out()).isEqualTo("t1\nt2\n");
    assertThat(home.tower("task events t1").out()).containsPattern("task_released \\(attempt 1\\) by ann");
    assertThat(home.tower("task get t2 --json").data().integer("attempt")).hasValue(0);
    assertThat(home.tower("check hang").exit()).isEqualTo(3);
    assertThat(TestHome.text(directory.resolve("err1"))).contains("tower: task t1 released: stopped");
  }

  @Test
  @DisplayName("A stopped worker forwards the signal to its command, releases the task, and exits with 143")
  @ProofsProfile
  void terminatedCommand() throws Exception {
    make("t1", "");
    make("t2", "");
    Path hanging = directory.resolve("hanging");
    Process process = worker("ann", "--", "sh", "-c", "echo $$ >" + hanging + "; sleep 600");
    awaitFile(hanging, process);

    process.destroy();

    assertThat(end(process)).isEqualTo(143);
    assertThat(isAlive(hanging)).isFalse();
    assertThat(home.tower("task list --status pending --ids").out()).isEqualTo("t1\nt2\n");
  }

  @Test
  @DisplayName("Three concurrent workers do each of thirty tasks once")
  @ProofsProfile
  void race() throws Exception {
    for (int i = 0; i < 30; i++) {
      make("t" + i, "");
    }
    Path done = directory.resolve("done");
    List<Process> workers = List.of(worker("a", "--", "sh", "-c", "echo $TOWER_TASK_ID >>" + done),
        worker("b", "--", "sh", "-c", "echo $TOWER_TASK_ID >>" + done),
        worker("b", "--", "sh", "-c", "echo $TOWER_TASK_ID >>" + done));
    for (Process process : workers) {
      assertThat(end(process)).isZero();
    }
    assertThat(TestHome.text(done).lines()).hasSize(30).doesNotHaveDuplicates();
    assertThat(home.tower("task list --status completed --ids").out().lines()).hasSize(30);
  }
}
