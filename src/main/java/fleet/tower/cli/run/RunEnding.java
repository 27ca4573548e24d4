package fleet.tower.cli.run;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Supplier;

import fleet.tower.answer.ApprovalText;
import fleet.tower.answer.CommandLine;
import fleet.tower.answer.Remedies;
import fleet.tower.answer.Remedy;
import fleet.tower.answer.Reply;
import fleet.tower.answer.RunAnswers;
import fleet.tower.answer.RunJson;
import fleet.tower.answer.Table;
import fleet.tower.intent.Intent;
import fleet.tower.lease.Actor;
import fleet.tower.lease.RequestId;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.TimeSpans;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.run.Run;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.RunRefusalJson;
import fleet.tower.run.RunStatus;
import fleet.tower.run.StepRecord;

/**
 * A run as the command line prints it, from the data of an answer.
 *
 * @param data the run for programs, which is read only on request
 * @param logs the place of the complete output
 * @param isReplay whether the request was a repeat
 */
public record RunEnding(JsonObject run, Supplier<JsonWriter> data, String logs, boolean isReplay) {
  private static final String SKIPPED = "skipped: ";

  /** A run of the home. */
  public static RunEnding of(Run run, Function<StepRecord, String> tail, String logs, boolean isReplay) {
    return new RunEnding(JsonReader.readOwn(RunJson.run(run, _ -> "").end()), () -> RunJson.run(run, tail), logs,
        isReplay);
  }

  /** A run of a service. */
  public static RunEnding ofService(JsonObject run, boolean isReplay) {
    return new RunEnding(run, () -> JsonWriter.line().members(run),
        "logs/runs/" + text(run, "request_id") + " of the service's home", isReplay);
  }

  /** The answer; with a table of the steps on a terminal. */
  public Reply reply(boolean withTable) {
    Optional<RunRefusal> refusal = run.object("refusal").map(RunRefusalJson::read);
    if (refusal.isPresent()) {
      return Reply.of(RunAnswers.refused(refused(), refusal.get(), null));
    }
    if (status() == RunStatus.AWAITING_APPROVAL) {
      return awaiting();
    }
    Reply reply = Reply.lazily(exit(), () -> data.get().put("replayed", isReplay));
    if (withTable) {
      Table.lines(rows()).forEach(reply::words);
    }
    reply.words("tower: " + sentence());
    undone().ifPresent(reply::words);
    if (!status().isFinished()) {
      reply.next(unfinished(Remedies.await(id())));
    }
    return exit().equals(Exit.DONE) ? reply : reply.words("  output of its steps: " + logs);
  }

  /** The part of a refused run that its refusal refers to. */
  private Run refused() {
    Run.Header header = Run.Header.of(id(), new Run.Subject(text(run, "intent"), text(run, "intent_version"),
        Intent.Mode.valueOf(text(run, "mode").toUpperCase(Locale.ROOT))),
        new Run.Origin(new Actor(text(run, "actor"), null, null), "{}", null), moment("created_at").orElseThrow());
    return new Run(header, status(), null, Run.Progress.of(List.of()), List.of(), null,
        moment("finished_at").orElse(null), null, null);
  }

  /** The reply for a run that waits for its approval. */
  private Reply awaiting() {
    return Reply.lazily(exit(), () -> data.get().put("replayed", isReplay)).data(id().value())
        .words("tower: run " + id() + " waits for " + ApprovalText.of(run) + "; show and approve it: "
            + ApprovalText.command(id()))
        .next(unfinished(Remedies.await(id()))).by(text(run, "actor"));
  }

  /** The reply for a run that others execute; a repeated request may find it finished. */
  public Reply submitted() {
    if (status() == RunStatus.AWAITING_APPROVAL) {
      return awaiting();
    }
    if (status().isFinished()) {
      return new RunEnding(run, data, "logs/runs/" + id(), isReplay).reply(false);
    }
    return Reply.lazily(Exit.DONE, () -> data.get().put("replayed", isReplay)).data(id().value())
        .words("tower: run " + id() + (run.isTrue("queued") ? " is queued" : " is " + status()) + "; follow it with: "
            + CommandLine.of(RunOperations.VIEW, RunOperations.of(id())) + " --follow, or wait for its end: "
            + CommandLine.of(RunOperations.AWAIT, RunOperations.of(id())))
        .next(unfinished(Remedies.await(id()))).by(text(run, "actor"));
  }

  /** The note before the output of a run that was requested before. */
  public static String repeated(RequestId id) {
    return "run " + id + " was requested before; nothing was started; this is its output";
  }

  /** What may be done about a run that has not ended. */
  public List<Remedy> unfinished(Remedy wait) {
    return Remedies.unfinished(id(), text(run, "actor"), status(), wait);
  }

  private RequestId id() {
    return new RequestId(text(run, "request_id"));
  }

  /** Its state. */
  public RunStatus status() {
    return RunStatus.valueOf(text(run, "status").toUpperCase(Locale.ROOT));
  }

  private Exit exit() {
    return switch (status()) {
      case SUCCEEDED -> Exit.DONE;
      case LOCK_LOST -> Exit.LOST;
      case AWAITING_APPROVAL -> Exit.HELD;
      case WAITING, RUNNING, FAILED, CANCELLED, TIMED_OUT, INTERRUPTED, REFUSED -> Exit.FAILED;
    };
  }

  /** How it ended, in one sentence. */
  public String sentence() {
    StringBuilder sentence = new StringBuilder("run " + id());
    sentence.append(isReplay ? " ran before: it " : " ").append(switch (status()) {
      case AWAITING_APPROVAL -> "waits for approval";
      case WAITING -> "is waiting";
      case RUNNING -> "is running";
      case SUCCEEDED -> run.isTrue("unchanged") ? "found the desired state, and changed nothing," : "succeeded";
      case FAILED -> "failed";
      case CANCELLED -> isReplay ? "was cancelled" : "cancelled";
      case TIMED_OUT -> "timed out";
      case LOCK_LOST -> "lost its lock";
      case INTERRUPTED -> "was interrupted, because its executor died,";
      case REFUSED -> "was refused";
    });
    run.text("failure_step").ifPresent(step -> sentence.append(" at step ").append(step));
    Optional<Instant> end = moment("finished_at");
    if (end.isEmpty()) {
      return sentence.append(" in another process").toString();
    }
    if (isReplay) {
      return sentence.append(" at ").append(Timestamps.format(end.get())).toString();
    }
    Duration took = Duration.between(moment("created_at").orElseThrow(), end.get());
    return sentence.append(exit().equals(Exit.DONE) ? " in " : " after ").append(TimeSpans.precise(took)).toString();
  }

  private Optional<String> undone() {
    Optional<String> stopped = run.objects("rollback").stream().filter(RunEnding::isReason).findFirst()
        .map(reason -> text(reason, "note").substring(SKIPPED.length()));
    if (stopped.isPresent()) {
      return Optional.of("tower: rollback stopped: " + stopped.get());
    }
    List<JsonObject> pieces = run.objects("rollback");
    List<String> failed = pieces.stream().filter(piece -> !new StepText(piece).isGood()).map(this::titleOfPiece)
        .toList();
    if (pieces.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(failed.isEmpty()
        ? "tower: rolled back"
        : "tower: rollback incomplete: " + String.join(", ", failed) + " failed");
  }

  /** Whether an entry of the rollback is the reason why it was skipped. */
  private static boolean isReason(JsonObject piece) {
    return text(piece, "note").startsWith(SKIPPED);
  }

  /** A log tells what a piece of the rollback belongs to; one that has not begun has none. */
  private String titleOfPiece(JsonObject piece) {
    String name = text(piece, "name");
    boolean isOfStep = piece.text("log").map(StepRecord.pending(name, StepRecord.Kind.STEP_ROLLBACK).logName()::equals)
        .orElseGet(() -> run.objects("steps").stream().anyMatch(step -> text(step, "name").equals(name)));
    return StepText.title(name, isOfStep ? StepRecord.Kind.STEP_ROLLBACK : StepRecord.Kind.RUN_ROLLBACK);
  }

  private List<List<String>> rows() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("STEP", "STATUS", "EXIT", "TIME"));
    run.objects("steps").forEach(step -> rows.add(row(text(step, "name"), step)));
    run.objects("rollback").stream().filter(piece -> !isReason(piece))
        .forEach(piece -> rows.add(row(titleOfPiece(piece), piece)));
    return rows;
  }

  private static List<String> row(String title, JsonObject step) {
    OptionalLong exitCode = step.integer("exit_code");
    return List.of(title, text(step, "status"), exitCode.isPresent() ? Long.toString(exitCode.getAsLong()) : "",
        step.text("started_at").isPresent() ? new StepText(step).time() : "");
  }

  private Optional<Instant> moment(String key) {
    return run.text(key).flatMap(Timestamps::parse);
  }

  private static String text(JsonObject json, String key) {
    return json.text(key).orElse("");
  }
}
