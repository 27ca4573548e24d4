package fleet.tower.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.config.TestService.Answer;

@DisplayName("Invalid and unusual input to runs over HTTP")
class RunInputTest extends SharedRunServiceTest {
  private static final String JSON = "application/json";

  @AfterAll
  void nothingWasBegun() {
    try (Stream<Path> files = Files.list(service.home())) {
      assertThat(files.map(file -> file.getFileName().toString()).filter(name -> name.startsWith("order-"))).isEmpty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @DisplayName("An invalid or unknown member is rejected by its name")
  @CsvSource(quoteCharacter = '`', delimiter = '|', value = {
      "{\"parms\":{}} | parms | there is no member 'parms'",
      "{\"params\":[]} | params | 'params' must be an object, not a list",
      "{\"wait_seconds\":3601} | wait_seconds | 'wait_seconds' must be a whole number from 0 to 3600, not '3601'",
      "{\"wait_seconds\":-1} | wait_seconds | 'wait_seconds' must be a whole number from 0 to 3600, not '-1'",
      "{\"wait_seconds\":1.5} | wait_seconds | 'wait_seconds' must be a whole number from 0 to 3600, not '1.5'",
      "{\"force_lock\":1} | force_lock | 'force_lock' must be true or false, not '1'",
      "{\"request_id\":7} | request_id | 'request_id' must be a string, not '7'",
      "{\"metadata\":\"x\"} | metadata | 'metadata' must be an object, not a string"})
  void misfit(String body, String member, String detail) {
    for (String path : new String[]{"/intents/short", "/intents/short/plan"}) {
      Answer refused = service.post(path, body);
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.body()).contains("\"detail\":\"" + detail + "\",\"error\":\"invalid_request\"",
          "\"member\":\"" + member + "\"");
    }
  }

  @ParameterizedTest
  @DisplayName("An invalid request id is rejected, in the body and in the path")
  @ValueSource(strings = {"../x", "a b", "a\nb", "-a", "\u00e4"})
  void requestId(String id) {
    assertThat(service.post("/intents/short", "{\"request_id\":" + JsonWriter.quote(id) + "}"))
        .returns(400, Answer::status).extracting(Answer::body).asString().contains("invalid_request", "request id '");
    assertThat(service.post("/intents/short", "{\"request_id\":\"" + "a".repeat(10_000) + "\"}").status())
        .isEqualTo(400);
    assertThat(service.get("/runs/-x").body()).contains("invalid_request", "request id '-x'");
    assertThat(service.get("/runs/-x/events").status()).isEqualTo(400);
  }

  @ParameterizedTest
  @DisplayName("An idempotency key is 1 to 255 visible characters")
  @ValueSource(strings = {" ", "a b", "\"\"", "TOO LONG"})
  void key(String key) {
    String sent = key.equals("TOO LONG") ? "x".repeat(256) : key;
    assertThat(service.call("POST", "/intents/short", "{}", "Content-Type", JSON, "Idempotency-Key", sent))
        .returns(400, Answer::status).extracting(Answer::body).asString()
        .contains("\"error\":\"invalid_request\"", "\"member\":\"Idempotency-Key\"");
  }

  @ParameterizedTest
  @DisplayName("An invalid wait is rejected; unknown preferences are ignored")
  @ValueSource(strings = {"wait=3601", "wait=-1", "wait=x", "wait", "respond-async, wait=99999999999"})
  void preference(String prefer) {
    assertThat(service.call("POST", "/intents/short", "{}", "Content-Type", JSON, "Prefer", prefer))
        .returns(400, Answer::status).extracting(Answer::body).asString().contains("\"member\":\"Prefer\"");
    assertThat(
        service.call("POST", "/intents/say", "{}", "Content-Type", JSON, "Prefer", "handling=lenient, x").status())
        .isEqualTo(200);
  }

  @Test
  @DisplayName("A body that is too long, compressed, of another type or not JSON is rejected")
  void bodies() {
    assertThat(service.post("/intents/short", "{\"metadata\":{\"a\":\"" + "x".repeat(270_000) + "\"}}").status())
        .isEqualTo(413);
    assertThat(service.post("/intents/short", "{\"metadata\":{\"a\":\"" + "x".repeat(17_000) + "\"}}").body())
        .contains("metadata is 17008 bytes long; the limit is 16384 bytes");
    assertThat(service.post("/intents/short", "{\"metadata\":{\"fencing_token\":9}}").status()).isEqualTo(400);
    assertThat(service.call("POST", "/intents/short", "{}", "Content-Type", JSON, "Content-Encoding", "gzip").status())
        .isEqualTo(415);
    assertThat(service.call("POST", "/intents/short", "{}", "Content-Type", "text/plain").status()).isEqualTo(415);
    assertThat(service.post("/intents/short", "{\"params\":{\"lock\":\"a\",\"lock\":\"b\"}}").body())
        .contains("duplicate key");
    StringBuilder many = new StringBuilder("{\"params\":{\"p\":1");
    for (int i = 0; i < 100; i++) {
      many.append(",\"p").append(i).append("\":1");
    }
    assertThat(service.post("/intents/short", many.append("}}").toString()).body())
        .contains("'params' has 101 members", "invalid_request");
  }

  @ParameterizedTest
  @DisplayName("A value that looks like a command arrives unchanged, as an argument and in a script's environment")
  @ValueSource(strings = {"; rm -rf /", "$(id)", "`id`", "--help", "-n", "${params.text}",
      "a\tb \u00e4 \ud83d\ude80 '\"\\", "*",
      "%s%n"})
  void literally(String text) {
    Answer run = service.post("/intents/say", "{\"params\":{\"text\":" + JsonWriter.quote(text) + "}}");
    assertThat(run.status()).isEqualTo(200);
    String printed = "\"output_tail\":" + JsonWriter.quote(text);
    assertThat(run.body().split(java.util.regex.Pattern.quote(printed), -1)).hasSize(3);
  }

  @ParameterizedTest
  @DisplayName("The name of an intent is never a path")
  @ValueSource(strings = {"..%2f..%2fx", "%2e%2e", "short.yaml", "SHORT", "%00", "a%0ab"})
  void intentName(String name) {
    assertThat(service.post("/intents/" + name, "{}").status()).isIn(400, 404, 405);
  }
}
