package fleet.tower.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.harness.Await;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;

@DisplayName("Events of a run over HTTP")
class RunEventsTest extends SharedRunServiceTest {
  RunEventsTest() {
    super("--tower.heartbeat.max-interval=1s");
  }

  @Override
  void prepare(Path home) {
    TestService.declare(home, "beating", """
        mode: mutate
        controls: { lock: beating }
        timeouts: { lock_ttl: 300 }
        steps:
          - name: sleep
            run: [sleep, "60"]
            rollback: [echo, undone]
        """);
  }

  /** A client that reads one event after another, each as its lines joined by a bar. */
  private final class Listener implements AutoCloseable {
    private final BufferedReader lines;

    Listener(String path, String... headers) {
      try {
        var request = service.request(path).header("Authorization", "Bearer " + service.token());
        if (headers.length > 0) {
          request.headers(headers);
        }
        HttpResponse<InputStream> stream = service.client().send(request.build(), BodyHandlers.ofInputStream());
        assertThat(stream.statusCode()).isEqualTo(200);
        assertThat(stream.headers().firstValue("content-type").orElse("")).startsWith("text/event-stream");
        lines = new BufferedReader(new InputStreamReader(stream.body(), StandardCharsets.UTF_8));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      assertThat(next()).isEqualTo(": connected");
    }

    /** The next event, or empty at the end. */
    String next() {
      try {
        List<String> event = new ArrayList<>();
        for (String line = lines.readLine(); line != null && !line.isEmpty(); line = lines.readLine()) {
          event.add(line);
        }
        return String.join("|", event).replaceAll("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ", "TIME")
            .replaceAll("\"duration_ms\":\\d+", "\"duration_ms\":0");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    String nextButHeartbeats() {
      String event = next();
      while (event.startsWith("event: heartbeat")) {
        event = next();
      }
      return event;
    }

    @Override
    public void close() {
      try {
        lines.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static final String STARTED = "id: 0.s|event: step_started|data: "
      + "{\"step\":\"work\",\"kind\":\"step\",\"started_at\":\"TIME\"}";
  private static final String BEGUN = "id: 0.6|event: output|data: "
      + "{\"step\":\"work\",\"kind\":\"step\",\"text\":\"begun\"}";
  private static final String TOKEN = "id: 0.8|event: output|data: {\"step\":\"work\",\"kind\":\"step\",\"text\":\"1\"}";
  private static final String FINISHED = "id: 0.e|event: step_finished|data: "
      + "{\"step\":\"work\",\"kind\":\"step\",\"status\":\"succeeded\",\"exit_code\":0,\"duration_ms\":0}";

  @Test
  @DisplayName("Lines arrive while their step runs, and a reconnected client misses and repeats nothing")
  void live() throws Exception {
    CompletableFuture<Answer> run = bench.begin("live", "live-1");
    try (Listener listener = new Listener("/runs/live-1/events")) {
      assertThat(listener.nextButHeartbeats()).isEqualTo(STARTED);
      assertThat(listener.nextButHeartbeats()).isEqualTo(BEGUN);
      assertThat(run.isDone()).isFalse();
    }
    try (Listener again = new Listener("/runs/live-1/events", "Last-Event-ID", "0.6")) {
      bench.letGo("live");
      assertThat(again.nextButHeartbeats()).isEqualTo(TOKEN);
      assertThat(again.nextButHeartbeats()).isEqualTo(FINISHED);
      assertThat(again.nextButHeartbeats()).startsWith("id: end|event: run_finished|data: {\"request_id\":\"live-1\"")
          .contains("\"status\":\"succeeded\"", "\"output_tail\":\"begun\\n1\"");
      assertThat(again.next()).isEmpty();
    }
    assertThat(run.get().body()).contains("\"status\":\"succeeded\"");
    try (Listener late = new Listener("/runs/live-1/events?last_event_id=0.s")) {
      assertThat(late.nextButHeartbeats()).isEqualTo(BEGUN);
      assertThat(late.nextButHeartbeats()).isEqualTo(TOKEN);
      assertThat(late.nextButHeartbeats()).isEqualTo(FINISHED);
      assertThat(late.nextButHeartbeats()).startsWith("id: end|event: run_finished|");
      assertThat(late.next()).isEmpty();
    }
    assertThat(service.call("GET", "/runs/live-1/events", "", "Last-Event-ID", "end"))
        .returns(204, Answer::status).returns("", Answer::body);
  }

  @Test
  @DisplayName("A waiter gets its place in the queue, and a waiting run can be cancelled too")
  void places() throws Exception {
    CompletableFuture<Answer> holder = bench.begin("place", "place-1");
    String body = "{\"params\":{\"lock\":\"place\"},\"request_id\":\"place-2\",\"wait_seconds\":600}";
    assertThat(service.call("POST", "/intents/wait", body, "Content-Type", "application/json", "Prefer",
        "respond-async").status()).isEqualTo(202);
    Await.until("it waits", () -> service.get("/runs/place-2").body()
        .contains("\"waiting\":{\"lock_name\":\"place\",\"state\":\"held\",\"position\":1,"));
    assertThat(service.get("/runs/place-2").body()).contains("\"finished_at\":null,\"position\":1,");
    try (Listener listener = new Listener("/runs/place-2/events")) {
      assertThat(listener.next()).isEqualTo("event: run_waiting|data: {\"position\":1}");
      assertThat(service.post("/runs/place-2/cancel", "{}").status()).isEqualTo(202);
      assertThat(listener.next()).startsWith("id: end|event: run_finished|").contains("\"status\":\"cancelled\"");
    }
    assertThat(service.post("/intents/wait", body).body()).contains("\"status\":\"cancelled\"");
    bench.letGo("place");
    assertThat(holder.get().body()).contains("\"status\":\"succeeded\"");
    assertThat(bench.lines("begun-place")).containsExactly("place-1");
  }

  @Test
  @DisplayName("A run is cancelled: its step is ended, rolled back, its lock released; the answers are 202 and "
      + "then 409")
  void cancel() throws Exception {
    CompletableFuture<Answer> run = service.later("/intents/beating", "{\"request_id\":\"beat-1\"}");
    Await.until("it runs",
        () -> service.get("/runs/beat-1").body().contains("\"status\":\"running\",\"exit"));
    try (Listener listener = new Listener("/runs/beat-1/events")) {
      assertThat(listener.next()).startsWith("id: 0.s|event: step_started|");
      assertThat(listener.next()).isEqualTo("event: heartbeat|data: {\"at\":\"TIME\"}");
      Answer cancelled = service.post("/runs/beat-1/cancel", "");
      assertThat(cancelled.status()).isEqualTo(202);
      assertThat(cancelled.header("Location")).isEqualTo("/runs/beat-1");
      assertThat(listener.nextButHeartbeats()).isEqualTo("id: 0.e|event: step_finished|data: {\"step\":\"sleep\","
          + "\"kind\":\"step\",\"status\":\"cancelled\",\"exit_code\":143,\"duration_ms\":0}");
      assertThat(listener.nextButHeartbeats()).startsWith("id: 1.s|event: step_started|").contains("step_rollback");
      assertThat(listener.nextButHeartbeats()).startsWith("id: 1.7|event: output|").contains("undone");
      assertThat(listener.nextButHeartbeats()).startsWith("id: 1.e|event: step_finished|");
      assertThat(listener.nextButHeartbeats()).startsWith("id: end|event: run_finished|");
    }
    assertThat(run.get().status()).isEqualTo(200);
    assertThat(run.get().body()).contains("\"status\":\"cancelled\",\"result\":\"aborted\"");
    assertThat(service.get("/locks/beating").status()).isEqualTo(404);
    assertThat(service.post("/runs/beat-1/cancel", "{}")).returns(409, Answer::status).returns("""
        {"type":"about:blank","title":"Conflict","status":409,\
        "detail":"run beat-1 has finished, so there is nothing to cancel","error":"run_finished","request_id":"beat-1",\
        "suggestion":"see how it ended","next_actions":[{"method":"GET","href":"/runs/beat-1",\
        "command":"tower runs beat-1","why":"see how it ended"}]}""", Answer::body);
  }
}
