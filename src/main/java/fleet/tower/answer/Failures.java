package fleet.tower.answer;

import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonWriter;

/** Errors as the answers of commands. */
public final class Failures {
  private Failures() {}

  /** The failure of a command. */
  public static Reply of(ErrorCode code, String message, String suggestion) {
    return of(code, message, suggestion, JsonWriter.line());
  }

  /** The failure of a command with details for programs. */
  public static Reply of(ErrorCode code, String message, String suggestion, JsonWriter context) {
    return Reply.failure(code.exit(), code.code(), message, suggestion, context).general(NextActions.of(code));
  }
}
