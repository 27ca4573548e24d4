package fleet.tower.audit;

import java.util.ArrayList;
import java.util.List;

import fleet.tower.platform.time.TimeSource;

/**
 * An audit log that counts the events that could not be written. The first successful write after a failure records
 * their number in an {@link AuditEvent.AuditEventsLost}.
 */
public final class ObservedAuditLog implements AuditLog {
  private final AuditLog log;
  private final AuditListener listener;
  private final TimeSource time;
  private long lost;
  /** The number of lost events that the log does not record yet; zero while a thread is writing it. */
  private long unrecorded;
  private boolean isFailing;

  public ObservedAuditLog(AuditLog log, AuditListener listener, TimeSource time) {
    this.log = log;
    this.listener = listener;
    this.time = time;
  }

  /**
   * The state of the log.
   *
   * @param lost the number of events that could not be written since the start
   * @param isFailing whether the last write failed
   */
  public record State(long lost, boolean isFailing) {}

  @Override
  public boolean write(List<AuditEvent> events) {
    long missing = claimUnrecorded();
    List<AuditEvent> all = new ArrayList<>();
    if (missing > 0) {
      all.add(new AuditEvent.AuditEventsLost(events.isEmpty() ? time.now() : events.getLast().timestamp(), missing));
    }
    all.addAll(events);
    if (all.isEmpty()) {
      return true;
    }
    boolean isWritten = log.write(all);
    note(isWritten, events.size(), missing);
    if (isWritten) {
      all.forEach(listener::written);
    } else {
      events.forEach(listener::lost);
    }
    return isWritten;
  }

  @Override
  public void omit(AuditEvent event) {
    listener.omitted(event);
  }

  /** The state of the log. If the last write failed, this retries, because there may be no event that would. */
  public State examine() {
    if (state().isFailing()) {
      write(List.of());
    }
    return state();
  }

  private synchronized State state() {
    return new State(lost, isFailing);
  }

  private synchronized long claimUnrecorded() {
    long claimed = unrecorded;
    unrecorded = 0;
    return claimed;
  }

  private synchronized void note(boolean isWritten, int events, long missing) {
    isFailing = !isWritten;
    if (!isWritten) {
      lost += events;
      unrecorded += events + missing;
    }
  }
}
