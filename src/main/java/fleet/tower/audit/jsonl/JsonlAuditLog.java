package fleet.tower.audit.jsonl;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.platform.SyncGroup;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.Journal;
import fleet.tower.platform.disk.RecordedFiles.Recorder;

/**
 * Appends events that belong together in one write to the file of their day, so that lines of many processes never
 * mix. A line torn by a crash or a full disk is ended before the next one. The file stays open until an event belongs
 * to another.
 */
final class JsonlAuditLog implements AuditLog {
  private final DayFiles days;
  private final Recorder recorder;
  private final Consumer<String> warnings;
  private final ReentrantLock appending = new ReentrantLock();
  /** The file of the last event. */
  private @Nullable OpenDay open;

  JsonlAuditLog(DayFiles days, Recorder recorder, Consumer<String> warnings) {
    this.days = days;
    this.recorder = recorder;
    this.warnings = warnings;
  }

  @Override
  public boolean write(List<AuditEvent> events) {
    LocalDate day = DayFiles.dayOf(events.getFirst().timestamp());
    try {
      String lines = lines(events);
      OpenDay written = append(day, lines.getBytes(StandardCharsets.UTF_8));
      return events.stream().noneMatch(AuditEvent::isDurable) || sync(written, lines, events);
    } catch (IOException e) {
      report(day, events, e);
      return false;
    }
  }

  private void report(LocalDate day, List<AuditEvent> events, IOException e) {
    String problem = days.of(day) + " cannot be written (" + Errno.describe(e) + "): ";
    // Earlier lost events were reported when they were lost.
    events.stream().filter(event -> !(event instanceof AuditEvent.AuditEventsLost))
        .forEach(event -> warnings.accept("audit event lost, " + problem + AuditLines.of(event)));
  }

  private static String lines(List<AuditEvent> events) {
    StringBuilder lines = new StringBuilder();
    events.forEach(event -> lines.append(AuditLines.of(event)).append('\n'));
    return lines.toString();
  }

  /**
   * Makes lines durable that were appended: by the journal, or by a sync of their file. Returns false if neither is
   * possible; if that shows only when other work is synced too, it is reported then.
   */
  private boolean sync(OpenDay written, String lines, List<AuditEvent> events) throws IOException {
    Journal.Entry entry = recorder.append(RecordedLines.record(written.day(), lines));
    if (entry == null) {
      written.sync();
      return true;
    }
    AtomicBoolean isLost = new AtomicBoolean();
    SyncGroup.sync(entry, _ -> {
      try {
        written.sync();
      } catch (IOException e) {
        isLost.set(true);
        report(written.day(), events, e);
      }
    });
    return !isLost.get();
  }

  /** Appends to the file of a day, which is opened if it is not the last one, or no longer has its name. */
  private OpenDay append(LocalDate day, byte[] lines) throws IOException {
    appending.lock();
    try {
      OpenDay current = open;
      while (current == null || !current.day().equals(day) || !current.append(lines)) {
        OpenDay last = current;
        current = OpenDay.open(days, day);
        open = current;
        closeQuietly(last);
      }
      return current;
    } finally {
      appending.unlock();
    }
  }

  private static void closeQuietly(@Nullable OpenDay last) {
    try {
      if (last != null) {
        last.close();
      }
    } catch (IOException reportedByTheNextSync) {
      // The events in it that need a sync wait for their own.
    }
  }
}
