package fleet.tower.platform.time;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * What was seen when somebody looked last, which is good for a while. One thread looks at a time; the others take what was seen
 * before instead of waiting for a slow disk, and wait only where there was nothing before.
 *
 * @param <V> what is seen, never changed, only replaced
 */
public final class CachedValue<V> {
  private final long freshNanos;
  private final Function<@Nullable V, V> look;
  private final TimeSource time;
  private final ReentrantLock looking = new ReentrantLock();
  private volatile @Nullable Seen<V> last;

  private record Seen<V>(long nanos, V what) {}

  /**
   * A glance that nobody has cast yet.
   *
   * @param look sees what is there now, and is told what was seen before: null at first
   */
  public CachedValue(Duration freshFor, Function<@Nullable V, V> look, TimeSource time) {
    this.freshNanos = freshFor.toNanos();
    this.look = requireNonNull(look);
    this.time = requireNonNull(time);
  }

  /** What was seen last, and now if that was too long ago. */
  public V see() {
    Seen<V> known = last;
    if (known != null && (isFresh(known) || !looking.tryLock())) {
      return known.what();
    }
    if (known == null) {
      looking.lock();
    }
    try {
      Seen<V> now = last;
      if (now == null || !isFresh(now)) {
        V what = look.apply(now == null ? null : now.what());
        now = new Seen<>(time.nanos(), what);
        last = now;
      }
      return now.what();
    } finally {
      looking.unlock();
    }
  }

  private boolean isFresh(Seen<V> seen) {
    return time.nanos() - seen.nanos() < freshNanos;
  }
}
