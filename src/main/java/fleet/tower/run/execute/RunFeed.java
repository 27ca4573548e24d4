package fleet.tower.run.execute;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.text.OutputText;
import fleet.tower.run.Run;
import fleet.tower.run.StepLogs;
import fleet.tower.run.StepLogs.MissingOutput;
import fleet.tower.run.StepRecord;

/**
 * The events of a run, in order. They are derived from the run's record and its logs, so a watcher can follow the run,
 * read it later, or resume after any event, and nothing is kept in memory for it.
 *
 * <p>An event's id is the position after it: the number of the step, and {@code s} for its start, a byte of its log, or
 * {@code e} for its end.
 */
public final class RunFeed {
  private static final Pattern ID = Pattern.compile("(\\d{1,6})\\.(s|e|\\d{1,18})");
  private static final String END = "end";
  private static final int BATCH = 500;
  private static final int CHUNK = 65_536;

  private final RunHandle handle;
  private final StepLogs logs;
  private int step;
  private boolean started;
  private long offset;
  private boolean sizesOnly;
  private boolean over;
  private @Nullable Instant heartbeat;
  private RunHandle.@Nullable HeartbeatFailure failure;

  private RunFeed(RunHandle handle, StepLogs logs) {
    this.handle = handle;
    this.logs = logs;
  }

  /** A feed from the beginning. */
  public static RunFeed of(RunHandle handle, StepLogs logs) {
    return new RunFeed(handle, logs);
  }

  /** A feed after an event; an invalid id means the beginning. */
  public static RunFeed after(String id, RunHandle handle, StepLogs logs) {
    RunFeed feed = new RunFeed(handle, logs);
    feed.skipTo(id);
    return feed;
  }

  /** Replaces the lines of output by its size; the events have the same ids. */
  public RunFeed withSizesOnly() {
    sizesOnly = true;
    return this;
  }

  /** An event of a run. */
  public sealed interface Event {}

  /** A line of output, without its line end. */
  public record Line(String id, StepRecord step, String text) implements Event {}

  /** The size of a step's output so far, in bytes, for a feed without lines. */
  public record OutputSize(String id, StepRecord step, long size) implements Event {}

  /** A step has begun. */
  public record StepStarted(String id, StepRecord step) implements Event {}

  /**
   * The output of a step ends earlier here than it did for the step. It has no id, because the output may arrive later.
   */
  public record OutputMissing(StepRecord step, MissingOutput missing) implements Event {}

  /** A step has ended. */
  public record StepFinished(String id, StepRecord step) implements Event {}

  /** The lock of the run was renewed. It has no id, because no watcher needs it later. */
  public record Heartbeat(Instant at) implements Event {}

  /** A renewal of the run's lock failed. It has no id, because the run itself has the number of failures. */
  public record HeartbeatFailed(RunHandle.HeartbeatFailure failure) implements Event {}

  /** The run has ended; nothing follows. */
  public record RunFinished(String id, Run run) implements Event {}

  /** Whether the last event was returned. */
  public boolean isOver() {
    return over;
  }

  /** The events since the last call. Waits until there is one, or the handle is woken. */
  public List<Event> next() {
    if (over) {
      return List.of();
    }
    long seen = handle.version();
    List<Event> events = collect(handle.run());
    if (events.isEmpty()) {
      handle.awaitChange(seen);
      return collect(handle.run());
    }
    return events;
  }

  private void skipTo(String id) {
    if (id.equals(END)) {
      over = true;
      return;
    }
    Matcher place = ID.matcher(id);
    if (place.matches()) {
      boolean isEnd = place.group(2).equals("e");
      step = Integer.parseInt(place.group(1)) + (isEnd ? 1 : 0);
      started = !isEnd;
      offset = isEnd || place.group(2).equals("s") ? 0 : Long.parseLong(place.group(2));
    }
  }

  private List<Event> collect(Run run) {
    List<Event> events = new ArrayList<>();
    List<StepRecord> begun = run.begun();
    while (step < begun.size() && events.size() < BATCH && collectStep(run, begun.get(step), events)) {
      step++;
      started = false;
      offset = 0;
    }
    handle.lastHeartbeat().filter(at -> !at.equals(heartbeat)).ifPresent(at -> {
      heartbeat = at;
      events.add(new Heartbeat(at));
    });
    handle.heartbeatFailure().filter(failed -> !failed.equals(failure)).ifPresent(failed -> {
      failure = failed;
      events.add(new HeartbeatFailed(failed));
    });
    if (run.status().isFinished() && step >= begun.size()) {
      events.add(new RunFinished(END, run));
      over = true;
    }
    return events;
  }

  /** Adds the new events of a step; true if the step has no more. */
  private boolean collectStep(Run run, StepRecord record, List<Event> events) {
    if (!started) {
      events.add(new StepStarted(step + ".s", record));
      started = true;
    }
    boolean atEnd = sizesOnly ? collectSize(run, record, events) : collectLines(run, record, events);
    if (atEnd && record.isFinished() && record.isComplete(run.status(), offset)) {
      logs.missing(run, record).ifPresent(missing -> events.add(new OutputMissing(record, missing)));
      events.add(new StepFinished(step + ".e", record));
      return true;
    }
    return false;
  }

  /** Adds the size if it has changed; true, because nothing follows it. */
  private boolean collectSize(Run run, StepRecord record, List<Event> events) {
    long size = logs.size(run.requestId(), record.logName());
    if (size > offset) {
      offset = size;
      events.add(new OutputSize(step + "." + offset, record, size));
    }
    return true;
  }

  /** Adds the new complete lines; true if the log has no more. */
  private boolean collectLines(Run run, StepRecord record, List<Event> events) {
    while (events.size() < BATCH) {
      byte[] bytes = logs.read(run.requestId(), record.logName(), offset, CHUNK).bytes();
      int used = lines(record, bytes, events);
      if (used == 0) {
        if (bytes.length > 0 && (bytes.length == CHUNK || record.isComplete(run.status(), offset + bytes.length))) {
          int end = bytes.length == CHUNK ? OutputText.wholeEnd(bytes, 0, CHUNK) : bytes.length;
          add(record, bytes, 0, end, events, 0);
          continue;
        }
        return true;
      }
    }
    return false;
  }

  private int lines(StepRecord record, byte[] bytes, List<Event> events) {
    int from = 0;
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] == '\n') {
        add(record, bytes, from, i, events, 1);
        from = i + 1;
      }
    }
    return from;
  }

  private void add(StepRecord record, byte[] bytes, int from, int to, List<Event> events, int end) {
    offset += to - from + end;
    int length = to > from && end == 1 && bytes[to - 1] == '\r' ? to - from - 1 : to - from;
    events.add(new Line(step + "." + offset, record, new String(bytes, from, length, StandardCharsets.UTF_8)));
  }
}
