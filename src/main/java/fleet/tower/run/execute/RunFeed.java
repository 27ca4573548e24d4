package fleet.tower.run.execute;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import fleet.tower.run.Processes;
import fleet.tower.run.Run;
import fleet.tower.run.StepRecord;

/**
 * What happens in a run, in order, for one who watches it: made of the run's record and its logs, so it can be followed while
 * it runs, read afterwards, and taken up again behind any event. Nothing is kept in memory for those who watch.
 *
 * <p>An event's id is the place behind it: the number of the step, and {@code s} for its start, a byte of its log, or
 * {@code e} for its end.
 */
public final class RunFeed {
  private static final Pattern ID = Pattern.compile("(\\d{1,6})\\.(s|e|\\d{1,18})");
  private static final String END = "end";
  private static final int BATCH = 500;
  private static final int CHUNK = 65_536;

  private final RunHandle ticket;
  private final Processes processes;
  private int step;
  private boolean started;
  private long offset;
  private boolean over;
  private @Nullable Instant heartbeat;
  private RunHandle.@Nullable HeartbeatFailure failure;

  private RunFeed(RunHandle ticket, Processes processes) {
    this.ticket = ticket;
    this.processes = processes;
  }

  /** From the beginning. */
  public static RunFeed of(RunHandle ticket, Processes processes) {
    return new RunFeed(ticket, processes);
  }

  /** Behind an event that was seen already; an id that is none means the beginning. */
  public static RunFeed behind(String id, RunHandle ticket, Processes processes) {
    RunFeed feed = new RunFeed(ticket, processes);
    feed.skipTo(id);
    return feed;
  }

  /** Something that happened. */
  public sealed interface Event {}

  /** A line that a step printed, without its end. */
  public record Line(String id, StepRecord step, String text) implements Event {}

  /** A step has begun. */
  public record StepStarted(String id, StepRecord step) implements Event {}

  /** A step has ended. */
  public record StepFinished(String id, StepRecord step) implements Event {}

  /** The lock of the run was renewed; it has no id, for nobody needs to hear of it later. */
  public record Heartbeat(Instant at) implements Event {}

  /** A renewal of the run's lock failed; the run has the count, so it has no id either. */
  public record HeartbeatFailed(RunHandle.HeartbeatFailure failure) implements Event {}

  /** The run has ended; nothing follows. */
  public record RunFinished(String id, Run run) implements Event {}

  /** Whether everything has been told. */
  public boolean isOver() {
    return over;
  }

  /** What has happened since the last call. Waits until there is something, or somebody wakes the ticket. */
  public List<Event> next() {
    if (over) {
      return List.of();
    }
    long seen = ticket.version();
    List<Event> events = collect(ticket.run());
    if (events.isEmpty()) {
      ticket.awaitChange(seen);
      return collect(ticket.run());
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
    ticket.lastHeartbeat().filter(at -> !at.equals(heartbeat)).ifPresent(at -> {
      heartbeat = at;
      events.add(new Heartbeat(at));
    });
    ticket.heartbeatFailure().filter(failed -> !failed.equals(failure)).ifPresent(failed -> {
      failure = failed;
      events.add(new HeartbeatFailed(failed));
    });
    if (run.status().isFinished() && step >= begun.size()) {
      events.add(new RunFinished(END, run));
      over = true;
    }
    return events;
  }

  /** Adds what is new of a step; true when that is the last of it. */
  private boolean collectStep(Run run, StepRecord record, List<Event> events) {
    if (!started) {
      events.add(new StepStarted(step + ".s", record));
      started = true;
    }
    boolean atEnd = collectLines(run, record, events);
    if (atEnd && record.isFinished()) {
      events.add(new StepFinished(step + ".e", record));
      return true;
    }
    return false;
  }

  /** Adds the whole lines that are new; true when the log has no more. */
  private boolean collectLines(Run run, StepRecord record, List<Event> events) {
    while (events.size() < BATCH) {
      byte[] bytes = processes.read(run.requestId(), record.logName(), offset, CHUNK).bytes();
      int used = lines(record, bytes, events);
      if (used == 0) {
        if (bytes.length > 0 && (record.isFinished() || bytes.length == CHUNK)) {
          add(record, bytes, 0, cut(bytes), events, 0);
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

  /** Where a line that is too long for one piece may be cut without cutting a character. */
  private static int cut(byte[] bytes) {
    int at = bytes.length;
    while (bytes.length == CHUNK && at > bytes.length - 4 && (bytes[at - 1] & 0x80) != 0) {
      at--;
    }
    return at;
  }
}
