package fleet.tower.platform;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * The code of an error, which programs branch on. It is the same at both doors, and each door has one number for it:
 * the exit code of a command and the status of an HTTP answer.
 */
public enum ErrorCode {
  /** The lock is held. */
  LOCK_BLOCKED(Exit.HELD, 409),
  /** The lock is stale, and the request is without force. */
  LOCK_STALE(Exit.STALE, 409),
  /** The name is frozen. */
  LOCK_FROZEN(Exit.HELD, 409),
  /** An operator has halted what was requested. */
  HALTED(Exit.HELD, 409),
  /** The halt does not exist. */
  HALT_NOT_FOUND(Exit.NOT_FOUND, 404),
  /** The policy does not allow it at this time. */
  WINDOW_CLOSED(Exit.HELD, 409),
  /** The policy does not allow the values of the parameters. */
  PARAMS_NOT_ALLOWED(Exit.DENIED, 403),
  /** The policy does not allow so many. */
  QUOTA_EXCEEDED(Exit.HELD, 429),
  /** The lock file cannot be read. */
  LOCK_CORRUPT(Exit.FAILED, 409),
  /** The lock file has a version that this program does not know. */
  UNSUPPORTED_LOCK_VERSION(Exit.FAILED, 409),
  /** The wait for the lock timed out. */
  LOCK_WAIT_TIMEOUT(Exit.HELD, 409),
  /** The lock has as many waiters as it may have. */
  TOO_MANY_WAITERS(Exit.HELD, 429),
  /** The waiting request was withdrawn. */
  LOCK_REQUEST_WITHDRAWN(Exit.FAILED, 409),
  /** The request to withdraw does not wait. */
  NOT_WAITING(Exit.FAILED, 404),
  /** The lock does not exist. */
  LOCK_NOT_FOUND(Exit.NOT_FOUND, 404),
  /** The lock is another owner's. */
  NOT_LOCK_OWNER(Exit.NOT_OWNER, 409),
  /** The request id is a run's, whose lock only its executor acquires, renews and releases. */
  LOCK_OF_RUN(Exit.NOT_OWNER, 409),
  /** The lock to remove by force is that of a live run. */
  RUN_ACTIVE(Exit.HELD, 409),
  /** The lock was the caller's, and has a newer fencing token. */
  LOCK_LOST(Exit.LOST, 409),
  /** The lock could not be removed. */
  LOCK_RELEASE_FAILED(Exit.FAILED, 503),
  /** The name is not frozen. */
  NOT_FROZEN(Exit.NOT_FOUND, 404),
  /** Another tool holds its lock. */
  FOREIGN_LOCK(Exit.HELD, 409),
  /** The intent does not exist. */
  INTENT_NOT_FOUND(Exit.NOT_FOUND, 404),
  /** The intent has changed since the run was queued. */
  INTENT_CHANGED(Exit.FAILED, 409),
  /** The intent has no probe. */
  NO_PROBE(Exit.FAILED, 409),
  /** The run would differ from the plan that the request names. */
  PLAN_CHANGED(Exit.HELD, 409),
  /** The intent does not take these parameters. */
  INVALID_PARAMS(Exit.USAGE, 400),
  /** A person rejected the run. */
  APPROVAL_REJECTED(Exit.HELD, 409),
  /** Not enough persons approved the run in time, or it did not begin in time after that. */
  APPROVAL_EXPIRED(Exit.HELD, 409),
  /** The approval is decided, or its time is over. */
  APPROVAL_CLOSED(Exit.HELD, 409),
  /** No such run needs or needed an approval. */
  APPROVAL_NOT_FOUND(Exit.NOT_FOUND, 404),
  /** The run would do something else than the voter was shown. */
  PLAN_HASH_MISMATCH(Exit.HELD, 409),
  /** The voter requested the run, or it was requested for the voter. */
  OWN_REQUEST(Exit.DENIED, 403),
  /** The process that had the secrets of the run in memory has ended. */
  SECRETS_LOST(Exit.FAILED, 409),
  /** The run does not exist. */
  RUN_NOT_FOUND(Exit.NOT_FOUND, 404),
  /** Several runs have an id that begins like the given one. */
  AMBIGUOUS_RUN_ID(Exit.USAGE),
  /** The run had not ended when {@code tower wait} timed out. */
  RUN_WAIT_TIMEOUT(Exit.HELD),
  /** The run has finished. */
  RUN_FINISHED(Exit.FAILED, 409),
  /** The executor has as many runs as it may have. */
  TOO_MANY_RUNS(Exit.HELD, 429),
  /** The intent declares no lock, and the command requires one. */
  LOCK_REQUIRED(Exit.USAGE),
  /** A task of this id exists. */
  TASK_EXISTS(Exit.FAILED, 409),
  /** The task does not exist. */
  TASK_NOT_FOUND(Exit.NOT_FOUND, 404),
  /** The task is completed. */
  TASK_COMPLETED(Exit.FAILED, 409),
  /** The task depends on tasks that do not exist. */
  UNKNOWN_DEPENDENCY(Exit.NOT_FOUND, 422),
  /** The task depends on tasks that are not completed. */
  DEPENDENCIES_OPEN(Exit.HELD, 409),
  /** The task is claimed. */
  CLAIM_CONTENTION(Exit.HELD, 409),
  /** The claim is not the caller's; a command exits with {@link Exit#LOST} if it used to be. */
  CLAIM_NOT_OWNED(Exit.NOT_OWNER, 409),
  /** Another message of this id exists. */
  MESSAGE_EXISTS(Exit.FAILED, 409),
  /** The mailbox has as many messages, or bytes of them, as it may have. */
  MAILBOX_FULL(Exit.UNAVAILABLE, 507),
  /** The message has no reply address. */
  REPLY_NOT_AVAILABLE(Exit.FAILED, 422),
  /** The receipt is no longer valid. */
  RECEIPT_HANDLE_EXPIRED(Exit.LOST, 409),
  /** The dead letter does not exist. */
  DEAD_LETTER_NOT_FOUND(Exit.NOT_FOUND, 404),
  /** The name of a lock is not valid. */
  INVALID_LOCK_NAME(Exit.USAGE, 400),
  /** A value is not valid. */
  INVALID_REQUEST(Exit.USAGE, 400),
  /** The request id was used for another request. */
  IDEMPOTENCY_MISMATCH(Exit.USAGE, 422),
  /** The call has no valid token. */
  UNAUTHORIZED(Exit.DENIED, 401),
  /** The caller's role or token does not allow the call. */
  FORBIDDEN(Exit.DENIED, 403),
  /** Too many calls without a valid token came from the address. */
  TOO_MANY_BAD_TOKENS(Exit.FAILED, 429),
  /** The issuer of tokens cannot be reached. */
  IDENTITY_UNAVAILABLE(Exit.FAILED, 503),
  /** The token to revoke does not exist. */
  TOKEN_NOT_FOUND(Exit.NOT_FOUND),
  /** The files or the database do not work. */
  STORAGE_UNAVAILABLE(Exit.UNAVAILABLE, 503),
  /** Only the free space that is kept for locks is left on the disk. */
  DISK_FULL(Exit.UNAVAILABLE, 507),
  /** The service is stopping. */
  SHUTTING_DOWN(Exit.UNAVAILABLE, 503),
  /** The service cannot be reached. */
  SERVER_UNAVAILABLE(Exit.UNAVAILABLE),
  /** Another user's process listens at the address of the service. */
  SERVER_UNTRUSTED(Exit.UNAVAILABLE),
  /** The service has as many waiting calls as it may have. */
  TOO_MANY_WAITING_CALLS(Exit.FAILED, 429),
  /** A bug. */
  INTERNAL_ERROR(Exit.FAILED, 500),
  /** The path does not exist. */
  NOT_FOUND(Exit.FAILED, 404),
  /** The path does not take the method. */
  METHOD_NOT_ALLOWED(Exit.FAILED, 405),
  /** The method is not known. */
  NOT_IMPLEMENTED(Exit.FAILED, 501),
  /** The version of HTTP is not supported. */
  HTTP_VERSION_NOT_SUPPORTED(Exit.FAILED, 505),
  /** The path has no answer of an accepted type. */
  NOT_ACCEPTABLE(Exit.FAILED, 406),
  /** The body has a type that is not read. */
  UNSUPPORTED_MEDIA_TYPE(Exit.FAILED, 415),
  /** The body is too long. */
  CONTENT_TOO_LARGE(Exit.FAILED, 413),
  /** The request line (status 414) or the headers are too long. */
  HEADERS_TOO_LARGE(Exit.FAILED, 431),
  /** The command line is not valid. */
  USAGE(Exit.USAGE),
  /** The command was interrupted. */
  CANCELLED(Exit.FAILED),
  /** A file that the command names does not exist. */
  FILE_NOT_FOUND(Exit.NOT_FOUND),
  /** A command could not be started; the exit code is then that of a shell. */
  COMMAND_NOT_RUN(Exit.FAILED),
  /** No home was found. */
  NO_HOME(Exit.USAGE),
  /** The named directory is not a home. */
  NOT_A_HOME(Exit.USAGE),
  /** Two homes may be meant, and the command takes locks. */
  AMBIGUOUS_HOME(Exit.USAGE),
  /** Other users can change the home. */
  HOME_UNTRUSTED(Exit.DENIED),
  /** A file of configuration is not valid. */
  INVALID_CONFIG(Exit.MISCONFIGURED),
  /** Another machine uses the same host id. */
  HOST_ID_TAKEN(Exit.UNAVAILABLE),
  /** The home is in use, and so cannot be moved. */
  HOME_IN_USE(Exit.HELD),
  /** The database already has other things with the same names as those of the home to move. */
  MOVE_CLASHES(Exit.FAILED),
  /** The home has been moved, or its move has started. */
  HOME_MOVED(Exit.FAILED),
  /** The port is in use. */
  PORT_IN_USE(Exit.UNAVAILABLE),
  /** The service could not start. */
  START_FAILED(Exit.UNAVAILABLE);

  private static final Set<ErrorCode> PASSING = EnumSet.of(SERVER_UNAVAILABLE, SHUTTING_DOWN, STORAGE_UNAVAILABLE);
  /** A code that no HTTP answer has. */
  private static final int NO_STATUS = 0;

  private final int exit;
  private final int status;

  ErrorCode(Exit exit) {
    this(exit, NO_STATUS);
  }

  ErrorCode(Exit exit, int status) {
    this.exit = exit.code();
    this.status = status;
  }

  /** The code of a text; empty for an unknown one, which a newer service may send. */
  public static Optional<ErrorCode> of(String code) {
    return Arrays.stream(values()).filter(known -> known.code().equals(code)).findFirst();
  }

  /** The code for an invalid value. */
  public static ErrorCode of(InvalidValue.Kind kind) {
    return switch (kind) {
      case LOCK_NAME -> INVALID_LOCK_NAME;
      case REQUEST -> INVALID_REQUEST;
    };
  }

  /** The code as programs read it. */
  public String code() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The exit code of a command that fails with this code. */
  public Exit exit() {
    return new Exit(exit);
  }

  /** Whether HTTP answers have this code. */
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

  /** Whether the cause is temporary, so that the same call may succeed soon. */
  public boolean isPassing() {
    return PASSING.contains(this);
  }
}
