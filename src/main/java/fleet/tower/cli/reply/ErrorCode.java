package fleet.tower.cli.reply;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

import fleet.tower.cli.shell.Exit;
import fleet.tower.cli.shell.Reply;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonWriter;

/**
 * The code of an error, which programs branch on. It is the same at both doors, and each door has one number for it: the exit
 * code of a command and the status of an HTTP answer.
 */
public enum ErrorCode {
  LOCK_BLOCKED(Exit.HELD, 409), LOCK_STALE(Exit.STALE, 409), LOCK_FROZEN(Exit.HELD, 409), LOCK_CORRUPT(Exit.FAILED,
      409), UNSUPPORTED_LOCK_VERSION(Exit.FAILED, 409), LOCK_WAIT_TIMEOUT(Exit.HELD, 409), TOO_MANY_WAITERS(Exit.HELD,
          429), LOCK_REQUEST_WITHDRAWN(Exit.FAILED, 409), NOT_WAITING(Exit.FAILED, 404), LOCK_NOT_FOUND(Exit.NOT_FOUND,
              404), NOT_LOCK_OWNER(Exit.NOT_OWNER, 409), LOCK_LOST(Exit.LOST, 409), LOCK_RELEASE_FAILED(Exit.FAILED,
                  503), NOT_FROZEN(Exit.NOT_FOUND, 404), FOREIGN_LOCK(Exit.HELD, 409),

  INTENT_NOT_FOUND(Exit.NOT_FOUND, 404), INTENT_CHANGED(Exit.FAILED, 409), INVALID_PARAMS(Exit.USAGE,
      400), RUN_NOT_FOUND(Exit.NOT_FOUND, 404), RUN_FINISHED(Exit.FAILED,
          409), RUN_ELSEWHERE(Exit.FAILED, 409), TOO_MANY_RUNS(Exit.HELD, 429), LOCK_REQUIRED(Exit.USAGE),

  TASK_EXISTS(Exit.FAILED, 409), TASK_NOT_FOUND(Exit.NOT_FOUND, 404), TASK_COMPLETED(Exit.FAILED,
      409), UNKNOWN_DEPENDENCY(Exit.NOT_FOUND,
          422), DEPENDENCIES_OPEN(Exit.HELD, 409), CLAIM_CONTENTION(Exit.HELD, 409),
  /** For a claim that was the caller's, a command exits with {@link Exit#LOST}. */
  CLAIM_NOT_OWNED(Exit.NOT_OWNER, 409),

  MESSAGE_EXISTS(Exit.FAILED, 409), MAILBOX_FULL(Exit.HELD, 409), REPLY_NOT_AVAILABLE(Exit.FAILED,
      422), RECEIPT_HANDLE_EXPIRED(Exit.LOST, 409), DEAD_LETTER_NOT_FOUND(Exit.NOT_FOUND, 404),

  INVALID_LOCK_NAME(Exit.USAGE, 400), INVALID_REQUEST(Exit.USAGE, 400), IDEMPOTENCY_MISMATCH(Exit.USAGE, 422),

  UNAUTHORIZED(Exit.UNAVAILABLE, 401), FORBIDDEN(Exit.FAILED, 403), TOO_MANY_BAD_TOKENS(Exit.FAILED,
      429), IDENTITY_UNAVAILABLE(Exit.FAILED, 503), TOKEN_NOT_FOUND(Exit.NOT_FOUND),

  STORAGE_UNAVAILABLE(Exit.UNAVAILABLE, 503), SHUTTING_DOWN(Exit.UNAVAILABLE, 503), SERVER_UNAVAILABLE(
      Exit.UNAVAILABLE), SERVER_UNTRUSTED(
          Exit.UNAVAILABLE), TOO_MANY_WAITING_CALLS(Exit.FAILED, 429), INTERNAL_ERROR(Exit.FAILED, 500),

  NOT_FOUND(Exit.FAILED, 404), METHOD_NOT_ALLOWED(Exit.FAILED, 405), NOT_IMPLEMENTED(Exit.FAILED,
      501), HTTP_VERSION_NOT_SUPPORTED(Exit.FAILED, 505), NOT_ACCEPTABLE(Exit.FAILED, 406), UNSUPPORTED_MEDIA_TYPE(
          Exit.FAILED, 415), CONTENT_TOO_LARGE(Exit.FAILED, 413), HEADERS_TOO_LARGE(Exit.FAILED, 431),

  CANCELLED(Exit.FAILED), FILE_NOT_FOUND(Exit.NOT_FOUND),
  /** A command exits as a shell does that cannot start one. */
  COMMAND_NOT_RUN(Exit.FAILED), NO_HOME(Exit.USAGE), NOT_A_HOME(Exit.USAGE),

  INVALID_CONFIG(Exit.UNAVAILABLE), HOST_ID_TAKEN(Exit.UNAVAILABLE), PORT_IN_USE(Exit.UNAVAILABLE), START_FAILED(
      Exit.UNAVAILABLE);

  private static final Set<ErrorCode> PASSING = EnumSet.of(SERVER_UNAVAILABLE, SHUTTING_DOWN, STORAGE_UNAVAILABLE);
  /** Of a code that no HTTP answer has. */
  private static final int NO_STATUS = 0;

  private final Exit exit;
  private final int status;

  ErrorCode(Exit exit) {
    this(exit, NO_STATUS);
  }

  ErrorCode(Exit exit, int status) {
    this.exit = exit;
    this.status = status;
  }

  /** The code of a text; nothing for one that this program does not know, as a newer service may send. */
  public static Optional<ErrorCode> of(String code) {
    return Arrays.stream(values()).filter(known -> known.code().equals(code)).findFirst();
  }

  /** The code of a value that was refused. */
  public static ErrorCode of(InvalidValue.Kind kind) {
    return switch (kind) {
      case LOCK_NAME -> INVALID_LOCK_NAME;
      case REQUEST -> INVALID_REQUEST;
      case REQUEST_ID_IN_USE -> IDEMPOTENCY_MISMATCH;
    };
  }

  /** The code as programs read it. */
  public String code() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The exit code of a command that fails so. */
  public Exit exit() {
    return exit;
  }

  /** Whether a call of the service is answered so. */
  public boolean hasStatus() {
    return status != NO_STATUS;
  }

  /** The status of an HTTP answer. */
  public int status() {
    if (!hasStatus()) {
      throw new IllegalStateException("no HTTP answer has the code " + code());
    }
    return status;
  }

  /** Whether the cause passes by itself, so that the same call may succeed in a moment. */
  public boolean isPassing() {
    return PASSING.contains(this);
  }

  /** The failure of a command. */
  public Reply reply(String message, String suggestion) {
    return reply(message, suggestion, JsonWriter.line());
  }

  /** The failure of a command with details for programs. */
  public Reply reply(String message, String suggestion, JsonWriter context) {
    return Reply.failure(exit, code(), message, suggestion, context);
  }
}
