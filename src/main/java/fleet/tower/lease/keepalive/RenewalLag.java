package fleet.tower.lease.keepalive;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

import fleet.tower.lease.LeaseName;
import fleet.tower.platform.time.TimeSource;

/**
 * How late renewals are and how many fail: a sign of an overloaded machine, long before a lease goes stale because of
 * it.
 */
public final class RenewalLag {
  /** {@link #lag()} includes a late renewal for at least this long, and for at most twice that. */
  private static final Duration WINDOW = Duration.ofMinutes(1);

  private final TimeSource time;
  private final LongAdder beats = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final LongAccumulator worstNanos = new LongAccumulator(Math::max, 0);
  private final Set<Expected> expected = ConcurrentHashMap.newKeySet();
  private final Object window = new Object();
  private long windowBegan;
  private long worstNow;
  private long worstBefore;

  RenewalLag(TimeSource time) {
    this.time = time;
    this.windowBegan = time.nanos();
  }

  /** A lease that is kept alive. */
  interface Expected {
    /** When its next renewal is due. */
    long dueNanos();

    String name();

    HeartbeatCounts counts();

    /** Whether it is not being renewed now: its last renewal failed, or none was answered for too long. */
    boolean isFailing();
  }

  void expect(Expected one) {
    expected.add(one);
  }

  void expectNoMore(Expected one) {
    expected.remove(one);
  }

  void record(Duration late) {
    beats.increment();
    worstNanos.accumulate(late.toNanos());
    synchronized (window) {
      turn();
      worstNow = Math.max(worstNow, late.toNanos());
    }
  }

  void recordFailure() {
    failures.increment();
  }

  /** The number of renewals, including those that failed. */
  public long beats() {
    return beats.sum();
  }

  /** The number of renewals that failed. */
  public long failures() {
    return failures.sum();
  }

  /** The number of leases that are not being renewed now. */
  public int failing() {
    return (int) expected.stream().filter(Expected::isFailing).count();
  }

  /** The counts of a lock that this process keeps alive; nothing for any other. */
  public Optional<HeartbeatCounts> of(LeaseName name) {
    return expected.stream().filter(one -> one.name().equals(name.value())).findFirst().map(Expected::counts);
  }

  /** How late the latest renewal was. */
  public Duration worst() {
    return Duration.ofNanos(worstNanos.get());
  }

  /**
   * How late the latest renewal of the last minute or two was. One that hangs, or never starts, counts with its delay
   * so far.
   */
  public Duration lag() {
    long now = time.nanos();
    long overdue = expected.stream().mapToLong(one -> now - one.dueNanos()).max().orElse(0);
    synchronized (window) {
      turn();
      return Duration.ofNanos(Math.max(overdue, Math.max(worstNow, worstBefore)));
    }
  }

  private void turn() {
    long passed = time.nanos() - windowBegan;
    if (passed >= WINDOW.toNanos()) {
      worstBefore = passed < 2 * WINDOW.toNanos() ? worstNow : 0;
      worstNow = 0;
      windowBegan = time.nanos();
    }
  }
}
