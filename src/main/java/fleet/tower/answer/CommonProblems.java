package fleet.tower.answer;

import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

import fleet.tower.access.Forbidden;
import fleet.tower.access.Places;
import fleet.tower.access.Role;
import fleet.tower.lease.Decision;
import fleet.tower.lock.RefusalKind;
import fleet.tower.operation.Arg;
import fleet.tower.operation.HaltedCall;
import fleet.tower.operation.TokenRevoked;
import fleet.tower.operation.TooManyCalls;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.RunRefusalJson;

/** Problems that any request may have, at any door. */
public final class CommonProblems {
  private static final int MAX_SHOWN = 40;
  private static final int MAX_SECONDS_UNTIL_RETRY = 3;
  /** Spaces out retries when too many wait; the actual time is unknown. */
  public static final String SECONDS_UNTIL_ROOM = "5";
  /** What a caller can do about a home that fails. */
  static final String EXAMINE = "have an operator examine the home on the service's host";

  private CommonProblems() {}

  /** When to try again, if it is not known when there is room. */
  static Instant untilRoom(Instant now) {
    return now.plusSeconds(Long.parseLong(SECONDS_UNTIL_ROOM));
  }

  /** An unknown or invalid member of the body, or parameter of the query. */
  public static RefusedCall invalid(String member, String detail, String suggestion) {
    return new RefusedCall(
        Problem.of(ErrorCode.INVALID_REQUEST, detail, suggestion).with("member", member));
  }

  /** An argument with an invalid value. */
  public static RefusedCall wrong(Arg<?> arg, String shown) {
    String value = shown.length() <= MAX_SHOWN ? shown : shown.substring(0, MAX_SHOWN) + "…";
    return invalid(arg.name(), "'" + arg.name() + "' must be " + arg.kind().expected() + ", not '" + value + "'",
        arg.kind().nearest(shown).map(nearest -> "did you mean " + nearest + "?")
            .orElse("correct the value or omit '" + arg.name() + "'"));
  }

  /** The caller is known but not permitted. */
  public static Problem of(Forbidden forbidden) {
    Role needed = forbidden.needed();
    Problem problem = Problem.of(ErrorCode.FORBIDDEN, forbidden.problem(), "use what your token permits")
        .next(Remedies.forbidden(needed));
    problem.with("reason", forbidden.reason().toString());
    return needed == null ? problem : problem.with("required_role", needed.toString());
  }

  /** The service is stopping. */
  public static Problem closing(String what) {
    return Problem.of(ErrorCode.SHUTTING_DOWN, what + ", because the service is shutting down",
        "try again when it is back");
  }

  /** The credentials are missing or invalid. */
  public static Problem unauthorized(String detail) {
    return Problem.of(ErrorCode.UNAUTHORIZED, detail,
        "send a valid token in the header `Authorization: Bearer TOKEN`");
  }

  /** An invalid value from outside. */
  public static Problem of(InvalidValue invalid) {
    return Problem.of(ErrorCode.of(invalid.kind()), invalid.problem(), "correct the value and call again");
  }

  /** The problem of a call that ended with an exception; empty for an exception that no call should throw. */
  public static Optional<Problem> ofFailure(Exception failure) {
    return switch (failure) {
      case RefusedCall e -> Optional.of(e.problem());
      case InvalidValue e -> Optional.of(of(e));
      case Forbidden e -> Optional.of(of(e));
      case StorageException e -> Optional.of(of(e));
      case TooManyCalls e -> Optional.of(tooMany(e.none()));
      case HaltedCall e -> Optional.of(barred("what you requested", e.why()));
      case TokenRevoked _ ->
        Optional.of(unauthorized("your token was revoked or has expired while the call waited"));
      case UncheckedIOException e -> Optional.of(storage(String.valueOf(e.getMessage())));
      default -> Optional.empty();
    };
  }

  /** An operator's order or rule is against a request; {@code what} completes "is halted". */
  static Problem barred(String what, Decision.Barred barred) {
    return Problem.ofAnswer(RefusalKind.of(barred).code(), what + " is " + LockText.describe(barred),
        RunRefusalJson.write(new RunRefusal.Barred(barred)));
  }

  private static Problem tooMany(Places.NoPlace none) {
    String detail = switch (none.bound()) {
      case ALL -> none.most() + " calls already wait or stream here";
      case UNRESERVED -> none.most() + " calls already wait or stream here, and the other places are for operators";
      case SHARE -> "you have as many calls that wait or stream here as one caller may have: " + none.most();
    };
    String setting = switch (none.bound()) {
      case ALL, UNRESERVED -> "tower.calls.max-waiting sets the limit";
      case SHARE -> "tower.callers.max-share sets the share of a caller";
    };
    return Problem.of(ErrorCode.TOO_MANY_WAITING_CALLS, detail, JsonWriter.line().put("limit", none.most())
        .put("suggestion", "try again in a moment, or without waiting; " + setting))
        .header("Retry-After", SECONDS_UNTIL_ROOM);
  }

  /** The storage of the home failed. */
  public static Problem of(StorageException broken) {
    return storage(broken.code(), broken.publicMessage());
  }

  /** The storage of the home is unavailable. */
  public static Problem storage(String detail) {
    return storage(ErrorCode.STORAGE_UNAVAILABLE, detail);
  }

  /** The storage of the home failed in the way that a code names. */
  public static Problem storage(ErrorCode code, String detail) {
    return soon(Problem.of(code, detail, "see `tower doctor` on the service's host").suggestingToAgents(EXAMINE));
  }

  /** The same problem with a short {@code Retry-After}, which differs so that not all callers return at once. */
  public static Problem soon(Problem unavailable) {
    return unavailable.header("Retry-After",
        Integer.toString(1 + ThreadLocalRandom.current().nextInt(MAX_SECONDS_UNTIL_RETRY)));
  }

  /** A bug. */
  public static Problem internal() {
    return Problem.of(ErrorCode.INTERNAL_ERROR, "internal error",
        "see the service's log; this is a bug, please report it");
  }
}
