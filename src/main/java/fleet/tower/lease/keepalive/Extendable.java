package fleet.tower.lease.keepalive;

import java.time.Duration;

/** A lease that its holder extends by a duration of its choice, counted from now. */
public interface Extendable {

  /** What is leased, for people: {@code message msg_1}. */
  String name();

  /** The deadline of the lease before it is extended, on this process' clock. */
  long deadlineNanos();

  /**
   * Extends the lease to at least this long from now; never shortens it. An exception counts as {@link Renewal.Failed}.
   */
  Renewal.Result extend(Duration by);
}
