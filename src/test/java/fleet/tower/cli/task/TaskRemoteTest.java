package fleet.tower.cli.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.service.config.TestService;
import fleet.tower.service.web.access.TestTokens;

class TaskRemoteTest {
  private static final String[] SESSION = {"task list", "task create one --id t1 --priority 3 --project web",
      "task create two --id t2 --depends-on t1 --assign ann --description all", "task create one --id t1",
      "task create three --depends-on nowhere", "task create four --id t4 --intent deploy -p app=web -p replicas=3",
      "task create five --intent deploi", "task create six --intent deploy -p app=WEB -p replicas=many",
      "task get t1", "task get t4", "task get nowhere", "task list --project web", "task list --status pending --ids",
      "task claim --project web --ttl 1h", "task start t1", "task start t2", "task start nowhere",
      "task heartbeat t1", "task heartbeat t1 --attempt 7", "task list --claimed-by ann", "task start t1 --attempt 1",
      "task resume --attempt 1", "task release t1", "task release t1", "task resume", "task gc",
      "task close t1 --outcome blocked --reason failure:weather", "task get t1", "task start t1 --ttl 1m",
      "task close t1 --outcome done --attempt 3", "task start t1", "task claim", "task close t2 --outcome done",
      "task events t1", "task events t1 --after 2 --limit 2", "task events nowhere", "task list --limit 1"};

  @Test
  @DisplayName("VB-16 through a service every task command prints exactly what it prints on the home's database")
  void sameWords(@TempDir Path directory) {
    TestHome here = new TestHome(directory.resolve("here"));
    declare(directory.resolve("here"));
    declare(directory.resolve("service"));
    try (TestService service = new TestService(directory.resolve("service"))) {
      TestHome elsewhere = new TestHome(directory.resolve("elsewhere")).with("TOWER_URL", service.url())
          .with("TOWER_TOKEN", service.token());
      for (int i = 0; i < SESSION.length; i++) {
        String line = SESSION[i] + (isChange(SESSION[i]) ? " --agent ann --request-id r" + i : "");
        Outcome local = here.tower(line);
        Outcome remote = elsewhere.tower(line);
        assertThat(remote.exit()).as(line).isEqualTo(local.exit());
        if (!isAboutIntents(line)) {
          assertThat(stable(remote)).as(line).isEqualTo(stable(local));
        }
        Outcome localJson = here.tower(line + " --json");
        Outcome remoteJson = elsewhere.tower(line + " --json");
        assertThat(remoteJson.exit()).as(line).isEqualTo(localJson.exit());
        if (localJson.out().contains("\"success\":true")) {
          assertThat(stable(remoteJson)).as(line).isEqualTo(stable(localJson));
        } else if (!isAboutIntents(line)) {
          assertThat(remoteJson.errorCode()).as(line).isEqualTo(localJson.errorCode());
          assertThat(remoteJson.context().members().keySet()).as(line)
              .containsAll(localJson.context().members().keySet());
        }
      }
    }
    assertThat(new TestHome(directory.resolve("elsewhere")).isUntouched()).isTrue();
  }

  @Test
  @DisplayName("A worker with a token for one project claims, renews and closes the tasks of that project alone")
  void limitedWorker(@TempDir Path directory) throws IOException {
    Path go = directory.resolve("go");
    Path served = directory.resolve("service");
    TestTokens.write(served, TestTokens.entry("lim", "agent", "tasks: [web]\n"));
    try (TestService service = new TestService(served)) {
      for (String project : List.of("shop", "web")) {
        service.post("/tasks", "{\"agent\":\"boss\",\"request_id\":\"" + project + "\",\"id\":\"" + project
            + "-1\",\"title\":\"T\",\"project\":\"" + project + "\"}");
      }
      TestHome elsewhere = new TestHome(directory.resolve("elsewhere")).with("TOWER_URL", service.url())
          .with("TOWER_TOKEN", TestTokens.tokenOf("lim"));

      CompletableFuture<Outcome> work = CompletableFuture.supplyAsync(() -> elsewhere.run("task", "work", "--agent",
          "ann", "--ttl", "6s", "--", "sh", "-c", "while [ ! -e '" + go + "' ]; do sleep 0.05; done"));
      Await.until("the claim is renewed",
          () -> service.get("/tasks/web-1/events").body().contains("task_heartbeat"));
      Files.createFile(go);

      assertThat(work.join().exit()).as(work.join().err()).isZero();
      assertThat(service.get("/tasks/web-1").body()).contains("\"status\":\"completed\"");
      assertThat(service.get("/tasks/shop-1").body()).contains("\"status\":\"pending\"");
    }
  }

  /** An invalid task for an intent is reported like an invalid run, in each place's own words. */
  private static boolean isAboutIntents(String line) {
    return line.contains("deploi") || line.contains("WEB");
  }

  private static boolean isChange(String line) {
    return !line.matches("task (list|get|events).*");
  }

  private static Outcome stable(Outcome outcome) {
    return new Outcome(outcome.exit(), outcome.out().replaceAll("\\d{4}-\\d\\d-\\d\\dT[0-9:]{8}Z", "TIME"),
        outcome.err().replaceAll("\\d{4}-\\d\\d-\\d\\dT[0-9:]{8}Z", "TIME"));
  }

  private static void declare(Path home) {
    TestService.declare(home, "deploy", """
        mode: mutate
        params:
          app: { type: string, required: true, pattern: "[a-z]+" }
          replicas: { type: integer, default: 2 }
        steps:
          - name: work
            run: [echo, "${params.app}"]
        """);
    try {
      Files.createDirectories(home);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
