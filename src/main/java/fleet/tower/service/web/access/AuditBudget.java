package fleet.tower.service.web.access;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEvent.AccessDenied;
import fleet.tower.audit.AuditLog;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/**
 * Limits the refusals written to the audit log per minute, over all addresses. If a minute had more, its last one is
 * written at the end of the minute, with the number of suppressed ones.
 */
final class AuditBudget {
  static final int MOST_A_MINUTE = 600;
  private static final Duration WINDOW = Duration.ofMinutes(1);

  private final AuditLog audit;
  private final TimeSource time;
  private final Scheduler scheduler;
  private long sinceNanos;
  private int told;
  private int untold;
  private @Nullable AccessDenied last;

  AuditBudget(AuditLog audit, TimeSource time, Scheduler scheduler) {
    this.audit = requireNonNull(audit);
    this.time = requireNonNull(time);
    this.scheduler = requireNonNull(scheduler);
  }

  /** Writes or counts a refusal. */
  void append(AccessDenied denied) {
    if (isWithin(denied)) {
      audit.append(denied);
    }
  }

  private synchronized boolean isWithin(AccessDenied denied) {
    long now = time.nanos();
    if (told == 0 || now - sinceNanos >= WINDOW.toNanos()) {
      sinceNanos = now;
      told = 0;
    }
    if (told < MOST_A_MINUTE) {
      told++;
      return true;
    }
    if (last == null) {
      scheduler.after(Duration.ofNanos(sinceNanos + WINDOW.toNanos() - now), this::sumUp);
    } else {
      untold++;
    }
    untold += denied.omitted();
    last = denied;
    return false;
  }

  private void sumUp() {
    AccessDenied summary;
    synchronized (this) {
      if (last == null) {
        return;
      }
      summary = new AccessDenied(last.timestamp(), last.remote(), last.call(), last.reason(), untold, last.origin());
      last = null;
      untold = 0;
    }
    audit.append(summary);
  }
}
