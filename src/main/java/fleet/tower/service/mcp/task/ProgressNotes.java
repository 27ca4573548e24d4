package fleet.tower.service.mcp.task;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.run.Run;
import fleet.tower.run.StepLogs;
import fleet.tower.run.StepRecord;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.service.mcp.wire.Exchange;

/**
 * The progress notifications of one call: one for each boundary of a step, and between two of them at most two a
 * second, each with something new. Only the thread of the call reports.
 *
 * <p>A boundary is the start of a step, which is the end of the step before it, or the end of the run. None is skipped:
 * a report that comes late, because steps are short or began before the call, starts with those that are missing.
 *
 * <p>The number grows with every notification, as the protocol requires: it is the number of steps that have succeeded,
 * plus a fraction that approaches 1 until the next one has.
 */
final class ProgressNotes implements AutoCloseable {
  private static final Duration BETWEEN_NOTES = Duration.ofMillis(500);
  static final int MAX_LENGTH = 200;

  private final Exchange exchange;
  private final Optional<String> token;
  private final RunHandle handle;
  private final Scheduler scheduler;
  private final StepLogs logs;
  private volatile boolean isTooEarly = true;
  private volatile boolean isDelayed;
  private Scheduler.Pending pause;
  private String last = "";
  private int reportedSteps;
  private long succeeded;
  private long notesSinceSuccess;

  ProgressNotes(Exchange exchange, RunHandle handle, Scheduler scheduler, StepLogs logs) {
    this.exchange = exchange;
    this.token = exchange.request().progressToken();
    this.handle = handle;
    this.scheduler = scheduler;
    this.logs = logs;
    this.pause = token.isEmpty() ? () -> {} : scheduler.after(BETWEEN_NOTES, this::open);
  }

  private void open() {
    isTooEarly = false;
    if (isDelayed) {
      handle.wake();
    }
  }

  void report(Run run) {
    if (token.isEmpty()) {
      return;
    }
    List<StepRecord> begun = run.begun();
    while (reportedSteps < begun.size()) {
      List<StepRecord> before = begun.subList(0, reportedSteps);
      send(run, before, RunTaskText.step(run, begun.get(reportedSteps)));
      reportedSteps++;
    }
    if (!run.status().isFinished()) {
      reportBetween(run, begun);
    } else if (!begun.isEmpty()) {
      send(run, begun, RunTaskText.state(run, Optional.empty()));
    }
  }

  private void reportBetween(Run run, List<StepRecord> begun) {
    if (!begun.isEmpty() && begun.getLast().isFinished()) {
      return;
    }
    isDelayed = true;
    if (isTooEarly) {
      return;
    }
    isDelayed = false;
    String message = Excerpt.line(RunTaskText.state(run, handle.waiting()) + lastLine(run), MAX_LENGTH);
    if (!message.equals(last)) {
      isTooEarly = true;
      pause = scheduler.after(BETWEEN_NOTES, this::open);
      send(run, begun, message);
    }
  }

  /** @param begun the steps that had begun when there was this to say */
  private void send(Run run, List<StepRecord> begun, String message) {
    last = Excerpt.line(message, MAX_LENGTH);
    exchange.send("notifications/progress", JsonWriter.line().raw("progressToken", token.orElseThrow())
        .raw("progress", progress(begun)).put("total", run.progress().steps().size()).put("message", last));
  }

  private String progress(List<StepRecord> begun) {
    long now = begun.stream().filter(step -> step.kind() == StepRecord.Kind.STEP
        && step.status() == StepRecord.Status.SUCCEEDED).count();
    if (now > succeeded) {
      succeeded = now;
      notesSinceSuccess = 0;
    }
    String number = Double.toString(succeeded + notesSinceSuccess / (notesSinceSuccess + 1.0));
    notesSinceSuccess++;
    return number;
  }

  /** The last line that the running step has printed. */
  private String lastLine(Run run) {
    List<StepRecord> begun = run.begun();
    if (begun.isEmpty()) {
      return "";
    }
    try {
      String line = Excerpt.lastLine(logs.tail(run.requestId(), begun.getLast().logName()));
      return line.isEmpty() ? "" : ": " + line;
    } catch (StorageException e) {
      return "";
    }
  }

  @Override
  public void close() {
    pause.cancel();
  }
}
