package fleet.tower.lock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.harness.Await;
import fleet.tower.harness.Installation;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;

@DisplayName("GET /locks/{name} lists the waiters of every kind, wherever they wait")
class LockQueueTest {
  @TempDir
  private Path directory = Path.of("not-yet");
  private final List<AutoCloseable> opened = new ArrayList<>();
  private final List<Process> waiting = new ArrayList<>();

  @AfterEach
  void stop() throws Exception {
    waiting.forEach(Await::kill);
    for (AutoCloseable one : opened) {
      one.close();
    }
  }

  private static List<JsonObject> queue(TestService service) throws Exception {
    Answer answer = service.get("/locks/prod");
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return JsonReader.readObject(answer.body()).objects("queue");
  }

  private static List<String> ids(TestService service) {
    try {
      return queue(service).stream().map(waiter -> waiter.text("request_id").orElse("?")).toList();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private Process lock(Installation tower, String id) throws Exception {
    Process process = tower.start(List.of(tower.launcher().toString(), "lock", "prod", "--wait", "10m",
        "--request-id", id, "--intent", "by-hand"), directory.resolve("out-" + id), directory.resolve("err-" + id));
    waiting.add(process);
    return process;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("Runs, tower lock --wait and waiting calls are listed in order of arrival with actor, intent and time; "
      + "one that is killed disappears; each run names those ahead of it")
  void order(boolean isFleet) throws Exception {
    Installation tower = new Installation(directory.resolve("release"));
    Path home = tower.home();
    String[] settings = {};
    if (isFleet) {
      String url = PostgresServer.newDatabase();
      tower.with("TOWER_DATABASE_URL", url).with("TOWER_HOST_ID", "tower-01");
      settings = new String[]{"--tower.database.url=" + url, "--tower.host-id=tower-02"};
      home = directory.resolve("other-host");
    }
    TestService.declare(home, "deploy", """
        mode: mutate
        controls: { lock: prod }
        steps:
          - { name: one, run: [echo, one] }
        """);
    TestService service = new TestService(home, settings);
    opened.add(service);
    assertThat(service.post("/locks/prod", "{\"request_id\":\"holder\"}").status()).isEqualTo(201);

    CompletableFuture<Answer> run = service.later("/intents/deploy", "{\"request_id\":\"run\",\"wait_seconds\":600}");
    Await.until("the run waits", () -> ids(service).equals(List.of("run")));
    Process killed = lock(tower, "killed");
    Await.until("the first process waits", () -> ids(service).equals(List.of("run", "killed")));
    Process process = lock(tower, "process");
    Await.until("the second process waits", () -> ids(service).equals(List.of("run", "killed", "process")));
    CompletableFuture<Answer> call = service.later("/locks/prod", "{\"request_id\":\"call\",\"wait_seconds\":600}",
        "X-Actor", "carol");
    Await.until("the call waits", () -> ids(service).equals(List.of("run", "killed", "process", "call")));
    CompletableFuture<Answer> last = service.later("/intents/deploy", "{\"request_id\":\"last\",\"wait_seconds\":600}");
    Await.until("the last run waits", () -> ids(service).size() == 5);

    String list = service.get("/locks/prod").body();
    assertThat(list).contains("\"waiters\":5");
    assertThat(list.replaceAll("\"since\":\"20[^\"]+Z\"", "\"since\":\"T\"")).endsWith("""
        "queue":[{"request_id":"run","actor":"operator","intent":"deploy","since":"T"},\
        {"request_id":"killed","actor":"alice","intent":"by-hand","since":"T"},\
        {"request_id":"process","actor":"alice","intent":"by-hand","since":"T"},\
        {"request_id":"call","actor":"operator","intent":"manual","since":"T"},\
        {"request_id":"last","actor":"operator","intent":"deploy","since":"T"}]}""");
    assertThat(service.get("/locks").body()).as("lists stay small").contains("\"waiters\":5").doesNotContain("queue");
    assertThat(service.get("/runs/last").body().replaceAll("\"since\":\"20[^\"]+Z\"", "\"since\":\"T\"")).contains("""
        "waiting":{"lock_name":"prod","state":"held","position":5,"ahead":[{"request_id":"run","actor":"operator",\
        "intent":"deploy","since":"T"},{"request_id":"killed",""", "\"held_by\":{\"request_id\":\"holder\"");

    killed.destroyForcibly();
    Await.until("the killed one is gone",
        () -> ids(service).equals(List.of("run", "process", "call", "last")));
    assertThat(service.get("/runs/last").body()).contains("\"state\":\"held\",\"position\":4,");

    service.call("DELETE", "/locks/prod?request_id=holder", "");
    assertThat(run.join().body()).contains("\"status\":\"succeeded\"");
    assertThat(Await.exitOf(process)).isZero();
    assertThat(ids(service)).containsExactly("call", "last");
    service.call("DELETE", "/locks/prod?request_id=process", "");
    assertThat(call.join().status()).isEqualTo(201);
    service.call("DELETE", "/locks/prod?request_id=call", "");
    assertThat(last.join().body()).contains("\"status\":\"succeeded\"").doesNotContain("\"waiting\":{");
    assertThat(service.get("/locks/prod").status()).isEqualTo(404);
  }
}
