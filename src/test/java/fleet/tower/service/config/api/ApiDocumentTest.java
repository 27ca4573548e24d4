package fleet.tower.service.config.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.access.Role;
import fleet.tower.home.Release;
import fleet.tower.operation.Arg;
import fleet.tower.operation.Operation;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@DisplayName("The assembled OpenAPI document")
class ApiDocumentTest {
  private static final JsonMapper JSON = new JsonMapper();
  private static final Arg<String> ROOM = Arg.text("room", "ROOM", "the room").operand();
  private static final Arg<Long> WARMTH = Arg.whole("warmth", 1, 9, "N", "how warm it becomes").or(5L);
  private static final Arg<Boolean> FORCE = Arg.flag("force", "heat a room with an open window").needs(Role.OPERATOR);
  private static final Arg<Long> DELAY = Arg.wholeSeconds("delay", 60, "when to begin");
  private static final Operation HEAT = Operation.of("heatRoom", Role.AGENT, Operation.Method.POST, "/rooms/{name}",
      "heat a room", ROOM, WARMTH.must(), FORCE, DELAY.only(Arg.Via.COMMAND));
  private static final Operation COOL = Operation.of("coolRoom", Role.VIEWER, Operation.Method.DELETE, "/rooms/{name}",
      "cool a room", ROOM, WARMTH, DELAY);

  private static JsonNode assembled(List<Operation> operations, String prose) {
    ApiDocument document = new ApiDocument(operations);
    document.add(ApiDocument.mapping(ApiDocument.parsed(prose)), "rooms");
    return JSON.valueToTree(document.completed());
  }

  @Test
  @DisplayName("It is in the program, of this version, and the same as JSON; ./mvnw process-classes writes it again")
  void isServed() {
    Map<String, Object> document = ApiDocument.read();
    byte[] served = ApiController.document();

    assertThat(new String(served, StandardCharsets.UTF_8)).isEqualTo(ApiDocument.yaml(document));
    assertThat(JSON.readTree(ApiController.json(served))).isEqualTo(JSON.valueToTree(document));
    assertThat(JSON.readTree(ApiController.json(served)).at("/info/version").asString()).isEqualTo(Release.version());
  }

  @Test
  @DisplayName("An operation is described from its table alone, but for prose, examples and answers")
  void ofTheTable() {
    JsonNode paths = assembled(List.of(HEAT, COOL), """
        operations:
          heatRoom: { summary: Heat, request: { warmth: 7 }, responses: { "200": { description: It is warm. } } }
          coolRoom: { summary: Cool, tags: [cold], arguments: { delay: { example: 3 } }, responses: {} }
        """).get("paths");

    JsonNode heat = paths.at("/~1rooms~1{name}/post");
    assertThat(heat.at("/x-tower-role").asString()).isEqualTo("agent");
    assertThat(heat.at("/tags/0").asString()).isEqualTo("rooms");
    assertThat(heat.at("/parameters/0")).isEqualTo(JSON.readTree("""
        {"name":"name","in":"path","required":true,"schema":{"type":"string"},"description":"The room."}"""));
    assertThat(heat.get("requestBody")).isEqualTo(JSON.readTree("""
        {"required":true,"content":{"application/json":{"schema":{"type":"object","additionalProperties":false,
        "required":["warmth"],"properties":{
        "warmth":{"type":"integer","minimum":1,"maximum":9,"description":"How warm it becomes."},
        "force":{"type":"boolean","default":false,"description":"Heat a room with an open window.",
        "x-tower-role":"operator"}}},"example":{"warmth":7}}}}"""));
    assertThat(heat.get("responses").propertyNames()).contains("200", "401", "413");
    JsonNode cool = paths.at("/~1rooms~1{name}/delete");
    assertThat(cool.at("/tags/0").asString()).isEqualTo("cold");
    assertThat(cool.at("/parameters/1")).isEqualTo(JSON.readTree("""
        {"name":"warmth","in":"query","schema":{"type":"integer","minimum":1,"maximum":9,"default":5},
        "description":"How warm it becomes."}"""));
    assertThat(cool.at("/parameters/2")).isEqualTo(JSON.readTree("""
        {"name":"delay","in":"query","schema":{"type":"integer","minimum":0,"maximum":60},
        "description":"When to begin, in seconds.","example":3}"""));
  }

  @ParameterizedTest
  @DisplayName("It cannot be assembled if prose and table differ, or if two parts describe the same")
  @CsvSource(delimiter = '|', value = {
      "{ operations: {} } | does not describe [coolRoom]",
      "{ operations: { coolRoom: { responses: {} }, warmRoom: {} } } | rooms describes warmRoom, which is no operation",
      "{ operations: { coolRoom: { arguments: { heat: {} } } } } | coolRoom does not take [heat]",
      "{ operations: { coolRoom: {} }, openapi: 3.2.0 } | rooms.openapi stands twice",
      "{ operations: { coolRoom: {}, coolRoom: {} } } | found duplicate key coolRoom",
  })
  void differing(String prose, String complaint) {
    assertThatThrownBy(() -> assembled(List.of(COOL), prose)).hasMessageContaining(complaint);
  }
}
