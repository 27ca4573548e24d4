package fleet.tower.cli.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

import fleet.tower.cli.reply.ErrorCode;
import fleet.tower.cli.reply.RunJson;
import fleet.tower.cli.reply.Table;
import fleet.tower.cli.shell.Durations;
import fleet.tower.cli.shell.Exit;
import fleet.tower.cli.shell.Reply;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.run.Run;
import fleet.tower.run.StepRecord;

/**
 * A run that is over, as the command line tells it.
 *
 * @param tail the end of what a step printed
 * @param logs where all that the steps printed is kept
 * @param isReplay whether the same request came before
 */
public record RunEnding(Run run, Function<StepRecord, String> tail, String logs, boolean isReplay) {

  /** The answer; with a table of the steps where somebody looks at a terminal. */
  public Reply reply(boolean withTable) {
    String refusal = run.refusal();
    if (refusal != null) {
      return refused(refusal);
    }
    Reply reply = Reply.lazily(exit(), () -> RunJson.run(run, tail));
    if (withTable) {
      Table.lines(rows()).forEach(reply::words);
    }
    reply.words("tower: " + sentence());
    undone().ifPresent(reply::words);
    return exit().equals(Exit.DONE) ? reply : reply.words("  what its steps printed is in " + logs);
  }

  private Exit exit() {
    return switch (run.status()) {
      case SUCCEEDED -> Exit.DONE;
      case LOCK_LOST -> Exit.LOST;
      case WAITING, RUNNING, FAILED, CANCELLED, TIMED_OUT, INTERRUPTED -> Exit.FAILED;
    };
  }

  /** How it ended, in a sentence. */
  public String sentence() {
    StringBuilder sentence = new StringBuilder("run " + run.requestId());
    sentence.append(isReplay ? " came before: it " : " ").append(switch (run.status()) {
      case WAITING -> "waits";
      case RUNNING -> "goes on";
      case SUCCEEDED -> "succeeded";
      case FAILED -> "failed";
      case CANCELLED -> isReplay ? "was cancelled" : "cancelled";
      case TIMED_OUT -> "timed out";
      case LOCK_LOST -> "lost its lock";
      case INTERRUPTED -> "was interrupted, because its executor died,";
    });
    if (run.progress().failureStep() != null) {
      sentence.append(" at step ").append(run.progress().failureStep());
    }
    if (run.finishedAt() == null) {
      return sentence.append(" in another process").toString();
    }
    if (isReplay) {
      return sentence.append(" at ").append(Timestamps.format(run.finishedAt())).toString();
    }
    Duration took = Duration.between(run.header().createdAt(), run.finishedAt());
    return sentence.append(exit().equals(Exit.DONE) ? " in " : " after ").append(Durations.precise(took)).toString();
  }

  private Optional<String> undone() {
    List<StepRecord> pieces = run.progress().rollback();
    if (run.progress().rollbackSkipped() != null) {
      return Optional.of("tower: nothing more was rolled back: " + run.progress().rollbackSkipped());
    }
    List<String> failed = pieces.stream().filter(piece -> piece.status() != StepRecord.Status.SUCCEEDED)
        .map(Phrases::title).toList();
    if (pieces.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(failed.isEmpty()
        ? "tower: rolled back"
        : "tower: not all is rolled back: " + String.join(", ", failed) + " failed");
  }

  private List<List<String>> rows() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("STEP", "STATUS", "EXIT", "TIME"));
    Stream.concat(run.progress().steps().stream(), run.progress().rollback().stream())
        .forEach(step -> rows.add(List.of(
            step.kind() == StepRecord.Kind.STEP ? step.name() : Phrases.title(step),
            step.status().toString(), step.exitCode() == null ? "" : step.exitCode().toString(),
            step.hasBegun() ? Phrases.time(step) : "")));
    return rows;
  }

  /** It waited for its lock and was refused after all; nothing was done. */
  private Reply refused(String refusal) {
    JsonObject members;
    try {
      members = JsonReader.readObject(refusal);
    } catch (JsonException e) {
      throw new IllegalStateException("a refusal is kept as JSON", e);
    }
    String code = members.text("error").orElse("lock_blocked");
    JsonWriter context = JsonWriter.line().put("request_id", run.requestId().value());
    members.members().forEach((name, value) -> context.raw(name, members.raw(value)));
    if (code.equals(ErrorCode.FOREIGN_LOCK.code())) {
      return Reply.failure(Exit.HELD, code, "nothing was run: foreign lock " + members.text("foreign_lock").orElse("")
          + " is in the way" + members.text("holder").map(holder -> ", held by " + holder)
              .or(() -> members.text("problem").map(problem -> ": " + problem)).orElse(""),
          members.text("suggestion").orElse(""), context);
    }
    if (code.equals("intent_changed")) {
      return Reply.failure(Exit.FAILED, code, "nothing was run: intent " + run.header().subject().intent()
          + " has changed since the run was asked for: " + members.text("problem").orElse(""),
          members.text("suggestion").orElse(""), context);
    }
    String lock = "lock " + members.text("lock_name").orElse("of the run");
    String holder = members.object("held_by")
        .map(by -> ", held by " + by.text("actor").orElse("somebody") + " on " + by.text("host_id").orElse("some host")
            + " (intent " + by.text("intent").orElse("none") + ", request " + by.text("request_id").orElse("none")
            + ")")
        .orElse("");
    return Reply.failure(exitOf(code), code, "nothing was run: " + lock + switch (code) {
      case "lock_wait_timeout" -> " was not free in time" + holder;
      case "lock_stale" -> " is stale" + holder;
      case "too_many_waiters" -> " has too many who wait for it already";
      default -> " was refused (" + code + ")" + holder;
    }, members.text("suggestion").orElse(""), context);
  }

  private static Exit exitOf(String code) {
    return switch (code) {
      case "lock_wait_timeout", "lock_blocked", "too_many_waiters" -> Exit.HELD;
      case "lock_stale" -> Exit.STALE;
      case "storage_unavailable" -> Exit.UNAVAILABLE;
      default -> Exit.FAILED;
    };
  }
}
