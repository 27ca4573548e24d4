package fleet.tower.lock;

import java.util.ArrayList;
import java.util.List;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;

/** An audit log in memory. */
public final class RecordedAudit implements AuditLog {
  private final List<AuditEvent> events = new ArrayList<>();

  @Override
  public synchronized boolean write(List<AuditEvent> written) {
    return events.addAll(written);
  }

  /** The events so far, oldest first. */
  public synchronized List<AuditEvent> events() {
    return List.copyOf(events);
  }
}
