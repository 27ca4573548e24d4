package fleet.tower.service.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;

@DisplayName("tower.log.format=ecs: one JSON object a line, with its subject")
class ServiceLogTest {
  private static List<JsonObject> lines(List<String> printed) {
    return printed.stream().map(line -> {
      try {
        return JsonReader.readObject(line);
      } catch (JsonException e) {
        throw new AssertionError(line, e);
      }
    }).toList();
  }

  /** A field of a line; ECS writes the dots of its name as objects. */
  private static Optional<String> text(JsonObject line, String field) {
    int dot = field.indexOf('.');
    if (dot > 0 && line.get(field.substring(0, dot)) instanceof JsonObject inner) {
      return text(inner, field.substring(dot + 1));
    }
    return line.text(field);
  }

  private static JsonObject of(List<JsonObject> lines, String action) {
    return lines.stream().filter(line -> text(line, "event.action").orElse("").equals(action)).findFirst()
        .orElseThrow(() -> new AssertionError(action + " is not among " + lines));
  }

  @Test
  @DisplayName("Every line of the service is JSON; events name request, lock and intent, warnings of a run its request")
  void lines(@TempDir Path home) {
    TestService.declare(home, "good", """
        mode: mutate
        controls: { lock: good }
        steps:
          - { name: one, script: "sleep 300 & echo left behind" }
        """);
    List<String> printed;
    try (TestService service = new TestService(home, "--tower.log.format=ecs")) {
      assertThat(service.post("/intents/good", "{\"request_id\":\"g1\"}").status()).isEqualTo(200);
      printed = service.printed();
    }
    List<JsonObject> lines = lines(printed);

    assertThat(lines).allSatisfy(line -> assertThat(List.of("@timestamp", "log.level", "message", "ecs.version",
        "service.name")).allMatch(field -> text(line, field).isPresent()));
    assertThat(lines).filteredOn(line -> text(line, "message").orElse("").startsWith("ready on http://")).hasSize(1);
    JsonObject started = of(lines, "run_started");
    assertThat(Map.of("request", text(started, "tower.request_id"), "lock", text(started, "tower.lock_name"), "intent",
        text(started, "tower.intent"), "level", text(started, "log.level"))).isEqualTo(Map.of("request",
            Optional.of("g1"), "lock", Optional.of("good"), "intent",
            Optional.of("good"), "level", Optional.of("INFO")));
    assertThat(text(of(lines, "lock_acquired"), "tower.lock_name")).contains("good");
    assertThat(text(of(lines, "run_finished"), "tower.request_id")).contains("g1");
    assertThat(lines).filteredOn(line -> text(line, "log.level").orElse("").equals("WARN"))
        .filteredOn(line -> text(line, "message").orElse("").contains("ended what the step had left running"))
        .singleElement().satisfies(line -> assertThat(text(line, "tower.request_id")).contains("g1"));
  }

  @Test
  @DisplayName("Lines about a run in a trace have the trace id and the span id, up to the last line")
  void traced(@TempDir Path home) {
    TestService.declare(home, "good", "mode: observe\nsteps: [{ name: one, run: [echo, one] }]\n");
    List<String> printed;
    try (TestService service = new TestService(home, "--tower.log.format=ecs")) {
      assertThat(service.call("POST", "/intents/good", "{\"request_id\":\"g1\"}", "Content-Type", "application/json",
          "traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01").status()).isEqualTo(200);
      assertThat(service.post("/intents/good", "{\"request_id\":\"g2\"}").status()).isEqualTo(200);
      printed = service.printed();
    }
    List<JsonObject> of = lines(printed).stream().filter(line -> text(line, "tower.request_id").isPresent()).toList();

    assertThat(of).filteredOn(line -> text(line, "tower.request_id").orElseThrow().equals("g1")).hasSize(2)
        .allSatisfy(line -> {
          assertThat(text(line, "trace.id")).contains("0af7651916cd43dd8448eb211c80319c");
          assertThat(text(line, "span.id")).contains("b7ad6b7169203331");
        });
    assertThat(of).filteredOn(line -> text(line, "tower.request_id").orElseThrow().equals("g2")).hasSize(2)
        .allSatisfy(line -> assertThat(line.members()).doesNotContainKeys("trace", "span", "trace.id", "span.id"));
  }

  @Test
  @DisplayName("Without this setting the lines are text, and none of them is an event")
  void plain(@TempDir Path home) {
    try (TestService service = new TestService(home)) {
      assertThat(service.post("/locks/a", "{\"request_id\":\"a1\"}").status()).isEqualTo(201);
      assertThat(service.printed()).allMatch(line -> line.startsWith("tower: ")).noneMatch(line -> line.contains("{"));
    }
  }
}
