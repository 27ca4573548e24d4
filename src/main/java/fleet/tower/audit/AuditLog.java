package fleet.tower.audit;

import java.util.ArrayList;
import java.util.List;

/** The audit log, for writing. A write error never fails the operation that it records. */
public interface AuditLog {

  /**
   * Writes events that belong together. An event of the specification is followed by a {@link AuditEvent.LockActor},
   * because its own members do not contain its origin.
   */
  default void append(AuditEvent... events) {
    List<AuditEvent> all = new ArrayList<>();
    for (AuditEvent event : events) {
      all.add(event);
      if (event instanceof AuditEvent.OfSpecification known) {
        all.add(AuditEvent.LockActor.of(known));
      }
    }
    write(List.copyOf(all));
  }

  /** An event that is not written, because there are too many of its kind. */
  default void omit(AuditEvent event) {}

  /**
   * Writes exactly these events in one write, so that no other process's event comes between them.
   *
   * @return whether they were written; lost events are reported
   */
  boolean write(List<AuditEvent> events);
}
