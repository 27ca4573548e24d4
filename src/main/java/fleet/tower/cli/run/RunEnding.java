package fleet.tower.cli.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

import fleet.tower.answer.NextActions;
import fleet.tower.answer.Reply;
import fleet.tower.answer.RunAnswers;
import fleet.tower.answer.RunJson;
import fleet.tower.answer.Table;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.Exit;
import fleet.tower.platform.time.TimeSpans;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.run.Run;
import fleet.tower.run.StepRecord;

/**
 * A finished run as the command line prints it.
 *
 * @param tail the end of a step's output
 * @param logs the place of the complete output
 * @param isReplay whether the request was a repeat
 */
public record RunEnding(Run run, Function<StepRecord, String> tail, String logs, boolean isReplay) {

  /** The answer; with a table of the steps on a terminal. */
  public Reply reply(boolean withTable) {
    if (run.refusal() != null) {
      return Reply.of(RunAnswers.refused(run, run.refusal(), null));
    }
    Reply reply = Reply.lazily(exit(), () -> RunJson.run(run, tail).put("replayed", isReplay));
    if (withTable) {
      Table.lines(rows()).forEach(reply::words);
    }
    reply.words("tower: " + sentence());
    undone().ifPresent(reply::words);
    if (!run.status().isFinished()) {
      reply.next(NextActions.unfinished(run));
    }
    return exit().equals(Exit.DONE) ? reply : reply.words("  output of its steps: " + logs);
  }

  /** The note before the output of a run that was requested before. */
  public static String repeated(RequestId id) {
    return "run " + id + " was requested before; nothing was started; this is its output";
  }

  private Exit exit() {
    return switch (run.status()) {
      case SUCCEEDED -> Exit.DONE;
      case LOCK_LOST -> Exit.LOST;
      case WAITING, RUNNING, FAILED, CANCELLED, TIMED_OUT, INTERRUPTED, REFUSED -> Exit.FAILED;
    };
  }

  /** How it ended, in one sentence. */
  public String sentence() {
    StringBuilder sentence = new StringBuilder("run " + run.requestId());
    sentence.append(isReplay ? " ran before: it " : " ").append(switch (run.status()) {
      case WAITING -> "is waiting";
      case RUNNING -> "is running";
      case SUCCEEDED -> "succeeded";
      case FAILED -> "failed";
      case CANCELLED -> isReplay ? "was cancelled" : "cancelled";
      case TIMED_OUT -> "timed out";
      case LOCK_LOST -> "lost its lock";
      case INTERRUPTED -> "was interrupted, because its executor died,";
      case REFUSED -> "was refused";
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
    return sentence.append(exit().equals(Exit.DONE) ? " in " : " after ").append(TimeSpans.precise(took)).toString();
  }

  private Optional<String> undone() {
    List<StepRecord> pieces = run.progress().rollback();
    if (run.progress().rollbackSkipped() != null) {
      return Optional.of("tower: rollback stopped: " + run.progress().rollbackSkipped());
    }
    List<String> failed = pieces.stream().filter(piece -> piece.status() != StepRecord.Status.SUCCEEDED)
        .map(StepText::title).toList();
    if (pieces.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(failed.isEmpty()
        ? "tower: rolled back"
        : "tower: rollback incomplete: " + String.join(", ", failed) + " failed");
  }

  private List<List<String>> rows() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("STEP", "STATUS", "EXIT", "TIME"));
    Stream.concat(run.progress().steps().stream(), run.progress().rollback().stream())
        .forEach(step -> rows.add(List.of(
            step.kind() == StepRecord.Kind.STEP ? step.name() : StepText.title(step),
            step.status().toString(), step.exitCode() == null ? "" : step.exitCode().toString(),
            step.hasBegun() ? StepText.time(step) : "")));
    return rows;
  }
}
