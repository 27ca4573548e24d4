package fleet.tower.lease.keepalive;

import java.time.Duration;

/** A lease that its holder can make longer, counted from now. */
public interface Extendable {

  /** What is leased, for people: {@code message msg_1}. */
  String name();

  /** Until when the holder may believe in it as it stands, on this process' clock. */
  long deadlineNanos();

  /** Makes the lease last at least so long from now; it never makes it shorter. Whatever it throws counts as {@link Failed}. */
  Result extend(Duration by);

  /** What came of it. */
  sealed interface Result {}

  /** The holder may believe in it until {@code deadlineNanos}, on this process' clock. */
  record Extended(long deadlineNanos) implements Result {}

  /** It is not known to be longer; it may well be held still. */
  record Failed(String error) implements Result {}

  /** It is not ours any more. */
  record Lost(String reason) implements Result {}
}
