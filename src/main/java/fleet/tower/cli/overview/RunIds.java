package fleet.tower.cli.overview;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import fleet.tower.answer.CommandLine;
import fleet.tower.answer.RefusedCommand;
import fleet.tower.answer.Reply;
import fleet.tower.cli.shell.Asking;
import fleet.tower.lease.RequestId;
import fleet.tower.operation.Given;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Nearest;

/** Ids of runs as people write and read them: the beginning of an id is enough if it belongs to one run. */
final class RunIds {
  private static final String START = "req_";
  /** The shortest accepted beginning, without {@link #START}. */
  private static final int MIN_DIGITS = 4;
  /** The number of digits in tables; with a million runs, one in four thousand ids needs one more. */
  private static final int SHOWN_DIGITS = 8;
  private static final int DIGITS = 24;
  private static final Pattern GENERATED = Pattern.compile(START + "[0-9a-f]{" + DIGITS + "}");
  private static final int MAX_CANDIDATES = 10;
  private static final int RUNS_TO_COMPARE = 200;

  private RunIds() {}

  /** The run that a text names. */
  static JsonObject find(String typed, Asking runs) {
    RequestId id = new RequestId(typed);
    try {
      return runs.ask(RunOperations.VIEW, Given.NOTHING.with(RunOperations.RUN, id.value()));
    } catch (RefusedCommand refusal) {
      if (!refusal.is(ErrorCode.RUN_NOT_FOUND)) {
        throw refusal;
      }
      List<String> found = beginningWith(typed, runs);
      return switch (found.size()) {
        case 0 -> throw nearest(typed, runs, refusal);
        case 1 -> runs.ask(RunOperations.VIEW, Given.NOTHING.with(RunOperations.RUN, found.getFirst()));
        default -> throw ambiguous(typed, found);
      };
    }
  }

  /** The id of the run that a text names. */
  static RequestId resolve(String typed, Asking runs) {
    return new RequestId(find(typed, runs).text("request_id").orElse(typed));
  }

  private static List<String> beginningWith(String typed, Asking runs) {
    Stream<String> beginnings = typed.startsWith(START) ? Stream.of(typed) : Stream.of(typed, START + typed);
    String digits = typed.startsWith(START) ? typed.substring(START.length()) : typed;
    return digits.length() < MIN_DIGITS
        ? List.of()
        : beginnings.flatMap(beginning -> ids(runs, Given.NOTHING.with(RunOperations.ID_PREFIX, beginning),
            MAX_CANDIDATES + 1).stream()).toList();
  }

  private static List<String> ids(Asking runs, Given wanted, long limit) {
    return runs.ask(RunOperations.LIST, wanted.with(RunOperations.LIMIT, limit)).objects("runs").stream()
        .flatMap(run -> run.text("request_id").stream()).toList();
  }

  private static RefusedCommand nearest(String typed, Asking runs, RefusedCommand refusal) {
    List<String> near = Nearest.all(typed, ids(runs, Given.NOTHING, RUNS_TO_COMPARE));
    boolean isShort = typed.startsWith(START) && typed.length() < START.length() + MIN_DIGITS;
    if (near.isEmpty() && !isShort) {
      return refusal;
    }
    return new RefusedCommand(ErrorCode.RUN_NOT_FOUND,
        Reply.failure(ErrorCode.RUN_NOT_FOUND, "there is no run " + typed,
            isShort
                ? "write at least " + MIN_DIGITS + " characters after " + START + "; see `"
                    + new CommandLine(RunOperations.LIST) + "`"
                : "did you mean " + String.join(", or ", near) + "?",
            context(typed, "closest", near)));
  }

  private static RefusedCommand ambiguous(String typed, List<String> found) {
    String list = String.join(", ", found.subList(0, Math.min(MAX_CANDIDATES, found.size())));
    return new RefusedCommand(ErrorCode.AMBIGUOUS_RUN_ID, Reply.failure(ErrorCode.AMBIGUOUS_RUN_ID,
        "several runs have an id that begins with " + typed + ": " + list
            + (found.size() > MAX_CANDIDATES ? " and more" : ""),
        "write more of the id", context(typed, "candidates", found)));
  }

  private static JsonWriter context(String typed, String key, List<String> ids) {
    return JsonWriter.line().put("request_id", typed).list(key, ids.stream().map(JsonWriter::quote).toList());
  }

  /** The ids of a table: generated ones are shortened as far as they still differ, others are shown in full. */
  static List<String> shortened(List<String> ids) {
    int digits = SHOWN_DIGITS;
    while (digits < DIGITS && shortened(ids, digits).distinct().count() < ids.stream().distinct().count()) {
      digits++;
    }
    return shortened(ids, digits).toList();
  }

  private static Stream<String> shortened(List<String> ids, int digits) {
    return ids.stream().map(id -> GENERATED.matcher(id).matches() ? id.substring(0, START.length() + digits) : id);
  }
}
