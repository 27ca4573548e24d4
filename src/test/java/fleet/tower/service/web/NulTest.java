package fleet.tower.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;

@DisplayName("Texts with U+0000")
class NulTest {
  private static final String NUL = "a\\u0000b";

  @Test
  @DisplayName("U+0000 is 400 or is stored, on SQLite and PostgreSQL alike; it never appears as a database failure")
  void nul(@TempDir Path sqlite, @TempDir Path postgres) {
    List<String> here = answers(sqlite);
    assertThat(answers(postgres, "--tower.database.url=" + PostgresServer.newDatabase())).isEqualTo(here);
    assertThat(here).contains("GET /tasks?project=%00 400 invalid_request",
        "GET /audit?request_id=%00 400 invalid_request", "POST /tasks title 400 invalid_request",
        "POST /tasks description 400 invalid_request", "POST /mailboxes/box/messages body 201 ").noneMatch(
            answer -> answer.contains(" 500 ") || answer.contains(" 503 "));
  }

  private static List<String> answers(Path home, String... settings) {
    List<String> answers = new ArrayList<>();
    TestService.declare(home, "say", """
        mode: observe
        params:
          text: { type: string, default: hello }
        steps:
          - name: print
            run: [printf, '%s', "${params.text}"]
        """);
    try (TestService service = new TestService(home, settings)) {
      for (String path : List.of("/tasks?project=%00", "/tasks?claimed_by=%00", "/audit?request_id=%00",
          "/audit?lock_name=a%00b", "/audit?event=%00", "/runs?intent=%00", "/tasks/%00", "/runs/%00", "/mailboxes/%00",
          "/mailboxes/box/dead?limit=%00", "/locks/%00")) {
        answers.add(told("GET " + path, service.get(path)));
      }
      for (String member : List.of("title", "description", "project", "assigned_to", "id", "agent", "request_id",
          "intent", "params")) {
        answers.add(told("POST /tasks " + member, service.post("/tasks", body(member, "title", "agent"))));
      }
      for (String member : List.of("reason", "actor", "intent", "metadata", "request_id")) {
        answers.add(told("POST /locks/prod " + member, service.post("/locks/prod", body(member))));
        service.call("DELETE", "/locks/prod?request_id=r1", "");
      }
      for (String member : List.of("body", "id", "reply_to")) {
        answers.add(told("POST /mailboxes/box/messages " + member,
            service.post("/mailboxes/box/messages", body(member, "body"))));
      }
      for (String member : List.of("params", "metadata", "request_id", "reason")) {
        answers.add(told("POST /intents/say " + member, service.post("/intents/say", body(member))));
      }
      answers.add(told("POST /intents/say key", service.call("POST", "/intents/say", "{}", "Content-Type",
          "application/json", "Idempotency-Key", "key")));
      answers.add(told("PUT /freezes/x", service.call("PUT", "/freezes/x", "{\"reason\":\"" + NUL + "\"}",
          "Content-Type", "application/json")));
    }
    return answers;
  }

  /** One member contains the character; the other required members are valid. */
  private static String body(String member, String... needed) {
    StringBuilder body = new StringBuilder("{\"").append(member).append("\":");
    body.append(member.equals("metadata") || member.equals("params")
        ? "{\"text\":\"" + NUL + "\"}"
        : "\"" + NUL + "\"");
    for (String other : needed) {
      if (!other.equals(member)) {
        body.append(",\"").append(other).append("\":\"x\"");
      }
    }
    return body.append('}').toString();
  }

  private static String told(String call, Answer answer) {
    return call + " " + answer.status() + " " + answer.body().replaceFirst("(?s).*\"error\":\"(\\w+)\".*", "$1")
        .replaceFirst("(?s)^\\{.*", "");
  }
}
