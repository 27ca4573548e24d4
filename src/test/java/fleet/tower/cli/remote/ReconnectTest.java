package fleet.tower.cli.remote;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.FaultyProxy;
import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.service.config.TestService;

@DisplayName("A run through a service whose connection breaks")
class ReconnectTest {

  @Test
  @DisplayName("Its events resume after the last received one: no line is lost or printed twice")
  void takesUp(@TempDir Path directory) throws Exception {
    Path home = directory.resolve("service");
    TestService.declare(home, "lines", """
        mode: observe
        steps:
          - name: print
            script: |
              echo line 1; echo line 2; echo line 3
              until [ -e "$TOWER_HOME/go" ]; do sleep 0.05; done
              echo line 4; echo line 5; echo line 6
          - name: more
            run: [echo, line 7]
        """);
    try (TestService service = new TestService(home);
        FaultyProxy proxy = new FaultyProxy(service.url(), "line 3")) {
      TestHome client = new TestHome(directory.resolve("elsewhere")).with("TOWER_URL", proxy.url())
          .with("TOWER_TOKEN", service.token());
      CompletableFuture<Outcome> run = CompletableFuture.supplyAsync(() -> client.tower("run lines"));
      Await.until("the connection is cut", () -> proxy.hasCut() || run.isDone());
      Files.writeString(home.resolve("go"), "");

      Outcome outcome = run.get();
      assertThat(outcome.exit()).as(outcome.err()).isZero();
      assertThat(outcome.out()).isEqualTo("line 1\nline 2\nline 3\nline 4\nline 5\nline 6\nline 7\n");
      assertThat(outcome.err().lines().map(line -> line.replaceAll(" in \\S+$| req_\\w+", "")))
          .containsExactly("tower: step print started", "tower: step print succeeded", "tower: step more started",
              "tower: step more succeeded", "tower: run succeeded");
      assertThat(proxy.asked()).containsPattern("(?i)last-event-id: 0\\.21\r\n").containsOnlyOnce("Last-Event-ID");
    }
  }
}
