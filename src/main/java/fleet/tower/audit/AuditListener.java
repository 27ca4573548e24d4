package fleet.tower.audit;

/** Receives each event on the thread that caused it, which waits; implementations must not throw. */
public interface AuditListener {
  AuditListener NONE = new AuditListener() {};

  /** The event was written to the log. */
  default void written(AuditEvent event) {}

  /** The event could not be written. */
  default void lost(AuditEvent event) {}

  /** The event was not written, because there are too many of its kind. */
  default void omitted(AuditEvent event) {}

  /** A listener that calls this one and then another. */
  default AuditListener and(AuditListener next) {
    AuditListener first = this;
    return new AuditListener() {
      @Override
      public void written(AuditEvent event) {
        first.written(event);
        next.written(event);
      }

      @Override
      public void lost(AuditEvent event) {
        first.lost(event);
        next.lost(event);
      }

      @Override
      public void omitted(AuditEvent event) {
        first.omitted(event);
        next.omitted(event);
      }
    };
  }
}
