package fleet.tower.service.web.access;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Caller;
import fleet.tower.audit.AuditBudget;
import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.audit.Origin;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import jakarta.servlet.http.HttpServletRequest;

/** Audits denied access. Tokens are never written. */
public final class DeniedAccess {
  private static final int MAX_PATH = 200;

  private final TimeSource time;
  private final AuditBudget strangers;
  private final AuditBudget callers;

  DeniedAccess(AuditLog audit, TimeSource time, Scheduler scheduler) {
    this.time = time;
    this.strangers = new AuditBudget(audit, time, scheduler);
    this.callers = new AuditBudget(audit, time, scheduler);
  }

  /**
   * Audits a refusal.
   *
   * @param actor the caller, if known
   * @param omitted the number of suppressed refusals of the same address
   */
  public void audit(HttpServletRequest request, @Nullable String actor, String reason, int omitted) {
    Object caller = request.getAttribute(Caller.class.getName());
    Actor known = caller instanceof Caller it ? it.actor() : actor == null ? null : new Actor(actor, Door.HTTP);
    String path = request.getRequestURI();
    // DeniedAccess of known callers are audited regardless of the budget.
    (caller instanceof Caller ? callers : strangers)
        .append(new AuditEvent.AccessDenied(time.now(),
            new AuditEvent.Call(request.getRemoteAddr(), request.getMethod(),
                path.length() > MAX_PATH ? path.substring(0, MAX_PATH) + "…" : path),
            request.getAttribute(AuditEvent.McpRequest.class.getName()) instanceof AuditEvent.McpRequest mcp
                ? mcp
                : null,
            reason, omitted, known == null ? null : Origin.of(known)));
  }
}
