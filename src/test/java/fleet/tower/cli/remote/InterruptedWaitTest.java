package fleet.tower.cli.remote;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.harness.Await;
import fleet.tower.harness.FaultyProxy;
import fleet.tower.harness.Installation;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestHome;
import fleet.tower.service.config.TestService;

@DisplayName("An interrupted wait leaves no lock without an owner")
class InterruptedWaitTest {
  @TempDir
  Path directory;

  private Installation tower;
  @AutoClose
  private TestService service;
  private boolean onService;

  @BeforeEach
  void start() {
    tower = new Installation(directory.resolve("release"));
    service = new TestService(directory.resolve("service"));
  }

  private void useService() {
    onService = true;
    tower.with("TOWER_URL", service.url()).with("TOWER_TOKEN", service.token());
  }

  private Process waiting(String line) throws Exception {
    List<String> command = new ArrayList<>(List.of(tower.launcher().toString()));
    command.addAll(Arrays.asList(line.split(" ", -1)));
    Process process = tower.start(command, directory.resolve("out"), directory.resolve("err"));
    Await.until("it is in the queue", () -> isWaitedFor() || !process.isAlive());
    assertThat(process.isAlive()).as(TestHome.text(directory.resolve("err"))).isTrue();
    return process;
  }

  private boolean isWaitedFor() {
    return onService
        ? service.get("/locks/prod").body().contains("\"waiters\":1")
        : new TestHome(tower.home()).tower("why prod").out().contains("1 request is waiting");
  }

  private int interrupt(String signal, Process process) {
    assertThat(tower.run(List.of("bash", "-c", "kill -" + signal + " " + process.pid())).exit()).isZero();
    return Await.exitOf(process);
  }

  @ParameterizedTest
  @CsvSource({"guard prod --wait 10m -- touch started, INT, 130", "lock prod --wait 10m, TERM, 143"})
  @DisplayName("LK-20 LK-29 through a service the request is withdrawn at once, and the next waiter gets its turn")
  void atService(String line, String signal, int exit) throws Exception {
    useService();
    tower.tower("lock", "prod", "--request-id", "other");
    Process process = waiting(line);

    assertThat(interrupt(signal, process)).isEqualTo(exit);

    assertThat(isWaitedFor()).isFalse();
    assertThat(tower.tower("unlock", "prod", "--request-id", "other").exit()).isZero();
    assertThat(tower.tower("check", "prod").exit()).isEqualTo(3);
    assertThat(TestHome.text(directory.resolve("out"))).isEmpty();
    assertThat(tower.root().resolve("started")).doesNotExist();
  }

  @Test
  @DisplayName("LK-20 on files the ticket is removed before the process ends")
  void onFiles() throws Exception {
    tower.tower("lock", "prod", "--request-id", "other");
    Process process = waiting("lock prod --wait 10m");

    assertThat(interrupt("TERM", process)).isEqualTo(143);

    assertThat(TestHome.text(directory.resolve("err")))
        .endsWith("tower: the request for lock prod was withdrawn\n  repeat the request if the lock is still wanted\n");
    assertThat(tower.home().resolve("logs/locks/.queue")).isEmptyDirectory();
    assertThat(tower.tower("unlock", "prod", "--request-id", "other").exit()).isZero();
    assertThat(tower.tower("check", "prod").exit()).isEqualTo(3);
  }

  @Test
  @DisplayName("A service that no longer answers does not delay an interrupted client")
  @ProofsProfile
  void silentService() throws Exception {
    useService();
    tower.tower("lock", "prod", "--request-id", "other");
    try (var silent = new FaultyProxy(service.url(), "never said")) {
      tower.with("TOWER_URL", silent.url());
      Process process = waiting("guard prod --wait 10m -- touch started");
      silent.fallSilent();

      assertThat(interrupt("TERM", process)).isEqualTo(143);
      assertThat(Files.exists(tower.root().resolve("started"))).isFalse();
    }
  }
}
