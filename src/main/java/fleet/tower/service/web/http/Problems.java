package fleet.tower.service.web.http;

import org.springframework.http.HttpStatus;

import fleet.tower.access.Forbidden;
import fleet.tower.access.Role;
import fleet.tower.cli.reply.ErrorCode;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.StorageException;

/** What can be wrong with any call. */
public final class Problems {
  /** The longest body that is read, in bytes. */
  static final int MAX_BODY = 256 * 1024;

  private Problems() {}

  /** A member of the body, or a parameter of the query, that we do not take. */
  public static Rejected invalid(String member, String detail, String suggestion) {
    return new Rejected(
        Problem.of(ErrorCode.INVALID_REQUEST, detail, suggestion).with("member", member));
  }

  /** Somebody is known, and may not do what he asks for. */
  public static Problem of(Forbidden forbidden) {
    Role needed = forbidden.needed();
    Problem problem = Problem.of(ErrorCode.FORBIDDEN, forbidden.problem(), needed == null
        ? "ask for what your token is for, or use another"
        : "use the token of " + (needed == Role.VIEWER ? "a " : "an ") + needed);
    problem.with("reason", forbidden.reason().toString());
    return needed == null ? problem : problem.with("required_role", needed.toString());
  }

  /** The service is about to stop. */
  public static Problem closing(String what) {
    return Problem.of(ErrorCode.SHUTTING_DOWN, what + ", because the service is going down",
        "ask again when it is back");
  }

  static Problem unauthorized() {
    return unauthorized("this call needs a token that is known here");
  }

  /** Nobody is let in with what was shown. */
  public static Problem unauthorized(String detail) {
    return Problem.of(ErrorCode.UNAUTHORIZED, detail,
        "send the header `Authorization: Bearer TOKEN`; an operator makes a token with `tower token create NAME --role ROLE`")
        .header("WWW-Authenticate", "Bearer");
  }

  /** A value from outside that nobody could have meant. */
  public static Problem of(InvalidValue invalid) {
    return Problem.of(ErrorCode.of(invalid.kind()), invalid.problem(), "correct the value and call again");
  }

  static Problem of(StorageException broken) {
    return storage(broken.publicMessage());
  }

  /** The home's files do not work. */
  public static Problem storage(String detail) {
    return Problem.of(ErrorCode.STORAGE_UNAVAILABLE, detail,
        "see `tower doctor` on the service's host");
  }

  static Problem tooLarge() {
    return Problem.of(ErrorCode.CONTENT_TOO_LARGE, "the body is longer than " + MAX_BODY + " bytes",
        "send less; large values belong into files");
  }

  static Problem malformed(String detail) {
    return Problem.of(ErrorCode.INVALID_REQUEST, detail,
        "send one JSON object in UTF-8, every key once");
  }

  static Problem mediaType(String detail) {
    return Problem.of(ErrorCode.UNSUPPORTED_MEDIA_TYPE, detail,
        "send JSON as it is, with the header `Content-Type: application/json`").header("Accept", "application/json");
  }

  static Problem internal() {
    return Problem.of(ErrorCode.INTERNAL_ERROR, "the service made a mistake",
        "see the service's log; this is a bug, please report it");
  }

  /** What a server answers by itself, before or beside any controller. */
  public static Problem ofStatus(int code) {
    HttpStatus status = HttpStatus.resolve(code);
    if (status == null || !status.isError()) {
      return internal();
    }
    return switch (status) {
      case NOT_FOUND -> Problem.of(ErrorCode.NOT_FOUND, "there is nothing at this path",
          "see GET /intents, GET /runs, GET /locks, GET /tasks, GET /mailboxes and GET /audit");
      case METHOD_NOT_ALLOWED -> Problem.of(ErrorCode.METHOD_NOT_ALLOWED, "this path does not take that method",
          "use one of the methods in the header Allow");
      case NOT_IMPLEMENTED -> Problem.of(ErrorCode.NOT_IMPLEMENTED, "this method is not known here",
          "use GET, POST, PUT or DELETE");
      case HTTP_VERSION_NOT_SUPPORTED -> Problem.of(ErrorCode.HTTP_VERSION_NOT_SUPPORTED,
          "this version of HTTP is not supported here", "use HTTP/1.1");
      case NOT_ACCEPTABLE -> Problem.of(ErrorCode.NOT_ACCEPTABLE, "this path has no answer of a type that is accepted",
          "accept application/json, or text/event-stream for a stream");
      case UNSUPPORTED_MEDIA_TYPE -> mediaType("the body is of a type that is not read here");
      case CONTENT_TOO_LARGE -> tooLarge();
      case UNAUTHORIZED -> unauthorized();
      case REQUEST_HEADER_FIELDS_TOO_LARGE, URI_TOO_LONG -> Problem.of(status, ErrorCode.HEADERS_TOO_LARGE,
          "the request line and headers are too long",
          "send shorter ones; server.max-http-request-header-size says how long they may be, 8KB unless it is set");
      default -> status.is5xxServerError()
          ? internal()
          : Problem.of(status, ErrorCode.INVALID_REQUEST,
              "the request is not valid HTTP, or asks what is not understood",
              "check the request line and the headers");
    };
  }
}
