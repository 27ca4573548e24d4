package fleet.tower.answer;

import java.io.UncheckedIOException;

import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.InvalidConfiguration;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.StorageException;

/** Failures and refusals of locks as the answers of commands. */
public final class Answers {
  private Answers() {}

  /** The answer to an exception of a command. */
  public static Reply failure(RuntimeException failure) {
    return switch (failure) {
      case InvalidValue e -> Failures.of(ErrorCode.of(e.kind()), e.problem(), "");
      case InvalidConfiguration e -> Failures.of(ErrorCode.INVALID_CONFIG, e.problem(), "correct it, and try again");
      case StorageException e ->
        Failures.of(e.code(), message(e), "see `tower doctor`");
      case RemoteRefusal refusal -> refusal.reply();
      case UncheckedIOException e -> Failures.of(ErrorCode.STORAGE_UNAVAILABLE, message(e),
          "see `tower doctor`");
      default -> Failures.of(ErrorCode.INTERNAL_ERROR, message(failure), "this is a bug; please report it");
    };
  }

  private static String message(RuntimeException failure) {
    return failure.getMessage() == null ? failure.toString() : failure.getMessage();
  }
}
