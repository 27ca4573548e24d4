package fleet.tower.service.web.http;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;

import fleet.tower.cli.reply.ErrorCode;
import fleet.tower.cli.reply.NextActions;
import fleet.tower.cli.shell.NextAction;
import fleet.tower.cli.shell.NextStep;
import fleet.tower.platform.json.JsonWriter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * A problem document of RFC 9457: {@code type}, {@code title}, {@code status}, {@code detail}; then our {@code error}
 * code and its members, {@code suggestion}, and {@code next_actions} if there are any.
 */
public final class Problem {
  private final HttpStatus status;
  private final String detail;
  private final JsonWriter members;
  private final Map<String, String> headers = new LinkedHashMap<>();
  private List<NextStep> steps;

  private Problem(HttpStatus status, String detail, JsonWriter members, List<NextStep> steps) {
    this.status = requireNonNull(status);
    this.detail = requireNonNull(detail);
    this.members = requireNonNull(members);
    this.steps = List.copyOf(steps);
  }

  /** A problem with a sentence and a suggestion. */
  public static Problem of(ErrorCode code, String detail, String suggestion) {
    return of(status(code), code, detail, suggestion);
  }

  /** The same with another status of the same kind. */
  static Problem of(HttpStatus status, ErrorCode code, String detail, String suggestion) {
    return new Problem(status, detail, error(code).put("suggestion", suggestion), NextActions.of(code));
  }

  /** A problem with a sentence, a suggestion and other members. */
  public static Problem of(ErrorCode code, String detail, JsonWriter members) {
    return new Problem(status(code), detail, error(code).members(members), NextActions.of(code));
  }

  /** A problem whose members have the code already. */
  public static Problem ofAnswer(ErrorCode code, String detail, JsonWriter answer) {
    return new Problem(status(code), detail, answer, NextActions.of(code));
  }

  /** A problem whose members have the code already, read from a record. */
  public static Problem of(HttpStatus status, String detail, JsonWriter members) {
    return new Problem(status, detail, members, List.of());
  }

  private static HttpStatus status(ErrorCode code) {
    return HttpStatus.valueOf(code.status());
  }

  private static JsonWriter error(ErrorCode code) {
    return JsonWriter.line().put("error", code.code());
  }

  /** Adds a member. */
  public Problem with(String member, String value) {
    members.put(member, value);
    return this;
  }

  /** Adds a header. */
  public Problem header(String name, String value) {
    headers.put(name, value);
    return this;
  }

  /** Sets the steps that help, best first; those of its code by default. */
  public Problem next(List<NextStep> those) {
    steps = List.copyOf(those);
    return this;
  }

  public HttpStatus status() {
    return status;
  }

  public Map<String, String> headers() {
    return Map.copyOf(headers);
  }

  /** What is wrong, in a sentence. */
  String detail() {
    return detail;
  }

  private byte[] body(HttpAsked asked) {
    JsonWriter json = JsonWriter.line().put("type", "about:blank").put("title", status.getReasonPhrase())
        .put("status", status.value()).put("detail", detail).members(members);
    List<String> actions = asked.actions(steps).stream().map(NextAction::json).toList();
    return Json.bytes((actions.isEmpty() ? json : json.list("next_actions", actions)).end());
  }

  /** Writes it outside of controllers. */
  public void write(HttpServletRequest request, HttpServletResponse response) throws IOException {
    byte[] body = body(new HttpAsked(request));
    response.setStatus(status.value());
    response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
    headers.forEach(response::setHeader);
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }

  /** The complete answer to the call that this thread serves. */
  public ResponseEntity<byte[]> answer() {
    ResponseEntity.BodyBuilder answer = ResponseEntity.status(status).contentType(MediaType.APPLICATION_PROBLEM_JSON);
    headers.forEach(answer::header);
    return answer.body(body(HttpAsked.current()));
  }
}
