package fleet.tower.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.fleet.OneHost;
import fleet.tower.harness.Await;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.ServiceProcess;
import fleet.tower.harness.TestFiles;
import fleet.tower.harness.TestRelease;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;
import fleet.tower.service.web.access.TestTokens;
import tools.jackson.databind.JsonNode;

@DisplayName("An agent that knows only the list of tools and the next actions")
class ScriptedAgentTest {
  private static final String QUICK = "--tower.mcp.answer-within=1s";
  private static final String PATIENT = "--tower.mcp.answer-within=10m";
  private static final Map<String, String> SHOP = Map.of("app", "shop");

  private final MessageCheck check = new MessageCheck();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<McpCaller> callers = new ArrayList<>();
  private final Path directory;
  private final Path home;

  ScriptedAgentTest(@TempDir Path directory) {
    this.directory = directory;
    home = ClientIntents.declare(directory.resolve("home"));
    TestTokens.write(home, TestTokens.entry("ann", "agent", "") + TestTokens.entry("bea", "agent", "")
        + TestTokens.entry("cid", "agent", ""));
  }

  @AfterEach
  void close() {
    callers.forEach(McpCaller::close);
    threads.shutdownNow();
    assertThat(check.mistakes()).isEmpty();
  }

  private ScriptedAgent agent(String name, String url) throws IOException {
    return agent(name, caller(name, url), () -> {});
  }

  private ScriptedAgent agent(String name, McpCaller caller, Runnable reconnect) throws IOException {
    return new ScriptedAgent(name, caller, reconnect);
  }

  private McpCaller caller(String name, String url) {
    McpCaller caller = new McpCaller(url, TestTokens.tokenOf(name), check);
    callers.add(caller);
    return caller;
  }

  private CompletableFuture<JsonNode> solving(ScriptedAgent agent, String tool) {
    return CompletableFuture.supplyAsync(() -> agent.solve(tool, SHOP), threads);
  }

  private static void awaitWaiters(TestService service, int number, CompletableFuture<?> solving) {
    Await.until(number + " wait", () -> service.get("/locks/shop").body().contains("\"waiters\":" + number)
        || solving.isDone());
    assertThat(solving).as("%s", solving).isNotDone();
  }

  @Test
  @DisplayName("gets a lock that another run holds, and waits as the third in line for one that two others want")
  void blocked() throws Exception {
    try (TestService service = new TestService(home, QUICK)) {
      String url = service.url() + "/mcp";
      CompletableFuture<Answer> holder = service.later("/intents/migrate",
          "{\"params\":{\"app\":\"shop\"},\"request_id\":\"holder\"}");
      ClientIntents.awaitBegun(home, "shop", "holder");
      List<ScriptedAgent> agents = List.of(agent("bea", url), agent("cid", url), agent("ann", url));
      List<CompletableFuture<JsonNode>> solving = new ArrayList<>();
      for (ScriptedAgent agent : agents) {
        solving.add(solving(agent, "deploy"));
        awaitWaiters(service, solving.size(), solving.getLast());
      }

      ClientIntents.letGo(home, "shop");
      for (CompletableFuture<JsonNode> it : solving) {
        assertThat(it.get().path("outcome").asString()).isEqualTo("succeeded");
      }
      assertThat(holder.get().body()).contains("\"status\":\"succeeded\"");
      assertThat(agents.getLast().trail().getFirst()).isEqualTo("deploy refused lock_blocked");
      assertThat(TestFiles.text(home.resolve("deployed-shop")).lines().map(id -> id.substring(0, 3)))
          .containsExactly("bea", "cid", "ann");
    }
  }

  @Test
  @DisplayName("waits for the end of a freeze, and learns whom to ask")
  void frozen() throws Exception {
    try (TestService service = new TestService(home, QUICK)) {
      service.call("PUT", "/freezes/shop", "{\"reason\":\"release day\",\"ttl_seconds\":3600}", "Content-Type",
          "application/json");
      ScriptedAgent ann = agent("ann", service.url() + "/mcp");
      CompletableFuture<JsonNode> solving = solving(ann, "deploy");
      awaitWaiters(service, 1, solving);
      assertThat(ann.advice()).anyMatch(it -> it.contains("ask its owner to lift it"));

      service.call("DELETE", "/freezes/shop", "");
      assertThat(solving.get().path("outcome").asString()).isEqualTo("succeeded");
      assertThat(ann.trail().getFirst()).isEqualTo("deploy refused lock_frozen");
    }
  }

  @Test
  @DisplayName("corrects a parameter, and repeats a call whose answer is lost: it runs once")
  void parameterAndLostAnswer() throws Exception {
    try (TestService service = new TestService(home, PATIENT);
        McpProxy proxy = new McpProxy(check, new McpProxy.Server(service.url(), TestTokens.tokenOf("ann")))) {
      ScriptedAgent ann = agent("ann", proxy.url());
      assertThat(ann.solve("deploy", Map.of("app", "shop", "environment", "stagin")).path("outcome").asString())
          .isEqualTo("succeeded");
      assertThat(ann.trail()).hasSize(2).first().isEqualTo("deploy refused invalid_params");

      proxy.loseAnswerOf("ann-2");
      assertThat(ann.solve("deploy", Map.of("app", "blog")).path("outcome").asString()).isEqualTo("succeeded");
      assertThat(proxy.lost()).isEqualTo(1);
      assertThat(ann.trail()).contains("deploy lost");
      assertThat(TestFiles.text(home.resolve("deployed-blog"))).isEqualTo("ann-2\n");
    }
  }

  @OneHost("the test starts the services of one home itself")
  @Test
  @DisplayName("completes what a killed service left undone")
  @ProofsProfile
  void killed() throws Exception {
    List<Process> services = new ArrayList<>();
    try {
      McpCaller caller = caller("ann", serve(services) + "/mcp");
      ScriptedAgent ann = agent("ann", caller, () -> caller.moveTo(serve(services) + "/mcp"));
      CompletableFuture<JsonNode> solving = solving(ann, "sync");
      Await.until("it has begun", () -> !TestFiles.textIfAny(home.resolve("begun-shop")).isEmpty() || solving.isDone());
      services.getFirst().destroyForcibly().waitFor();
      awaitEndOfStep();
      Await.until("it has begun again",
          () -> TestFiles.text(home.resolve("begun-shop")).lines().count() == 2 || solving.isDone());
      ClientIntents.letGo(home, "shop");

      assertThat(solving.get(Await.LIMIT.toSeconds(), TimeUnit.SECONDS).path("outcome").asString())
          .isEqualTo("succeeded");
      assertThat(ann.trail()).contains("sync lost", "sync interrupted");
      assertThat(TestFiles.text(home.resolve("done-shop")).lines()).hasSize(1);
    } finally {
      services.forEach(Process::destroyForcibly);
    }
  }

  /** A step ends soon after its killed service. Until then, it could go on beside the next one. */
  private void awaitEndOfStep() {
    long pid = Long.parseLong(TestFiles.text(home.resolve("pids-shop")).lines().findFirst().orElseThrow());
    Await.until("the step has ended", () -> ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty());
  }

  private String serve(List<Process> services) {
    int number = services.size();
    Path out = directory.resolve("out" + number);
    Path err = directory.resolve("err" + number);
    ProcessBuilder builder = new ProcessBuilder(
        TestRelease.command("serve", List.of("-Xmx128m"), "serve", "--port", "0"));
    builder.environment().put("TOWER_HOME", home.toString());
    builder.environment().put("TOWER_LOCK_INSECURE_DIRECTORY", "true");
    try {
      services.add(builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return ServiceProcess.awaitReady(services.getLast(), out, err).group(1);
  }
}
