package fleet.tower.audit;

import java.util.function.Consumer;

/** The log as its readers see it. */
public interface AuditTrail {

  /** Hands over what is there, oldest first. */
  void read(AuditQuery query, Consumer<AuditEntry> reader);

  /**
   * Hands over what is there from {@link AuditQuery#since()} on (nothing old without it), and then everything new as it
   * comes, over midnight too, until {@code reader} says false.
   */
  void follow(AuditQuery query, Reader reader);

  /** Takes entries until it has enough. */
  interface Reader {
    boolean take(AuditEntry entry);

    /** Asked between looks at a quiet log. */
    boolean wantsMore();
  }
}
