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
 * The progress notifications of one call: the first after half a second, because most calls end before, then at most
 * two a second, each with something new. Only the thread of the call reports.
 *
 * <p>The number grows with every notification, as the protocol requires: it is the number of ended steps, plus a
 * fraction that approaches 1 while a step lasts.
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
  private long ended;
  private long notesSinceEnded;

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
    if (token.isEmpty() || isBetweenSteps(run)) {
      return;
    }
    isDelayed = true;
    if (isTooEarly) {
      return;
    }
    isDelayed = false;
    String message = Excerpt.line(RunTaskText.state(run, handle.waiting()) + lastLine(run), MAX_LENGTH);
    if (!message.equals(last)) {
      last = message;
      isTooEarly = true;
      pause = scheduler.after(BETWEEN_NOTES, this::open);
      exchange.send("notifications/progress", JsonWriter.line().raw("progressToken", token.get())
          .raw("progress", progress(run)).put("total", run.progress().steps().size()).put("message", message));
    }
  }

  private static boolean isBetweenSteps(Run run) {
    return !run.begun().isEmpty() && run.begun().getLast().isFinished();
  }

  private String progress(Run run) {
    long endedNow = run.progress().steps().stream().filter(step -> step.hasBegun() && step.isFinished()).count();
    if (endedNow > ended) {
      ended = endedNow;
      notesSinceEnded = 0;
    }
    String number = Double.toString(ended + notesSinceEnded / (notesSinceEnded + 1.0));
    notesSinceEnded++;
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
