package fleet.tower.service.web.http;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;

import fleet.tower.answer.AnswerEnvelope;
import fleet.tower.answer.Problem;
import fleet.tower.answer.RefusedRequest;
import fleet.tower.platform.json.JsonWriter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * A problem document of RFC 9457: {@code type}, {@code title}, {@code status}, {@code detail}; then the members of a
 * {@link Problem}.
 */
public final class ProblemDocument {
  private ProblemDocument() {}

  private static JsonWriter body(Problem problem) {
    return JsonWriter.line().put("type", "about:blank")
        .put("title", HttpStatus.valueOf(problem.status()).getReasonPhrase()).put("status", problem.status())
        .put("detail", problem.detail());
  }

  private static byte[] body(Problem problem, RefusedRequest refused) {
    return Json.bytes(body(problem).members(problem.members(refused)).end());
  }

  private static Map<String, String> headers(Problem problem, HttpServletRequest request) {
    Map<String, String> headers = new LinkedHashMap<>();
    Challenge.of(request, problem.status()).ifPresent(value -> headers.put("WWW-Authenticate", value));
    headers.putAll(problem.headers());
    return headers;
  }

  /** Writes a problem outside of controllers. */
  public static void write(Problem problem, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    write(body(problem, new RefusedHttpRequest(request)), problem, request, response);
  }

  /** Writes a problem of a call whose answers have an envelope: the document has the members of that as well. */
  public static void writeEnveloped(Problem problem, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    JsonWriter members = problem.members(new RefusedHttpRequest(request));
    write(Json.bytes(AnswerEnvelope.members(body(problem), problem).members(members).end()), problem, request,
        response);
  }

  private static void write(byte[] body, Problem problem, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    response.setStatus(problem.status());
    response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
    headers(problem, request).forEach(response::setHeader);
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }

  /** The problem of the call that this thread serves. */
  static ResponseEntity<byte[]> answer(Problem problem) {
    ResponseEntity.BodyBuilder answer = ResponseEntity.status(problem.status())
        .contentType(MediaType.APPLICATION_PROBLEM_JSON);
    RefusedHttpRequest refused = RefusedHttpRequest.current();
    headers(problem, refused.request()).forEach(answer::header);
    return answer.body(body(problem, refused));
  }
}
