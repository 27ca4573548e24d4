package fleet.tower.audit;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEvent.AccessDenied;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/**
 * Limits the refusals written to the audit log per minute, over all addresses. If a minute had more, its last one is
 * written at the end of the minute, with the number of suppressed ones.
 */
public final class AuditBudget {
  static final int MOST_A_MINUTE = 600;
  private static final Duration WINDOW = Duration.ofMinutes(1);

  private final AuditLog audit;
  private final TimeSource time;
  private final Scheduler scheduler;
  private long sinceNanos;
  private int audited;
  private int omitted;
  private @Nullable AccessDenied last;

  public AuditBudget(AuditLog audit, TimeSource time, Scheduler scheduler) {
    this.audit = audit;
    this.time = time;
    this.scheduler = scheduler;
  }

  /** Writes or counts a refusal. */
  public void append(AccessDenied denied) {
    if (isWithin(denied)) {
      audit.append(denied);
    } else {
      audit.omit(denied);
    }
  }

  private synchronized boolean isWithin(AccessDenied denied) {
    long now = time.nanos();
    if (audited == 0 || now - sinceNanos >= WINDOW.toNanos()) {
      sinceNanos = now;
      audited = 0;
    }
    if (audited < MOST_A_MINUTE) {
      audited++;
      return true;
    }
    if (last == null) {
      scheduler.after(Duration.ofNanos(sinceNanos + WINDOW.toNanos() - now), this::sumUp);
    } else {
      omitted++;
    }
    omitted += denied.omitted();
    last = denied;
    return false;
  }

  private void sumUp() {
    AccessDenied summary;
    synchronized (this) {
      if (last == null) {
        return;
      }
      summary = last.omitting(omitted);
      last = null;
      omitted = 0;
    }
    audit.append(summary);
  }
}
