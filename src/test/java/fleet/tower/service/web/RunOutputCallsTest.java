package fleet.tower.service.web;

import static fleet.tower.service.web.access.TestTokens.tokenOf;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.fleet.OneHost;
import fleet.tower.harness.Await;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestFiles;
import fleet.tower.lease.RequestId;
import fleet.tower.operation.RandomOutput;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.text.OutputText;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.submit.Runs;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;
import fleet.tower.service.web.access.TestTokens;

@DisplayName("The output of runs over HTTP, real files")
class RunOutputCallsTest extends SharedRunServiceTest {
  @Override
  void prepare(Path home) {
    TestTokens.write(home, TestTokens.entry("eve", "viewer", "") + TestTokens.entry("mia", "viewer", ""));
    TestService.makeHome(home);
    TestService.declare(home, "show", """
        mode: observe
        params:
          text: { type: string, required: true }
        steps:
          - name: print
            script: cat "$TOWER_HOME/text-$PARAM_TEXT"
          - name: script
            script: printf hello
        """);
  }

  private Path logs() {
    return service.home().resolve("logs/runs");
  }

  private void run(String intent, String id, String params) {
    assertThat(service.post("/intents/" + intent, "{\"request_id\":\"" + id + "\",\"params\":" + params + "}").status())
        .isEqualTo(200);
  }

  /** A finished run whose first step, {@code print}, has this output. */
  private void printed(String id, byte[] bytes) {
    try {
      Files.write(service.home().resolve("text-" + id), bytes);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    run("show", id, "{\"text\":\"" + id + "\"}");
  }

  private JsonObject read(String path) {
    Answer answer = service.get(path);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    try {
      return JsonReader.readObject(answer.body());
    } catch (JsonException e) {
      throw new AssertionError(e);
    }
  }

  private static long number(JsonObject json, String member) {
    return json.integer(member).orElseThrow();
  }

  @Test
  @DisplayName("A window shows the output of the step that started last, or of the named one, also in a rollback")
  void steps() {
    run("fail", "steps-1", "{}");

    assertThat(service.get("/runs/steps-1/output").body()).isEqualTo("{\"request_id\":\"steps-1\","
        + "\"step\":\"good.rollback\",\"size\":7,\"offset\":0,\"next\":7,\"finished\":true,"
        + "\"lines\":[{\"offset\":0,\"text\":\"undone\"}]}");
    assertThat(service.get("/runs/steps-1/output?step=bad").body()).contains("\"step\":\"bad\",\"size\":6",
        "\"lines\":[{\"offset\":0,\"text\":\"oh no\"}]");
    assertThat(service.get("/runs/steps-1/output?step=never").body()).isEqualTo("{\"request_id\":\"steps-1\","
        + "\"step\":\"never\",\"size\":0,\"offset\":0,\"next\":0,\"finished\":true,\"lines\":[],"
        + "\"note\":\"step never has not begun; the run is failed\"}");
    assertThat(service.get("/runs/steps-1").body()).contains("\"log\":\"good\",\"output_tail\":\"done\"",
        "\"log\":\"good.rollback\",\"output_tail\":\"undone\"");
    assertThat(service.get("/runs/steps-1/output/search?step=good&q=ON").body()).isEqualTo(
        "{\"request_id\":\"steps-1\",\"step\":\"good\",\"q\":\"ON\",\"size\":5,\"matches\":[{\"offset\":0,"
            + "\"text\":\"done\"}],\"next\":null}");
    assertThat(service.get("/runs/steps-1/output/search?step=good&q=ON&case=true").body()).contains("\"matches\":[]");
  }

  @Test
  @DisplayName("Windows forward, backward and from the end show every line once, and together the text of the file")
  void everyLineOnce() {
    for (int seed = 0; seed < 8; seed++) {
      Random random = new Random(seed);
      byte[] bytes = RandomOutput.of(random, 1 + random.nextInt(80));
      String id = "random-" + seed;
      printed(id, bytes);
      String path = "/runs/" + id + "/output?step=print&lines=";

      List<String> forward = new ArrayList<>();
      long next = 0;
      while (next < bytes.length) {
        JsonObject window = read(path + (1 + random.nextInt(60)) + "&offset=" + next);
        assertThat(number(window, "offset")).isEqualTo(next);
        assertThat(number(window, "next")).isGreaterThan(next);
        next = number(window, "next");
        forward.addAll(lines(window));
      }
      assertThat(next).isEqualTo(bytes.length);
      String printable = OutputText.printable(new String(bytes, UTF_8));
      boolean isEnded = bytes.length == 0 || bytes[bytes.length - 1] == '\n';
      assertThat(text(forward).equals(isEnded ? printable : printable + "\n")).as("text of seed " + seed).isTrue();

      List<String> backward = new ArrayList<>();
      long before = bytes.length;
      while (before > 0) {
        JsonObject window = read(path + (1 + random.nextInt(60)) + "&before=" + before);
        assertThat(number(window, "next")).isEqualTo(before);
        before = number(window, "offset");
        backward.addAll(0, lines(window));
      }
      assertThat(backward).isEqualTo(forward);

      for (int distance : new int[]{1, 100, 20_000, 10_000_000}) {
        List<String> end = lines(read(path + "2000&offset=-" + distance));
        assertThat(end).isNotEmpty();
        assertThat(forward).containsSubsequence(end);
      }
      assertThat(lines(read(path + "1&offset=-1")).getFirst()).isEqualTo(forward.getLast());
      assertThat(lines(read(path + "1&offset=-10000000")).getFirst()).isEqualTo(forward.getFirst());
    }
  }

  private static List<String> lines(JsonObject window) {
    return window.objects("lines").stream().map(JsonObject::raw).toList();
  }

  private static String text(List<String> lines) {
    StringBuilder text = new StringBuilder();
    for (String line : lines) {
      try {
        JsonObject json = JsonReader.readObject(line);
        text.append(json.text("text").orElseThrow()).append(line.contains("\"cut\":true") ? "" : "\n");
      } catch (JsonException e) {
        throw new AssertionError(e);
      }
    }
    return text.toString();
  }

  /** The log of a run that waits for the test, once it has the first line. */
  private Path begun(String id) {
    Path log = logs().resolve(id).resolve("work.log");
    Await.until("its first line is kept", () -> TestFiles.textIfAny(log).equals("begun\n"));
    return log;
  }

  @OneHost("the test changes files of logs")
  @Test
  @DisplayName("While a step prints, its last line is open and read again; at the end nothing is open")
  void growing() throws Exception {
    CompletableFuture<Answer> run = bench.begin("grow", "grow-1");
    Path log = begun("grow-1");
    assertThat(service.get("/runs/grow-1/output").body()).contains("\"size\":6,\"offset\":0,\"next\":6,"
        + "\"finished\":false,\"lines\":[{\"offset\":0,\"text\":\"begun\"}]}");
    Files.write(log, "half \u001b[31mre\u00fc".getBytes(UTF_8), StandardOpenOption.APPEND);
    assertThat(service.get("/runs/grow-1/output?offset=6").body()).contains("\"size\":20,\"offset\":6,\"next\":6,"
        + "\"finished\":false,\"lines\":[{\"offset\":6,\"text\":\"half reü\",\"open\":true}]}");
    Files.write(log, new byte[]{(byte) 0xe2, (byte) 0x82}, StandardOpenOption.APPEND);
    assertThat(service.get("/runs/grow-1/output?offset=22").body()).contains("\"text\":\"half reü\",\"open\":true");
    bench.letGo("grow");
    assertThat(run.get().status()).isEqualTo(200);
    assertThat(service.get("/runs/grow-1/output?offset=6").body())
        .contains("\"finished\":true,\"lines\":[{\"offset\":6,")
        .doesNotContain("open");
  }

  @Test
  @DisplayName("A run that waits has no output yet, and the window says so")
  void waiting() throws Exception {
    CompletableFuture<Answer> holder = bench.begin("dry", "dry-1");
    assertThat(service.call("POST", "/intents/wait",
        "{\"params\":{\"lock\":\"dry\"},\"request_id\":\"dry-2\",\"wait_seconds\":600}", "Content-Type",
        "application/json", "Prefer", "respond-async").status()).isEqualTo(202);
    assertThat(service.get("/runs/dry-2/output").body()).isEqualTo("{\"request_id\":\"dry-2\",\"step\":null,\"size\":0,"
        + "\"offset\":0,\"next\":0,\"finished\":false,\"lines\":[],\"note\":\"no step has begun; the run is waiting\"}");
    assertThat(service.get("/runs/dry-2/output/search?q=x").body()).contains("\"matches\":[],\"next\":null,\"note\":");
    assertThat(service.get("/runs/dry-2/output/download")).returns(200, Answer::status).returns("", Answer::body);
    assertThat(service.post("/runs/dry-2/cancel", "{}").status()).isEqualTo(202);
    bench.letGo("dry");
    assertThat(holder.get().status()).isEqualTo(200);
  }

  @Test
  @DisplayName("Bad input is refused with the nearest valid form")
  void badInput() {
    run("fail", "bad-1", "{}");
    assertProblem("/runs/bad-1/output?step=god", "the run has no step 'god'", "did you mean good?");
    assertProblem("/runs/bad-1/output?step=good.rolback", "the run has no step 'good.rolback'",
        "did you mean good.rollback?");
    assertProblem("/runs/bad-1/output/download?step=../x", "the run has no step '../x'",
        "use one of good, bad, never, good.rollback");
    assertProblem("/runs/bad-1/output?step=bad&offset=7",
        "'offset' 7 is beyond the end of the output, which has 6 bytes",
        "use a position from 0 to 6");
    assertProblem("/runs/bad-1/output?step=bad&before=7", "'before' 7 is beyond the end of the output", "from 0 to 6");
    assertProblem("/runs/bad-1/output/search?step=bad&q=x&offset=7", "'offset' 7 is beyond the end", "from 0 to 6");
    assertProblem("/runs/bad-1/output?before=1&offset=0", "'offset' and 'before' exclude each other", "give 'offset'");
    assertProblem("/runs/bad-1/output?before=-1", "'before' must be a whole number from 0 on", "correct the value");
    assertProblem("/runs/bad-1/output?offset=many", "negative from the end", "correct the value");
    assertProblem("/runs/bad-1/output?lines=2001", "'lines' must be a whole number from 1 to 2000",
        "correct the value");
    assertProblem("/runs/bad-1/output/search", "the parameter 'q' is missing", "?q=");
    assertProblem("/runs/bad-1/output/search?q=a%0Ab", "'q' must be text of at most 1000 characters on one line", "");
    assertProblem("/runs/bad-1/output/search?q=a&case=yes", "'case' must be true or false", "correct the value");
    assertProblem("/runs/bad-1/output/search?query=a", "there is no parameter 'query'",
        "use one of step, q, case, offset, limit");
    assertProblem("/runs/bad-1/events?output=size", "'output' must be lines or sizes", "did you mean sizes?");
    assertThat(service.get("/runs/none/output")).returns(404, Answer::status)
        .satisfies(it -> assertThat(it.body()).contains("run_not_found"));
    assertThat(service.get("/runs/bad-1/output?step=bad&offset=6").body())
        .contains("\"offset\":6,\"next\":6,\"finished\":true,\"lines\":[]}");
  }

  private void assertProblem(String path, String detail, String suggestion) {
    Answer answer = service.get(path);
    assertThat(answer.status()).as(path).isEqualTo(400);
    assertThat(answer.body()).contains("\"error\":\"invalid_request\"", detail, suggestion);
  }

  @Test
  @DisplayName("A viewer may read output; HEAD has the headers of GET, and a download the unchanged bytes")
  void download() throws Exception {
    byte[] bytes = RandomOutput.of(new Random(7), 60);
    printed("down:1", bytes);
    HttpResponse<byte[]> all = service.client().send(service.request("/runs/down:1/output/download")
        .header("Authorization", "Bearer " + tokenOf("eve")).build(), BodyHandlers.ofByteArray());
    assertThat(all.statusCode()).isEqualTo(200);
    String shown = new String(all.body(), ISO_8859_1);
    String stored = new String(bytes, ISO_8859_1);
    assertThat(shown).isEqualTo("== print ==\n" + stored + (stored.endsWith("\n") ? "" : "\n") + "== script ==\nhello");
    assertThat(all.headers().firstValue("content-type")).contains("text/plain;charset=UTF-8");
    assertThat(all.headers().firstValue("content-disposition")).contains("attachment; filename=\"down_1.log\"");
    assertThat(all.headers().firstValueAsLong("content-length")).hasValue(all.body().length);

    Answer one = service.callAs(tokenOf("eve"), "GET", "/runs/down:1/output/download?step=script", "");
    assertThat(one.body()).isEqualTo("hello");
    assertThat(one.header("Content-Disposition")).isEqualTo("attachment; filename=\"down_1-script.log\"");
    for (String path : List.of("/output", "/output/search?q=x", "/output/download")) {
      Answer head = service.callAs(tokenOf("eve"), "HEAD", "/runs/down:1" + path, "");
      assertThat(head).returns(200, Answer::status).returns("", Answer::body);
      assertThat(head.header("Content-Length"))
          .isEqualTo(service.callAs(tokenOf("eve"), "GET", "/runs/down:1" + path, "").header("Content-Length"));
    }
  }

  @OneHost("the test changes files of logs")
  @Test
  @DisplayName("A client may disconnect in the middle of a download; the service continues, and its slot is free again")
  void cutOff() throws Exception {
    printed("left-1", new byte[64 * 1024 * 1024]);
    for (int i = 0; i < 3; i++) {
      HttpResponse<InputStream> download = service.client().send(service.request("/runs/left-1/output/download")
          .header("Authorization", "Bearer " + service.token()).build(), BodyHandlers.ofInputStream());
      try (InputStream body = download.body()) {
        assertThat(body.readNBytes(100_000)).hasSize(100_000);
      }
    }
    Files.delete(logs().resolve("left-1/print.log"));
    assertThat(service.get("/runs/left-1/output/download?step=script").body()).isEqualTo("hello");
    assertThat(service.printed()).noneMatch(line -> line.contains("Exception"));
  }

  @OneHost("the test changes files of logs")
  @Test
  @DisplayName("A download whose file is removed in the middle is aborted, so that it does not look complete")
  void removed() throws Exception {
    printed("gone-1", new byte[64 * 1024 * 1024]);
    HttpResponse<InputStream> download = service.client()
        .send(service.request("/runs/gone-1/output/download?step=print")
            .header("Authorization", "Bearer " + service.token()).build(), BodyHandlers.ofInputStream());
    Files.delete(logs().resolve("gone-1/print.log"));
    try (InputStream body = download.body()) {
      assertThatIOException().isThrownBy(body::readAllBytes);
    }
  }

  @Test
  @DisplayName("A download is aborted when its token is revoked")
  @ProofsProfile
  void revoked() throws Exception {
    printed("revoked-1", new byte[64 * 1024 * 1024]);
    HttpResponse<InputStream> download = service.client().send(service.request("/runs/revoked-1/output/download")
        .header("Authorization", "Bearer " + tokenOf("mia")).build(), BodyHandlers.ofInputStream());
    TestTokens.write(service.home(), TestTokens.entry("eve", "viewer", ""));
    Await.until("the token is revoked", () -> service.callAs(tokenOf("mia"), "GET", "/me", "").status() == 401);
    try (InputStream body = download.body()) {
      Await.until("the download is cut off", () -> isCut(body));
    }
  }

  /**
   * Reads a little: another host may learn of a revocation a second later, and must not have sent everything by then.
   */
  private static boolean isCut(InputStream body) {
    try {
      assertThat(body.readNBytes(8192)).as("part of the download").hasSize(8192);
      return false;
    } catch (IOException cut) {
      return true;
    }
  }

  @Test
  @DisplayName("Secrets are masked in windows and downloads, and a search does not find them")
  void secrets() {
    run("vault", "vault-1", "{\"key\":\"hush-hush-hush\"}");
    assertThat(service.get("/runs/vault-1/output").body()).contains("\"text\":\"the key is ***\"");
    assertThat(service.get("/runs/vault-1/output/download").body()).isEqualTo("== use ==\nthe key is ***\n");
    assertThat(service.get("/runs/vault-1/output/search?q=hush-hush").body()).contains("\"matches\":[],\"next\":null");
    assertThat(service.get("/runs/vault-1/output/search?q=key%20is").body()).contains("\"matches\":[{\"offset\":0");
  }

  @Test
  @DisplayName("A search continues by `next` until it has found every line")
  void search() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 5000; i++) {
      text.append("line ").append(i).append(i % 10 == 3 ? " \u001b[31mERR\u001b[0mOR Zażółć\n" : "\n");
    }
    printed("search-1", text.toString().getBytes(UTF_8));
    List<String> found = new ArrayList<>();
    String next = "0";
    int calls = 0;
    while (!next.isEmpty()) {
      JsonObject answer = read("/runs/search-1/output/search?step=print&limit=70&q="
          + URLEncoder.encode("error zażółć", UTF_8) + "&offset=" + next);
      found.addAll(answer.objects("matches").stream().map(match -> match.text("text").orElseThrow()).toList());
      next = answer.integer("next").isPresent() ? Long.toString(number(answer, "next")) : "";
      calls++;
    }
    assertThat(found).hasSize(500).startsWith("line 3 ERROR Zażółć", "line 13 ERROR Zażółć");
    assertThat(calls).isEqualTo(8);
  }

  @OneHost("the test changes files of logs")
  @Test
  @DisplayName("Output that another host has not stored is reported, never shown as empty; lost if its run was interrupted")
  void elsewhere() throws Exception {
    run("say", "other-1", "{}");
    change("other-1", "\"host_id\":\"tower-01\"", "\"host_id\":\"tower-02\"");
    assertThat(service.get("/runs/other-1/output").body()).as("this host has it, under its earlier name")
        .contains("hello").doesNotContain("note");
    Files.delete(logs().resolve("other-1/print.log"));
    Files.delete(logs().resolve("other-1/script.log"));
    String note = "output after byte 0 is not stored; host tower-02 executed the run";
    for (String path : List.of("/output", "/output/search?q=x")) {
      assertThat(service.get("/runs/other-1" + path).body()).endsWith("\"note\":\"" + note + "\"}")
          .doesNotContain("lost");
    }
    assertThat(service.get("/runs/other-1/output/download?step=print").body()).isEqualTo("[tower] " + note + "\n");
    assertThat(events("/runs/other-1/events?output=sizes")).containsSubsequence("step_started",
        "output_missing {\"step\":\"print\",\"kind\":\"step\",\"log\":\"print\",\"host_id\":\"tower-02\",\"note\":\""
            + note + "\"}",
        "step_finished", "run_finished");

    change("other-1", "\"status\":\"succeeded\"", "\"status\":\"interrupted\"");
    String lost = "host tower-02 was lost; its output after byte 0 was not stored";
    for (String path : List.of("/output", "/output/search?q=x")) {
      assertThat(service.get("/runs/other-1" + path).body())
          .endsWith("\"lost\":true,\"note\":\"" + lost + "\"}");
    }
    assertThat(service.get("/runs/other-1/output/download").body()).isEqualTo("== print ==\n[tower] " + lost
        + "\n== script ==\n[tower] " + lost + "\n");
    assertThat(service.get("/runs/other-1").body()).contains("\"output_tail\":\"[tower] " + lost + "\"");
  }

  /** Changes the stored document of a run. */
  private void change(String id, String from, String to) throws SQLException {
    try (var database = DriverManager.getConnection("jdbc:sqlite:" + service.home().resolve("state/tower.db"));
        var update = database.prepareStatement(
            "UPDATE runs SET document = replace(document, ?, ?) WHERE request_id = ?")) {
      update.setString(1, from);
      update.setString(2, to);
      update.setString(3, id);
      assertThat(update.executeUpdate()).isEqualTo(1);
    }
  }

  /** The kinds of events, with their data if they are about output. */
  private List<String> events(String path) {
    return service.get(path).body().lines().filter(line -> line.startsWith("event: ") || line.startsWith("data: "))
        .collect(Collectors.joining(" ")).transform(all -> List.of(all.substring(7).split(" event: ", -1))).stream()
        .map(event -> event.startsWith("output") ? event.replace(" data: ", " ") : event.replaceAll(" .*", ""))
        .toList();
  }

  @OneHost("the test changes files of logs")
  @Test
  @DisplayName("Events with sizes name the log and its last size, at most five a second for a step that prints much")
  void sizes() throws Exception {
    CompletableFuture<Answer> run = bench.begin("size", "size-1");
    CompletableFuture<HttpResponse<String>> stream = service.client().sendAsync(
        service.request("/runs/size-1/events?output=sizes").header("Authorization", "Bearer " + service.token())
            .build(),
        BodyHandlers.ofString());
    RunHandle handle = service.parts(Runs.class).values().iterator().next().find(new RequestId("size-1")).orElseThrow();
    Path log = begun("size-1");
    long begin = SystemTime.source().nanos();
    for (int i = 0; i < 300; i++) {
      Files.writeString(log, "x".repeat(100) + "\n", StandardOpenOption.APPEND);
      handle.wake();
    }
    bench.letGo("size");
    assertThat(run.get().status()).isEqualTo(200);
    List<String> sizes = stream.get().body().lines().filter(line -> line.contains("\"size\":")).toList();
    long last = Files.size(log);
    assertThat(last).isGreaterThan(30_300);
    assertThat(sizes.getLast()).isEqualTo("data: {\"step\":\"work\",\"kind\":\"step\",\"log\":\"work\",\"size\":" + last
        + "}");
    assertThat((double) sizes.size()).isLessThanOrEqualTo(2 + (SystemTime.source().nanos() - begin) / 200e6);
    assertThat(stream.get().body()).contains("id: 0." + last + "\nevent: output_size\n")
        .doesNotContain("event: output\n");
    assertThat(events("/runs/size-1/events?output=sizes")).containsExactly("step_started",
        "output_size {\"step\":\"work\",\"kind\":\"step\",\"log\":\"work\",\"size\":" + last + "}", "step_finished",
        "run_finished");
    assertThat(events("/runs/size-1/events?output=lines")).contains("step_started", "run_finished").doesNotContain(
        "output_size");
  }
}
