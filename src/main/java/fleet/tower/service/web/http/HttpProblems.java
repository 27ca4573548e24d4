package fleet.tower.service.web.http;

import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.http.HttpStatus;

import fleet.tower.answer.CommonProblems;
import fleet.tower.answer.Problem;
import fleet.tower.operation.HomeOperations;
import fleet.tower.operation.LockOperations;
import fleet.tower.operation.MailboxOperations;
import fleet.tower.operation.Operation;
import fleet.tower.operation.RunOperations;
import fleet.tower.operation.TaskOperations;
import fleet.tower.platform.ErrorCode;

/** Problems that only HTTP has. */
public final class HttpProblems {
  /** The maximum size of a body, in bytes. */
  static final int MAX_BODY = 256 * 1024;

  private static final String LISTS = "see " + Stream.of(RunOperations.LIST_INTENTS, RunOperations.LIST,
      LockOperations.LIST, TaskOperations.LIST, MailboxOperations.LIST).map(Operation::call)
      .collect(Collectors.joining(", ")) + " and " + HomeOperations.AUDIT.call();

  private HttpProblems() {}

  static Problem tooLarge() {
    return Problem.of(ErrorCode.CONTENT_TOO_LARGE, "the body is longer than " + MAX_BODY + " bytes",
        "send less; put large values in files");
  }

  static Problem malformed(String detail) {
    return Problem.of(ErrorCode.INVALID_REQUEST, detail,
        "send one JSON object in UTF-8, with every key at most once");
  }

  static Problem mediaType(String detail) {
    return Problem.of(ErrorCode.UNSUPPORTED_MEDIA_TYPE, detail,
        "send JSON as it is, with the header `Content-Type: application/json`").header("Accept", "application/json");
  }

  /** Problems that the server reports outside of controllers. */
  public static Problem ofStatus(int code) {
    HttpStatus status = HttpStatus.resolve(code);
    if (status == null || !status.isError()) {
      return CommonProblems.internal();
    }
    return switch (status) {
      case NOT_FOUND -> Problem.of(ErrorCode.NOT_FOUND, "there is nothing at this path",
          LISTS);
      case METHOD_NOT_ALLOWED -> Problem.of(ErrorCode.METHOD_NOT_ALLOWED, "this path does not support the method",
          "use one of the methods in the Allow header");
      case NOT_IMPLEMENTED -> Problem.of(ErrorCode.NOT_IMPLEMENTED, "this method is not supported",
          "use GET, POST, PUT or DELETE");
      case HTTP_VERSION_NOT_SUPPORTED -> Problem.of(ErrorCode.HTTP_VERSION_NOT_SUPPORTED,
          "this version of HTTP is not supported", "use HTTP/1.1");
      case NOT_ACCEPTABLE -> Problem.of(ErrorCode.NOT_ACCEPTABLE, "no acceptable representation of this path exists",
          "accept application/json, or text/event-stream for a stream");
      case UNSUPPORTED_MEDIA_TYPE -> mediaType("the type of the body is not supported");
      case CONTENT_TOO_LARGE -> tooLarge();
      case UNAUTHORIZED -> CommonProblems.unauthorized("this call requires a valid token");
      case REQUEST_HEADER_FIELDS_TOO_LARGE, URI_TOO_LONG -> Problem.of(code, ErrorCode.HEADERS_TOO_LARGE,
          "the request line and headers are too long",
          "send shorter ones; the limit is server.max-http-request-header-size, 8KB by default");
      default -> status.is5xxServerError()
          ? CommonProblems.internal()
          : Problem.of(code, ErrorCode.INVALID_REQUEST,
              "the request is not valid HTTP",
              "check the request line and the headers");
    };
  }
}
