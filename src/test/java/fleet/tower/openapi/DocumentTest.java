package fleet.tower.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;

import fleet.tower.access.Forbidden;
import fleet.tower.access.Role;
import fleet.tower.audit.EventNames;
import fleet.tower.golden.Golden;
import fleet.tower.intent.Controls;
import fleet.tower.intent.Intent;
import fleet.tower.lease.LeaseState;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.Message;
import fleet.tower.openapi.Document.Operation;
import fleet.tower.openapi.Document.Place;
import fleet.tower.operation.Operations;
import fleet.tower.platform.ErrorCode;
import fleet.tower.run.RunStatus;
import fleet.tower.run.StepRecord;
import fleet.tower.service.call.Needs;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;
import fleet.tower.task.TaskEvent;
import fleet.tower.task.TaskOutcome;
import fleet.tower.task.TaskStatus;
import tools.jackson.databind.JsonNode;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("The OpenAPI document is complete, valid, and has exactly the existing calls")
class DocumentTest {
  private static final String OAS = "https://spec.openapis.org/oas/3.1/";
  /** The actuator's paths, which are Spring's, the error page of the container, and the pages of the console. */
  private static final Pattern NOT_OURS = Pattern.compile("/actuator.*|/error|/|/console.*");

  private static final Pattern VARIABLE = Pattern.compile("\\{([^}]*)}");

  @AutoClose
  private final TestService service;
  private final Document document = new Document();

  DocumentTest(@TempDir Path home) {
    service = new TestService(home);
  }

  private static Schema official() {
    Map<String, String> parts = new HashMap<>();
    for (String part : List.of("schema-base/2022-10-07", "schema/2022-10-07", "dialect/base", "meta/base")) {
      try (InputStream in = DocumentTest.class.getResourceAsStream("/spec.openapis.org/oas/3.1/" + part)) {
        assertThat(in).as(part).isNotNull();
        parts.put(OAS + part, new String(in.readAllBytes(), StandardCharsets.UTF_8));
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
    return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12, builder -> builder.schemas(parts))
        .getSchema(SchemaLocation.of(OAS + "schema-base/2022-10-07"));
  }

  @Test
  @DisplayName("Every error code of the document is a product code with its status; only the container's own "
      + "answers are missing")
  void errorCodes() {
    Map<String, Set<String>> statuses = new TreeMap<>();
    for (Operation operation : document.operations().values()) {
      for (String status : operation.statuses()) {
        Place response = operation.response(Integer.parseInt(status));
        if (response.node().path("content").has("application/problem+json")) {
          document.codes(response.at("content").at("application/problem+json").at("schema").pointer())
              .forEach(code -> statuses.computeIfAbsent(code, _ -> new TreeSet<>()).add(status));
        }
      }
    }

    assertThat(statuses).allSatisfy((code, of) -> assertThat(ErrorCode.of(code).map(ErrorCode::status))
        .as(code).map(status -> Set.of(status.toString())).contains(of));
    assertThat(Arrays.stream(ErrorCode.values()).filter(ErrorCode::hasStatus).map(ErrorCode::code))
        .filteredOn(code -> !statuses.containsKey(code)).containsExactlyInAnyOrder("not_found", "method_not_allowed",
            "not_implemented", "http_version_not_supported", "headers_too_large");
  }

  @Test
  @DisplayName("It is OpenAPI 3.1 by the schema of the OpenAPI Initiative, which rejects an invalid document")
  void isOpenApi() {
    Schema official = official();
    String json = document.json;

    assertThat(official.validate(json, InputFormat.JSON)).isEmpty();
    assertThat(official.validate(json.replace("\"responses\":", "\"answers\":"), InputFormat.JSON)).isNotEmpty();
    assertThat(official.validate(json.replaceFirst("\"in\":\"path\"", "\"in\":\"somewhere\""), InputFormat.JSON))
        .isNotEmpty();
    assertThat(official.validate(json.replace("\"additionalProperties\":false", "\"additionalProperties\":\"no\""),
        InputFormat.JSON)).isNotEmpty();
  }

  @Test
  @DisplayName("Every mapping of the service is an operation with its role, and every operation a mapping")
  void isOfTheCalls() {
    Map<String, String> documented = new TreeMap<>();
    document.operations().values().stream().filter(operation -> !NOT_OURS.matcher(operation.path()).matches())
        .forEach(operation -> documented.put(operation.method() + " " + operation.path(), operation.role()));

    Map<String, String> mapped = new TreeMap<>();
    for (RequestMappingHandlerMapping mapping : service.parts(RequestMappingHandlerMapping.class).values()) {
      mapping.getHandlerMethods().forEach((info, handler) -> {
        Needs needs = handler.getMethodAnnotation(Needs.class);
        for (String path : info.getPatternValues()) {
          for (RequestMethod method : info.getMethodsCondition().getMethods()) {
            if (!NOT_OURS.matcher(path).matches()) {
              mapped.put(method + " " + path, needs == null ? "nobody" : needs.value().toString());
            }
          }
        }
      });
    }
    service.parts(Operations.class).values().iterator().next().handlers().keySet()
        .forEach(operation -> mapped.put(operation.method() + " " + operation.path(), operation.role().toString()));
    assertThat(documented).isEqualTo(mapped).hasSizeGreaterThan(45);
    assertThat(document.operations().values().stream().filter(operation -> NOT_OURS.matcher(operation.path()).matches())
        .map(operation -> operation.path() + (operation.needsToken() ? " " + operation.role() : "")))
        .containsExactlyInAnyOrder("/actuator/health", "/actuator/health/liveness", "/actuator/health/readiness",
            "/actuator/info viewer", "/actuator/prometheus viewer");
  }

  @Test
  @DisplayName("Every path has its parameters, and every operation a description")
  void isWhole() {
    for (Operation operation : document.operations().values()) {
      List<String> variables = VARIABLE.matcher(operation.path()).results().map(match -> "path " + match.group(1))
          .toList();
      List<String> documented = operation.parameters().keySet().stream().filter(name -> name.startsWith("path "))
          .toList();
      assertThat(documented).as(operation.id()).containsExactlyInAnyOrderElementsOf(variables);
      operation.parameters().forEach((name, place) -> assertThat(place.node().has("description")
          || name.startsWith("path ")).as(operation.id() + " " + name).isTrue());
      assertThat(operation.node().get("summary").asString()).as(operation.id()).hasSizeBetween(5, 60)
          .doesNotEndWith(".");
      assertThat(operation.node().get("description").asString()).as(operation.id()).endsWith(".");
    }
  }

  @Test
  @DisplayName("An enumerated answer member has all values of the code in the document")
  void wordsAreTheCodes() {
    assertThat(words("AuditEvent/properties/event")).hasSameElementsAs(EventNames.ALL);
    assertThat(words("RunStatus")).hasSameElementsAs(words(RunStatus.values()));
    assertThat(words("StepStatus")).hasSameElementsAs(words(StepRecord.Status.values()));
    assertThat(words("StepKind")).hasSameElementsAs(words(StepRecord.Kind.values()));
    assertThat(words("Mode")).hasSameElementsAs(words(Intent.Mode.values()));
    assertThat(words("HeartbeatMode")).hasSameElementsAs(words(Controls.Heartbeat.values()));
    assertThat(words("LockStanding/properties/state")).hasSameElementsAs(words(LeaseState.State.values()));
    assertThat(words("TaskStatus")).hasSameElementsAs(words(TaskStatus.values()));
    assertThat(words("TaskEvent/properties/kind")).hasSameElementsAs(words(TaskEvent.Kind.values()));
    assertThat(words("ClaimNotOwned/properties/reason")).hasSameElementsAs(words(TaskOutcome.Reason.values()));
    assertThat(words("ReceiptHandleExpired/properties/reason"))
        .hasSameElementsAs(words(MailboxOutcome.Reason.values()));
    assertThat(words("DeadLetter/properties/cause")).hasSameElementsAs(words(Message.Cause.values()));
    assertThat(words("Forbidden/properties/reason")).hasSameElementsAs(words(Forbidden.Reason.values()));
    assertThat(words("Forbidden/properties/required_role")).hasSameElementsAs(words(Role.values()));
  }

  private List<String> words(String schema) {
    return document.at("#/components/schemas/" + schema + "/enum").valueStream().map(JsonNode::asString).toList();
  }

  private static List<String> words(Enum<?>... constants) {
    return Arrays.stream(constants).map(constant -> constant.name().toLowerCase(Locale.ROOT)).toList();
  }

  @Test
  @DisplayName("Every reference has a target, and every component is referenced")
  void referencesAreWhole() {
    Set<String> referred = new TreeSet<>(List.of("#/components/securitySchemes/token"));
    for (Place place : document.places()) {
      if (place.node().path("$ref").isString()) {
        document.at(place.node().get("$ref").asString());
        referred.add(place.node().get("$ref").asString());
      }
    }
    Set<String> components = new TreeSet<>();
    document.at("#/components").properties().forEach(kind -> kind.getValue().propertyNames()
        .forEach(name -> components.add("#/components/" + kind.getKey() + "/" + name)));
    assertThat(components).isEqualTo(referred);
  }

  @Test
  @DisplayName("Every example is valid by its schema, and all JSON content has one")
  void examplesFit() {
    List<String> mistakes = new ArrayList<>();
    int examples = 0;
    for (Place place : document.places()) {
      JsonNode node = place.node();
      if (node.has("schema") && node.has("example") && !place.pointer().contains("text~1event-stream")) {
        examples++;
        document.mistakes(place.at("schema").pointer(), node.get("example").toString())
            .forEach(mistake -> mistakes.add(place.pointer() + mistake));
      } else if (node.path("examples").isArray()) {
        examples += node.get("examples").size();
        node.get("examples").forEach(example -> document.mistakes(place.pointer(), example.toString())
            .forEach(mistake -> mistakes.add(place.pointer() + mistake)));
      }
      String last = place.pointer().substring(place.pointer().lastIndexOf('/') + 1);
      if (last.matches("application~1(problem\\+|vnd\\..*)?json") && !hasExample(place)) {
        mistakes.add(place.pointer() + " has no example");
      }
    }
    assertThat(mistakes).isEmpty();
    assertThat(examples).isGreaterThan(170);
  }

  /** Its own examples, or some for each of its alternative schemas. The document has no example of itself. */
  private boolean hasExample(Place content) {
    return content.node().has("example") || content.pointer().startsWith("#/paths/~1v3~1api-docs/")
        || alternatives(content.at("schema")).stream().allMatch(schema -> schema.node().path("examples").size() > 0);
  }

  private List<Place> alternatives(Place schema) {
    Place resolved = document.resolve(schema.pointer());
    return resolved.node().has("oneOf") && !resolved.node().has("examples")
        ? resolved.at("oneOf").node().valueStream().map(one -> document.resolve(one.get("$ref").asString())).toList()
        : List.of(resolved);
  }

  @Test
  @DisplayName("A surplus or missing member is found, and so is an undocumented status, type, header or event")
  void findsDrift() {
    String beat = "{\"request_id\":\"r1\",\"beaten\":true}";
    assertThat(drift("beatRun", new Answer(200, type("application/json"), beat), 200)).isEmpty();
    assertThat(drift("beatRun", new Answer(200, type("application/json"), beat.replace("}", ",\"more\":1}")), 200))
        .singleElement().asString().contains("more");
    assertThat(drift("beatRun", new Answer(200, type("application/json"), "{\"beaten\":true}"), 200))
        .singleElement().asString().contains("request_id");
    assertThat(drift("beatRun", new Answer(200, type("text/html"), beat), 200)).singleElement().asString()
        .contains("text/html");
    assertThat(drift("beatRun", new Answer(418, type("application/json"), beat), 418)).singleElement().asString()
        .contains("418 is not documented");
    assertThat(drift("beatRun", new Answer(200, Map.of("content-type", List.of("application/json"), "location",
        List.of("/x")), beat), 200)).singleElement().asString().contains("the header location");
    assertThat(drift("cancelRun", new Answer(202, type("application/json"), "{}"), 202)).contains(
        "cancelRun 202 lacks the header Location");
    assertThat(drift("followRun", new Answer(200, type("text/event-stream"), "event: surprise\ndata: {}\n\n"), 200))
        .singleElement().asString().contains("surprise");
    assertThat(drift("followRun", new Answer(200, type("text/event-stream"), "event: output\ndata: {}\n\n"), 200))
        .isNotEmpty();
  }

  private List<String> drift(String operation, Answer answer, int status) {
    CallLog callLog = new CallLog();
    new AnswerCheck(document, callLog).answered(document.operation(operation), answer, status, List.of());
    return callLog.takeMistakes();
  }

  private static Map<String, List<String>> type(String type) {
    return Map.of("content-type", List.of(type));
  }

  @Test
  @DisplayName("The page has all calls in a table generated from the document")
  void isOnThePage() {
    StringBuilder table = new StringBuilder("| Call | Needs | What it does | Answers |\n|---|---|---|---|\n");
    for (Operation operation : document.operations().values()) {
      table.append("| `").append(operation.method()).append(' ').append(operation.path()).append("` | ")
          .append(operation.needsToken() ? operation.role() : "nothing").append(" | ")
          .append(operation.node().get("summary").asString()).append(" | ").append(answers(operation)).append(" |\n");
    }
    Golden.isPart("docs/api.md", "calls", table.toString());
  }

  /** The statuses that are specific to a call; a rejection with its codes. */
  private String answers(Operation operation) {
    List<String> answers = new ArrayList<>();
    for (String status : operation.statuses()) {
      Place response = operation.response(Integer.parseInt(status));
      boolean isProblem = response.node().path("content").has("application/problem+json");
      Set<String> codes = isProblem
          ? document.codes(response.at("content").at("application/problem+json").at("schema").pointer())
          : new TreeSet<>();
      codes.removeAll(Set.of("invalid_request", "invalid_lock_name", "unauthorized", "forbidden", "not_acceptable",
          "content_too_large", "unsupported_media_type", "too_many_bad_tokens", "internal_error", "storage_unavailable",
          "identity_unavailable", "shutting_down"));
      if (!isProblem || !codes.isEmpty()) {
        answers.add(status + codes.stream().map(code -> " `" + code + "`").collect(Collectors.joining()));
      }
    }
    return String.join(", ", answers);
  }
}
