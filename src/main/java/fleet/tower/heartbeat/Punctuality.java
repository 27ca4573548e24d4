package fleet.tower.heartbeat;

import java.time.Duration;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/** How late beats come: the sign of a machine that is overloaded, long before a lease goes stale of it. */
public final class Punctuality {
  private final LongAdder beats = new LongAdder();
  private final LongAccumulator worstNanos = new LongAccumulator(Math::max, 0);

  void record(Duration late) {
    beats.increment();
    worstNanos.accumulate(late.toNanos());
  }

  /** How many beats there have been. */
  public long beats() {
    return beats.sum();
  }

  /** How late the latest one of them was. */
  public Duration worst() {
    return Duration.ofNanos(worstNanos.get());
  }
}
