package fleet.tower.audit;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;

import fleet.tower.platform.time.TimeSource;

/**
 * A log that counts the events which could not be written. With the first ones that can be written again it says how many are
 * missing there, in an {@link AuditEvent.AuditEventsLost}.
 */
public final class ObservedAuditLog implements AuditLog {
  private final AuditLog log;
  private final AuditListener listener;
  private final TimeSource time;
  private long lost;
  /** Of those, the ones that the log does not say yet are missing; none while somebody is about to write that. */
  private long unrecorded;
  private boolean isFailing;

  public ObservedAuditLog(AuditLog log, AuditListener listener, TimeSource time) {
    this.log = requireNonNull(log);
    this.listener = requireNonNull(listener);
    this.time = requireNonNull(time);
  }

  /**
   * How the writing goes.
   *
   * @param lost how many events could not be written since the start
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

  /** How the writing goes. Where the last write failed, this tries again, because perhaps no event comes that would. */
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
