package fleet.tower.lease;

import java.time.Duration;

/**
 * When a lease is renewed, when a failed renewal is tried again, and when the work under a lease that cannot be renewed
 * ends. Every duration is a share of the ttl with a limit:
 *
 * <pre>
 * interval     min(ttl/3, max-interval)              two renewals may fail, and the third still comes in time
 * store limit  interval/2                            a store gives up on a renewal before the next one is due
 * retry        max(ttl/20, 250 ms), min(interval)    three tries fit between the first failure and the end of the work
 * lead         min(ttl/5, 12 s)                      the work ends so long before the deadline
 * last try     lead/4                                one more renewal is tried so long before the work ends
 * grace 3/4 of the time left, min(most) a process has so long to end by itself; the last quarter is for KILL
 * </pre>
 *
 * <p>The lead has room for 10 s of grace. A lease that ends at its deadline, as a claim does, has no lead; its last try
 * precedes the deadline by as much as that of a lock precedes the end of its work.
 */
public final class RenewalSchedule {
  /** The longest interval, unless a setting shortens it. */
  public static final Duration DEFAULT_MAX_INTERVAL = Duration.ofSeconds(30);
  private static final int INTERVALS_IN_A_TTL = 3;
  private static final int RETRIES_IN_A_TTL = 20;
  private static final Duration SHORTEST_RETRY = Duration.ofMillis(250);
  private static final int LEADS_IN_A_TTL = 5;
  private static final Duration LONGEST_LEAD = Duration.ofSeconds(12);
  private static final int LAST_TRIES_IN_A_LEAD = 4;

  private RenewalSchedule() {}

  /** The time between two renewals. */
  public static Duration interval(Duration ttl, Duration maxInterval) {
    return shorter(share(ttl, INTERVALS_IN_A_TTL), maxInterval);
  }

  /** The time after which a store gives up on a renewal. */
  public static Duration storeLimit(Duration ttl, Duration maxInterval) {
    return share(interval(ttl, maxInterval), 2);
  }

  /**
   * The time between a renewal that failed and the next try. A twentieth of the ttl bounds the tries that a dead store
   * sees in one ttl, so this time does not grow.
   */
  public static Duration retry(Duration ttl, Duration maxInterval) {
    return shorter(longer(share(ttl, RETRIES_IN_A_TTL), SHORTEST_RETRY), interval(ttl, maxInterval));
  }

  /** The time between the end of the work under a lease that cannot be renewed and the deadline. */
  public static Duration lead(Duration ttl) {
    return shorter(share(ttl, LEADS_IN_A_TTL), LONGEST_LEAD);
  }

  /** The time between the last renewal that is tried and the end of the work. */
  public static Duration lastTry(Duration ttl) {
    return share(lead(ttl), LAST_TRIES_IN_A_LEAD);
  }

  /** The time that a process has to exit on its own, so that it can be killed before the deadline. */
  public static Duration grace(Duration left, Duration most) {
    return shorter(Duration.ofNanos(Math.max(0, left.toNanos()) * 3 / 4), most);
  }

  private static Duration share(Duration whole, int parts) {
    return Duration.ofNanos(whole.toNanos() / parts);
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }
}
