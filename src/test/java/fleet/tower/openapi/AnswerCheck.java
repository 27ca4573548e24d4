package fleet.tower.openapi;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import fleet.tower.openapi.Document.Operation;
import fleet.tower.openapi.Document.Place;
import fleet.tower.service.config.TestService.Answer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A comparison of requests and answers with the document. */
final class AnswerCheck {
  /** Headers of individual calls; a call that sends one must document it. */
  private static final Set<String> TELLING = Set.of("location", "retry-after", "idempotency-replayed",
      "preference-applied", "www-authenticate", "allow", "accept", "etag", "link");

  private final Document document;
  private final CallLog callLog;

  AnswerCheck(Document document, CallLog callLog) {
    this.document = document;
    this.callLog = callLog;
  }

  /** Checks that an accepted request is valid by the document. */
  void sent(Operation operation, Map<String, String> given, String body) {
    given.forEach((name, value) -> {
      Place schema = operation.parameter(name).at("schema");
      boolean isText = document.mistakes(schema.pointer(), JsonMapper.shared().writeValueAsString(value)).isEmpty();
      boolean isOther = value.matches("-?\\d+|true|false") && document.mistakes(schema.pointer(), value).isEmpty();
      if (!isText && !isOther && !schema.node().path("type").asString("").equals("array")) {
        callLog.mistake(operation.id() + " took " + name + "=" + value + ", which does not fit");
      }
    });
    if (!body.isEmpty() && !operation.hasBody()) {
      callLog.mistake(operation.id() + " was sent a body, and has none");
    } else if (!body.isEmpty()) {
      document.mistakes(operation.body().at("schema").pointer(), body)
          .forEach(mistake -> callLog.mistake(operation.id() + " took " + body + ", but " + mistake));
    }
  }

  /** Checks that an answer is valid by the document. */
  void answered(Operation operation, Answer answer, int status, List<String> codes) {
    String what = operation.id() + " " + answer.status();
    if (answer.status() != status) {
      callLog.mistake(what + " is not " + status + ": " + answer.body());
      return;
    }
    if (!operation.statuses().contains(Integer.toString(status))) {
      callLog.mistake(what + " is not documented: " + answer.body());
      return;
    }
    Place response = operation.response(status);
    headers(what, answer, response);
    String code = body(what, answer, response);
    if (!codes.isEmpty() && !codes.contains(code)) {
      callLog.mistake(what + " is " + code + " and not " + codes + ": " + answer.body());
    }
    callLog.answered(operation.id(), status, code);
  }

  private void headers(String what, Answer answer, Place response) {
    JsonNode documented = response.node().path("headers");
    Map<String, String> names = documented.propertyNames().stream()
        .collect(Collectors.toMap(name -> name.toLowerCase(Locale.ROOT), name -> name));
    answer.headers().keySet().stream().filter(TELLING::contains).filter(name -> !names.containsKey(name))
        .forEach(name -> callLog.mistake(what + " has the header " + name + ", which is not documented"));
    names.forEach((lower, name) -> {
      Place header = document.resolve(response.pointer() + "/headers/" + name);
      if (answer.headers().containsKey(lower)) {
        document.mistakes(header.at("schema").pointer(), JsonMapper.shared().writeValueAsString(answer.header(lower)))
            .forEach(mistake -> callLog.mistake(what + ": " + name + mistake));
      } else if (header.node().path("required").asBoolean(false)) {
        callLog.mistake(what + " lacks the header " + name);
      }
    });
  }

  /** The error code of a problem. */
  private String body(String what, Answer answer, Place response) {
    String type = answer.header("Content-Type").replaceFirst(";.*", "");
    if (!response.node().has("content")) {
      if (!answer.body().isEmpty() || !type.isEmpty()) {
        callLog.mistake(what + " has a body, and none is documented: " + answer.body());
      }
      return "";
    }
    if (!response.node().get("content").has(type)) {
      callLog.mistake(what + " is of type " + type + ", which is not documented");
      return "";
    }
    Place content = response.at("content").at(type);
    if (type.equals("text/event-stream")) {
      events(what, answer.body(), content);
      return "";
    }
    boolean isJson = type.endsWith("json");
    document.mistakes(content.at("schema").pointer(),
        isJson ? answer.body() : JsonMapper.shared().writeValueAsString(answer.body()))
        .forEach(mistake -> callLog.mistake(what + ": " + mistake + " in " + answer.body()));
    return type.equals("application/problem+json")
        ? JsonMapper.shared().readTree(answer.body()).path("error").asString("")
        : "";
  }

  private void events(String what, String text, Place content) {
    for (String block : text.split("\n\n", -1)) {
      String name = "message";
      for (String line : block.split("\n", -1)) {
        if (line.startsWith("event: ")) {
          name = line.substring("event: ".length());
        } else if (line.startsWith("data: ")) {
          event(what, name, line.substring("data: ".length()), content);
        } else if (!line.isEmpty() && !line.startsWith("id: ") && !line.startsWith(": ")) {
          callLog.mistake(what + " tells what is no event: " + line);
        }
      }
    }
  }

  private void event(String what, String name, String data, Place content) {
    if (!content.at("x-tower-events").node().has(name)) {
      callLog.mistake(what + " tells the event " + name + ", which is not documented");
      return;
    }
    document.mistakes(content.at("x-tower-events").at(name).pointer(), data)
        .forEach(mistake -> callLog.mistake(what + " " + name + ": " + mistake + " in " + data));
  }
}
