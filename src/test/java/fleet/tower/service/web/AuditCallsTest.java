package fleet.tower.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.fleet.OneHost;
import fleet.tower.harness.Await;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("The audit log over HTTP")
class AuditCallsTest {
  @AutoClose
  private TestService service;

  @BeforeAll
  void start(@TempDir Path home) {
    service = new TestService(home);
    for (String name : new String[]{"first", "second"}) {
      service.post("/locks/" + name, "{\"request_id\":\"r1\",\"ttl_seconds\":60}");
      service.call("DELETE", "/locks/" + name + "?request_id=r1&result=failure&failure_step=migrate", "");
      // A fleet's log orders the events of one second as they arrive from its hosts.
      Await.until("the events of " + name, () -> service.get("/audit?lock_name=" + name).body()
          .contains("\"of\":\"lock_released\""));
    }
  }

  private static String acquired(String name) {
    return "{\"event\":\"lock_acquired\",\"request_id\":\"r1\",\"timestamp\":\"TIME\",\"lock_name\":\"%s\",\"lock_path\":\"HOME/logs/locks/%s.lock\",\"ttl_seconds\":60}"
        .formatted(name, name);
  }

  private static String released(String name) {
    return "{\"event\":\"lock_released\",\"request_id\":\"r1\",\"timestamp\":\"TIME\",\"lock_name\":\"%s\",\"held_duration_seconds\":0,\"result\":\"failure\",\"failure_step\":\"migrate\"}"
        .formatted(name);
  }

  private static String actor(String of, String name) {
    return "{\"event\":\"lock_actor\",\"request_id\":\"r1\",\"timestamp\":\"TIME\",\"lock_name\":\"%s\",\"of\":\"%s\",\"actor\":\"operator\",\"door\":\"http\",\"intent\":\"manual\",\"host_id\":\"tower-01\",\"pid\":0}"
        .formatted(name, of);
  }

  private Answer events(String query) {
    Answer answer = service.get("/audit" + query);
    assertThat(answer.status()).isEqualTo(200);
    return answer;
  }

  private static String stable(Answer answer) {
    return answer.stable().replaceAll("\"held_duration_seconds\":\\d+", "\"held_duration_seconds\":0");
  }

  @Test
  @DisplayName("Events are returned oldest first, by lock, kind and request")
  void asked() {
    assertThat(stable(events("?lock_name=first")))
        .isEqualTo("{\"events\":[" + acquired("first") + "," + actor("lock_acquired", "first") + "," + released("first")
            + "," + actor("lock_released", "first") + "]}");
    assertThat(stable(events("?event=lock_released&request_id=r1")))
        .isEqualTo("{\"events\":[" + released("first") + "," + released("second") + "]}");
    assertThat(events("?request_id=r9").body()).isEqualTo("{\"events\":[]}");
  }

  @Test
  @DisplayName("An unknown event name is rejected, with the nearest one")
  void unknownEvent() {
    for (String path : new String[]{"/audit?event=lock_relased", "/audit/stream?event=lock_relased"}) {
      Answer answer = service.get(path);
      assertThat(answer.status()).isEqualTo(400);
      assertThat(answer.body()).contains("\"error\":\"invalid_request\"",
          "unknown event 'lock_relased'; did you mean lock_released?");
    }
  }

  @Test
  @DisplayName("A limit returns the newest events, oldest first")
  void newest() {
    assertThat(stable(events("?event=lock_released&limit=1")))
        .startsWith("{\"events\":[" + released("second") + "],\"next\":\"");
  }

  @Test
  @DisplayName("A time range includes its ends")
  void span() {
    String since = events("?lock_name=first&limit=1").body().replaceFirst(".*\"timestamp\":\"([^\"]*)\".*", "$1");

    assertThat(events("?lock_name=first&event=lock_released&since=" + since + "&until=" + since).stable())
        .contains("lock_released");
    assertThat(events("?lock_name=first&until=2020-01-01T00:00:00Z").body()).isEqualTo("{\"events\":[]}");
    assertThat(events("?lock_name=first&since=2999-01-01T00:00:00Z").body()).isEqualTo("{\"events\":[]}");
  }

  @ParameterizedTest
  @DisplayName("An invalid parameter is rejected by its name")
  @CsvSource(quoteCharacter = '`', value = {
      "since=yesterday, since, `'since' must be a UTC time like 2026-01-31T08:00:00Z, not 'yesterday'`",
      "limit=0, limit, `'limit' must be a whole number from 1 to 10000, not '0'`",
      "limit=ten, limit, `'limit' must be a whole number from 1 to 10000, not 'ten'`"})
  void misfit(String query, String name, String detail) {
    Answer refused = service.get("/audit?" + query);

    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.body()).isEqualTo("""
        {"type":"about:blank","title":"Bad Request","status":400,"detail":"%s","error":"invalid_request",\
        "suggestion":"correct the value or omit '%s'","member":"%s",\
        "next_actions":[{"method":"GET","href":"/audit","command":"tower audit","why":"see what is there"}]}"""
        .formatted(detail, name, name));
  }

  @OneHost("the places of the fleet's table are not those of files")
  @Test
  @DisplayName("A stream returns the requested events, then new ones, and does not delay a service's stop")
  void stream(@TempDir Path home) throws Exception {
    try (TestService other = new TestService(home)) {
      other.post("/locks/first", "{\"request_id\":\"r1\",\"ttl_seconds\":60}");
      HttpResponse<InputStream> stream = other.client().send(
          other.request("/audit/stream?since=2020-01-01T00:00:00Z&lock_name=first")
              .header("Authorization", "Bearer " + other.token()).build(),
          BodyHandlers.ofInputStream());
      assertThat(stream.statusCode()).isEqualTo(200);
      assertThat(stream.headers().firstValue("content-type").orElse("")).startsWith("text/event-stream");
      try (BufferedReader lines = new BufferedReader(new InputStreamReader(stream.body(), StandardCharsets.UTF_8))) {
        assertThat(lines.readLine()).isEqualTo(": connected");
        assertThat(lines.readLine()).isEmpty();
        assertThat(lines.readLine()).isEqualTo("id: -");
        assertThat(lines.readLine()).isEmpty();
        String id = lines.readLine();
        assertThat(id).matches("id: \\d{4}-\\d{2}-\\d{2}:\\d+");
        assertThat(lines.readLine()).startsWith("data: {\"event\":\"lock_acquired\",\"request_id\":\"r1\"")
            .endsWith("}");
        assertThat(lines.readLine()).isEmpty();
        String actorId = lines.readLine();
        assertThat(actorId).startsWith("id: ").isNotEqualTo(id);
        assertThat(lines.readLine()).startsWith("data: {\"event\":\"lock_actor\",\"request_id\":\"r1\"");
        assertThat(lines.readLine()).isEmpty();
        other.call("DELETE", "/locks/first?request_id=r1", "");
        assertThat(lines.readLine()).startsWith("id: ").isNotEqualTo(actorId);
        assertThat(lines.readLine()).startsWith("data: {\"event\":\"lock_released\",\"request_id\":\"r1\"");
        assertThat(lines.readLine()).isEmpty();
        assertThat(again(other, actorId.substring("id: ".length()))).startsWith("data: {\"event\":\"lock_released\"");
      }
    }
  }

  /** The first event of a resumed stream. */
  private static String again(TestService service, String id) throws Exception {
    HttpResponse<InputStream> stream = service.client().send(
        service.request("/audit/stream?lock_name=first").header("Authorization", "Bearer " + service.token())
            .header("Last-Event-ID", id).build(),
        BodyHandlers.ofInputStream());
    try (BufferedReader lines = new BufferedReader(new InputStreamReader(stream.body(), StandardCharsets.UTF_8))) {
      return lines.lines().filter(line -> line.startsWith("data: ")).findFirst().orElse("");
    }
  }
}
