package fleet.tower.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestRelease;
import fleet.tower.service.call.overview.OverviewFollower;

@DisplayName("The overview of what other processes do")
@ProofsProfile
class OverviewProcessTest {
  private final Path home;
  private final TestRunService bench;
  private final List<ProcessHandle> processes = new ArrayList<>();

  OverviewProcessTest(@TempDir Path home) {
    this.home = home;
    bench = new TestRunService(home);
  }

  @AfterEach
  void stop() {
    processes.forEach(ProcessHandle::destroyForcibly);
    bench.letGo("theirs");
    bench.close();
  }

  private Process tower(String... arguments) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(TestRelease.command("intents", List.of("-Xmx96m"), arguments))
        .redirectErrorStream(true).redirectOutput(home.resolve("out-" + arguments[0]).toFile());
    builder.environment().putAll(Map.of("TOWER_HOME", home.toString(), "TOWER_LOCK_INSECURE_DIRECTORY", "true",
        "TOWER_HOST_ID", "tower-01", "TOWER_ACTOR", "carol"));
    Process process = builder.start();
    processes.add(process.toHandle());
    return process;
  }

  private void kill(Process process) throws Exception {
    process.descendants().forEach(processes::add);
    process.destroyForcibly().waitFor();
  }

  @Test
  @DisplayName("A guard's lock appears; once the guard is killed, its holder is gone")
  void guard() throws Exception {
    try (OverviewFollower client = new OverviewFollower(bench.service)) {
      Process guard = tower("guard", "guarded", "--ttl", "60s", "--", "sleep", "300");
      client.awaitRow("locks", "guarded", "\"actor\":\"carol\"");
      assertThat(client.row("locks", "guarded")).contains("\"state\":\"active\"").doesNotContain("\"holder\"");

      kill(guard);
      client.awaitRow("locks", "guarded", "\"holder\":\"gone\"");
      assertThat(bench.service.get("/overview").body()).contains("\"holder\":\"gone\"");

      bench.service.post("/locks/guarded/force-release", "{\"reason\":\"its holder is gone\"}");
      client.awaitNone("locks", "guarded");
    }
  }

  @Test
  @DisplayName("A command's run is shown from its record; once the command is killed, it is interrupted, not running")
  void run() throws Exception {
    try (OverviewFollower client = new OverviewFollower(bench.service)) {
      Process command = tower("run", "wait", "-p", "lock=theirs", "--request-id", "run-1");
      client.awaitRow("runs", "run-1", "\"step\":{\"name\":\"work\",\"index\":1,\"count\":1,");
      client.awaitRow("runs", "run-1", "\"last_heartbeat_at\":");
      assertThat(client.row("runs", "run-1")).contains("\"actor\":\"carol\"", "\"status\":\"running\"",
          "\"host_id\":\"tower-01\"");
      client.awaitRow("locks", "theirs", "\"request_id\":\"run-1\"");

      kill(command);
      client.awaitNone("runs", "run-1");
      client.awaitRow("interrupted", "run-1", "\"lock_name\":\"theirs\",\"finished_at\":");
      client.awaitRow("locks", "theirs", "\"holder\":\"gone\"");
      assertThat(client.events().getLast()).doesNotContain("\"status\":\"running\"");
      assertThat(Files.readString(home.resolve("out-run"))).doesNotContain("error");
    }
  }
}
