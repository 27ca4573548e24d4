package fleet.tower.service.web.http;

import org.springframework.http.HttpStatus;

import fleet.tower.access.Forbidden;
import fleet.tower.access.Role;
import fleet.tower.cli.reply.ErrorCode;
import fleet.tower.cli.reply.NextActions;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.StorageException;

/** Problems that any call may have. */
public final class Problems {
  /** The maximum size of a body, in bytes. */
  static final int MAX_BODY = 256 * 1024;

  private Problems() {}

  /** An unknown member of the body or parameter of the query. */
  public static Rejected invalid(String member, String detail, String suggestion) {
    return new Rejected(
        Problem.of(ErrorCode.INVALID_REQUEST, detail, suggestion).with("member", member));
  }

  /** The caller is known but not permitted. */
  public static Problem of(Forbidden forbidden) {
    Role needed = forbidden.needed();
    Problem problem = Problem.of(ErrorCode.FORBIDDEN, forbidden.problem(), "use what your token permits")
        .next(NextActions.forbidden(needed));
    problem.with("reason", forbidden.reason().toString());
    return needed == null ? problem : problem.with("required_role", needed.toString());
  }

  /** The service is stopping. */
  public static Problem closing(String what) {
    return Problem.of(ErrorCode.SHUTTING_DOWN, what + ", because the service is going down",
        "try again when it is back");
  }

  static Problem unauthorized() {
    return unauthorized("this call requires a valid token");
  }

  /** The credentials are missing or invalid. */
  public static Problem unauthorized(String detail) {
    return Problem.of(ErrorCode.UNAUTHORIZED, detail,
        "send a valid token in the header `Authorization: Bearer TOKEN`").header("WWW-Authenticate", "Bearer");
  }

  /** An invalid value from outside. */
  public static Problem of(InvalidValue invalid) {
    return Problem.of(ErrorCode.of(invalid.kind()), invalid.problem(), "correct the value and call again");
  }

  static Problem of(StorageException broken) {
    return storage(broken.publicMessage());
  }

  /** The storage of the home is unavailable. */
  public static Problem storage(String detail) {
    return Problem.of(ErrorCode.STORAGE_UNAVAILABLE, detail,
        "see `tower doctor` on the service's host");
  }

  static Problem tooLarge() {
    return Problem.of(ErrorCode.CONTENT_TOO_LARGE, "the body is longer than " + MAX_BODY + " bytes",
        "send less; put large values into files");
  }

  static Problem malformed(String detail) {
    return Problem.of(ErrorCode.INVALID_REQUEST, detail,
        "send one JSON object in UTF-8, with every key at most once");
  }

  static Problem mediaType(String detail) {
    return Problem.of(ErrorCode.UNSUPPORTED_MEDIA_TYPE, detail,
        "send JSON as it is, with the header `Content-Type: application/json`").header("Accept", "application/json");
  }

  static Problem internal() {
    return Problem.of(ErrorCode.INTERNAL_ERROR, "internal error",
        "see the service's log; this is a bug, please report it");
  }

  /** Problems that the server reports outside of controllers. */
  public static Problem ofStatus(int code) {
    HttpStatus status = HttpStatus.resolve(code);
    if (status == null || !status.isError()) {
      return internal();
    }
    return switch (status) {
      case NOT_FOUND -> Problem.of(ErrorCode.NOT_FOUND, "there is nothing at this path",
          "see GET /intents, GET /runs, GET /locks, GET /tasks, GET /mailboxes and GET /audit");
      case METHOD_NOT_ALLOWED -> Problem.of(ErrorCode.METHOD_NOT_ALLOWED, "this path does not support the method",
          "use one of the methods in the Allow header");
      case NOT_IMPLEMENTED -> Problem.of(ErrorCode.NOT_IMPLEMENTED, "this method is not supported",
          "use GET, POST, PUT or DELETE");
      case HTTP_VERSION_NOT_SUPPORTED -> Problem.of(ErrorCode.HTTP_VERSION_NOT_SUPPORTED,
          "this version of HTTP is not supported", "use HTTP/1.1");
      case NOT_ACCEPTABLE -> Problem.of(ErrorCode.NOT_ACCEPTABLE, "this path has no answer of an acceptable type",
          "accept application/json, or text/event-stream for a stream");
      case UNSUPPORTED_MEDIA_TYPE -> mediaType("the type of the body is not supported");
      case CONTENT_TOO_LARGE -> tooLarge();
      case UNAUTHORIZED -> unauthorized();
      case REQUEST_HEADER_FIELDS_TOO_LARGE, URI_TOO_LONG -> Problem.of(status, ErrorCode.HEADERS_TOO_LARGE,
          "the request line and headers are too long",
          "send shorter ones; the limit is server.max-http-request-header-size, 8KB by default");
      default -> status.is5xxServerError()
          ? internal()
          : Problem.of(status, ErrorCode.INVALID_REQUEST,
              "the request is not valid HTTP",
              "check the request line and the headers");
    };
  }
}
