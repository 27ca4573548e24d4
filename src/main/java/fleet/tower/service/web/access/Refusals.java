package fleet.tower.service.web.access;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Caller;
import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.audit.Origin;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import jakarta.servlet.http.HttpServletRequest;

/** Tells the audit log of everybody who was not let in, or not let do what he wanted. What he showed is never told. */
final class Refusals {
  private static final int MAX_PATH = 200;

  private final TimeSource time;
  private final AuditBudget strangers;
  private final AuditBudget callers;

  Refusals(AuditLog audit, TimeSource time, Scheduler scheduler) {
    this.time = time;
    this.strangers = new AuditBudget(audit, time, scheduler);
    this.callers = new AuditBudget(audit, time, scheduler);
  }

  /**
   * Somebody was refused.
   *
   * @param actor who, where that is known
   * @param untold how many refusals of the same address were not told before this one
   */
  void tell(HttpServletRequest request, @Nullable String actor, String reason, int untold) {
    Object caller = request.getAttribute(Caller.class.getName());
    Actor known = caller instanceof Caller it ? it.actor() : actor == null ? null : new Actor(actor, Door.HTTP);
    String path = request.getRequestURI();
    // However many strangers come, what a known caller was refused is still told.
    (caller instanceof Caller ? callers : strangers)
        .append(new AuditEvent.AccessDenied(time.now(), request.getRemoteAddr(),
            new AuditEvent.Call(request.getMethod(),
                path.length() > MAX_PATH ? path.substring(0, MAX_PATH) + "…" : path),
            reason, untold, known == null ? null : Origin.of(known)));
  }
}
