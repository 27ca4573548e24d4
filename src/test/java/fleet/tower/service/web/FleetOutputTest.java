package fleet.tower.service.web;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestFiles;
import fleet.tower.harness.TestRelease;
import fleet.tower.home.Home;
import fleet.tower.home.Retention;
import fleet.tower.home.RunEngine;
import fleet.tower.lease.RequestId;
import fleet.tower.operation.RandomOutput;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.run.RunStore;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("The output of runs at every host of a fleet")
@ProofsProfile
class FleetOutputTest {
  private final String url = PostgresServer.newDatabase();
  private final DirectTables tables = new DirectTables(url);
  private final Path directory;
  private final TestRunService one;
  private final TestRunService two;

  FleetOutputTest(@TempDir Path directory) {
    this.directory = directory;
    one = bench("one", "tower-01");
    two = bench("two", "tower-02");
  }

  private TestRunService bench(String name, String host) {
    Path home = directory.resolve(name);
    declare(home);
    return new TestRunService(home, "--tower.database.url=" + url, "--tower.host-id=" + host);
  }

  /** Each step prints a file of the test, and then another when the test lets it. */
  private static void declare(Path home) {
    TestService.declare(home, "print", """
        mode: observe
        params:
          id: { type: string, required: true }
        steps:
          - name: first
            script: cat "$TOWER_HOME/$PARAM_ID-1"
          - name: second
            script: |
              cat "$TOWER_HOME/$PARAM_ID-2"
              until [ -e "$TOWER_HOME/$PARAM_ID-go" ]; do sleep 0.05; done
              cat "$TOWER_HOME/$PARAM_ID-3"
          - name: silent
            run: ["true"]
        """);
  }

  @AfterAll
  void close() {
    two.close();
    one.close();
  }

  private Path write(String home, String file, byte[] bytes) {
    try {
      return Files.write(directory.resolve(home).resolve(file), bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Begins a run on the first host. */
  private CompletableFuture<Answer> begin(String id, byte[] first, byte[] second, byte[] third) {
    write("one", id + "-1", first);
    write("one", id + "-2", second);
    write("one", id + "-3", third);
    return one.service.later("/intents/print", "{\"request_id\":\"" + id + "\",\"params\":{\"id\":\"" + id + "\"}}");
  }

  private void letGo(String id) {
    write("one", id + "-go", new byte[0]);
  }

  /** A stream of events that a test reads line by line. */
  private record Stream(InputStream body, BufferedReader reader) implements AutoCloseable {
    static Stream of(TestService service, String id, String last) throws Exception {
      HttpRequest.Builder request = service.request("/runs/" + id + "/events").header("Authorization",
          "Bearer " + service.token());
      HttpResponse<InputStream> response = service.client()
          .send((last.isEmpty() ? request : request.header("Last-Event-ID", last)).build(),
              BodyHandlers.ofInputStream());
      assertThat(response.statusCode()).isEqualTo(200);
      return new Stream(response.body(), new BufferedReader(new InputStreamReader(response.body(), UTF_8)));
    }

    /** The events with ids, up to one that ends with a text, or to the end of the stream. */
    List<String> until(String end) throws IOException {
      List<String> events = new ArrayList<>();
      String id = "";
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (line.startsWith("id: ")) {
          id = line.substring(4);
        } else if (line.startsWith("data: ") && !id.isEmpty()) {
          events.add(id + " " + line.substring(6));
          id = "";
          if (!end.isEmpty() && line.endsWith(end)) {
            return events;
          }
        }
      }
      return events;
    }

    @Override
    public void close() throws IOException {
      body.close();
    }
  }

  private static String lastId(List<String> events) {
    return events.getLast().substring(0, events.getLast().indexOf(' '));
  }

  @Test
  @DisplayName("Events are live at a host that does not execute the run, and resume at each host after those of the other")
  void live() throws Exception {
    CompletableFuture<Answer> run = begin("live-1", "a\nb\nc".getBytes(UTF_8), "d\ne\nhalf ".getBytes(UTF_8),
        "done\nlast".getBytes(UTF_8));
    Await.until("it is recorded", () -> two.service.get("/runs/live-1").status() == 200);
    List<String> there;
    try (Stream stream = Stream.of(two.service, "live-1", "")) {
      there = stream.until("\"text\":\"e\"}");
    }
    assertThat(run.isDone()).isFalse();
    List<String> rest;
    try (Stream stream = Stream.of(two.service, "live-1", lastId(there))) {
      letGo("live-1");
      rest = stream.until("");
    }
    assertThat(run.get().status()).isEqualTo(200);

    List<String> all;
    try (Stream stream = Stream.of(one.service, "live-1", "")) {
      all = stream.until("");
    }
    List<String> joined = new ArrayList<>(there);
    joined.addAll(rest);
    assertThat(joined).isEqualTo(all);
    assertThat(all).hasSize(14).contains("1.14 {\"step\":\"second\",\"kind\":\"step\",\"text\":\"half done\"}",
        "1.18 {\"step\":\"second\",\"kind\":\"step\",\"text\":\"last\"}");
    for (TestRunService host : List.of(one, two)) {
      try (Stream stream = Stream.of(host.service, "live-1", lastId(there))) {
        assertThat(stream.until("")).isEqualTo(rest);
      }
    }
  }

  @Test
  @DisplayName("Windows, searches, downloads and tails are the same bytes at both hosts, also when the first lost its files")
  void same() throws Exception {
    Random random = new Random(5);
    byte[] first = RandomOutput.of(random, 60);
    byte[] second = RandomOutput.of(random, 40);
    CompletableFuture<Answer> run = begin("same-1", first, second, second);
    letGo("same-1");
    assertThat(run.get().status()).isEqualTo(200);
    assertThat(Files.readAllBytes(logs("one", "same-1").resolve("first.log"))).isEqualTo(first);
    List<String> paths = List.of("", "/output?step=first", "/output?step=first&offset=-5000",
        "/output?step=second&before=" + second.length, "/output?step=second&offset=70000&lines=20", "/output",
        "/output/search?step=first&q=error", "/output/search?step=second&q=Text", "/output/download?step=first",
        "/output/download", "/events?output=sizes", "/events?output=lines");

    Map<String, String> here = answers(one, paths);
    assertThat(answers(two, paths)).isEqualTo(here);
    assertThat(new String(first, ISO_8859_1).equals(here.get("/output/download?step=first"))).isTrue();
    assertThat(here.get("/events?output=sizes")).doesNotContain("output_missing").contains(
        "\"log\":\"second\",\"size\":" + 2 * second.length + "}");

    for (String log : List.of("first", "second")) {
      Files.delete(logs("one", "same-1").resolve(log + ".log"));
    }
    assertThat(answers(one, paths)).isEqualTo(here);
  }

  private Path logs(String home, String id) {
    return directory.resolve(home).resolve("logs/runs").resolve(id);
  }

  private static Map<String, String> answers(TestRunService host, List<String> paths) throws Exception {
    Map<String, String> answers = new java.util.LinkedHashMap<>();
    for (String path : paths) {
      HttpResponse<byte[]> response = host.service.client().send(host.service.request("/runs/same-1" + path)
          .header("Authorization", "Bearer " + host.service.token()).build(), BodyHandlers.ofByteArray());
      assertThat(response.statusCode()).as(path).isEqualTo(200);
      answers.put(path, new String(response.body(), ISO_8859_1));
    }
    return answers;
  }

  @Test
  @DisplayName("What a killed host had stored is readable, the rest is reported as lost, and stored when it returns")
  void killed() throws Exception {
    Path home = directory.resolve("three");
    TestService.makeHome(home);
    declare(home);
    write("three", "kill-1-1", "first\n".getBytes(UTF_8));
    write("three", "kill-1-2", "begun\nhalf".getBytes(UTF_8));
    Map<String, String> environment = Map.of("TOWER_HOME", home.toString(), "TOWER_DATABASE_URL", url, "TOWER_HOST_ID",
        "tower-03", "TOWER_LOCK_INSECURE_DIRECTORY", "true");
    ProcessBuilder builder = new ProcessBuilder(TestRelease.command("intents", List.of("-Xmx96m"), "run",
        "print", "--param", "id=kill-1", "--request-id", "kill-1")).redirectErrorStream(true)
        .redirectOutput(directory.resolve("out").toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    Await.until("its output is stored", () -> !process.isAlive()
        || two.service.get("/runs/kill-1/output?step=second").body().contains("\"size\":10,"));
    assertThat(process.isAlive()).as(TestFiles.textIfAny(directory.resolve("out"))).isTrue();
    process.destroyForcibly().waitFor();
    Files.writeString(logs("three", "kill-1").resolve("second.log"), " lost\n", StandardOpenOption.APPEND);
    tables.change("UPDATE executors SET alive_until = seen_at, seen_at = seen_at - 120000 WHERE host_id = 'tower-03'");
    tables.change("UPDATE executors SET alive_until = seen_at WHERE host_id = 'tower-03'");

    String note = "host tower-03 was lost; its output after byte 10 was not stored";
    Await.until("it is interrupted",
        () -> two.service.get("/runs/kill-1").body().contains("\"status\":\"interrupted\""));
    for (TestRunService host : List.of(one, two)) {
      assertThat(host.service.get("/runs/kill-1/output").body()).isEqualTo("{\"request_id\":\"kill-1\","
          + "\"step\":\"second\",\"size\":10,\"offset\":0,\"next\":10,\"finished\":true,\"lines\":[{\"offset\":0,"
          + "\"text\":\"begun\"},{\"offset\":6,\"text\":\"half\"}],\"lost\":true,\"note\":\"" + note + "\"}");
      assertThat(host.service.get("/runs/kill-1/output?step=first").body()).contains("\"size\":6,")
          .doesNotContain("note");
      assertThat(host.service.get("/runs/kill-1/output/download").body())
          .isEqualTo("== first ==\nfirst\n== second ==\nbegun\nhalf\n[tower] " + note + "\n");
      assertThat(host.service.get("/runs/kill-1/events?output=sizes").body()).contains("event: output_missing\n"
          + "data: {\"step\":\"second\",\"kind\":\"step\",\"log\":\"second\",\"host_id\":\"tower-03\",\"lost\":true,"
          + "\"note\":\"" + note + "\"}\n");
      assertThat(host.service.get("/runs/kill-1").body())
          .contains("\"output_tail\":\"begun\\nhalf\\n[tower] " + note + "\"");
    }

    try (Home returned = new Home(home, environment, _ -> {}, Home.Listener.NONE)) {
      RunEngine engine = returned.runs().engine();
      assertThat(engine.output().copyRest()).isEqualTo(1);
      assertThat(engine.output().copyRest()).as("nothing is left").isZero();
      engine.close(Duration.ZERO);
    }
    assertThat(two.service.get("/runs/kill-1/output").body()).endsWith(
        "{\"offset\":6,\"text\":\"half lost\"}]}").contains("\"size\":16,");
    assertThat(two.service.get("/runs/kill-1/events").body()).doesNotContain("output_missing");
  }

  @Test
  @DisplayName("A run without output adds no row; retention removes the output of every host's runs")
  void retention() throws Exception {
    assertThat(one.service.post("/intents/short", "{\"request_id\":\"old-1\",\"params\":{\"lock\":\"old\"}}").status())
        .isEqualTo(200);
    assertThat(tables.look("SELECT 1 FROM run_output WHERE request_id = 'old-1'")).isEmpty();
    CompletableFuture<Answer> run = begin("old-2", "x".getBytes(UTF_8), "y".getBytes(UTF_8), "z".getBytes(UTF_8));
    letGo("old-2");
    assertThat(run.get().status()).isEqualTo(200);
    String rows = "SELECT step_log FROM run_output WHERE request_id = 'old-2' GROUP BY step_log ORDER BY 1";
    assertThat(tables.look(rows)).containsExactly("first", "second");

    tables.change("UPDATE runs SET created_at = 0, finished_at = 1 WHERE request_id LIKE 'old-%'");
    try (Home home = new Home(directory.resolve("two"), Map.of("TOWER_DATABASE_URL", url, "TOWER_HOST_ID", "tower-02"),
        _ -> {}, Home.Listener.NONE); RunStore records = home.upkeep().records()) {
      var _ = home.upkeep()
          .retention(records, new Retention.Limits(Duration.ofDays(90), 0, Duration.ZERO, Duration.ZERO))
          .expire(Duration.ZERO);
      assertThat(records.find(new RequestId("old-2"))).isEmpty();
    }
    assertThat(tables.look(rows)).isEmpty();
  }
}
