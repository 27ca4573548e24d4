package fleet.tower.platform.time;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * A value that is loaded on demand and cached for a limited time. One thread loads at a time; the others use the old
 * value instead of waiting for a slow disk, and wait only if there is none.
 *
 * @param <V> the value; immutable
 */
public final class CachedValue<V> {
  private final long freshNanos;
  private final Function<@Nullable V, V> loader;
  private final TimeSource time;
  private final ReentrantLock loading = new ReentrantLock();
  private volatile @Nullable Cached<V> last;

  private record Cached<V>(long nanos, V value) {}

  /**
   * An empty cache.
   *
   * @param loader loads the current value from the previous one, which is null at first
   */
  public CachedValue(Duration freshFor, Function<@Nullable V, V> loader, TimeSource time) {
    this.freshNanos = freshFor.toNanos();
    this.loader = loader;
    this.time = time;
  }

  /** The cached value, reloaded if it is too old. */
  public V get() {
    Cached<V> known = last;
    if (known != null && (isFresh(known) || !loading.tryLock())) {
      return known.value();
    }
    if (known == null) {
      loading.lock();
    }
    try {
      Cached<V> now = last;
      if (now == null || !isFresh(now)) {
        V value = loader.apply(now == null ? null : now.value());
        now = new Cached<>(time.nanos(), value);
        last = now;
      }
      return now.value();
    } finally {
      loading.unlock();
    }
  }

  /** The value, loaded again now; waits for another thread that is loading it. */
  public V renewed() {
    loading.lock();
    try {
      Cached<V> now = last;
      V value = loader.apply(now == null ? null : now.value());
      last = new Cached<>(time.nanos(), value);
      return value;
    } finally {
      loading.unlock();
    }
  }

  private boolean isFresh(Cached<V> cached) {
    return time.nanos() - cached.nanos() < freshNanos;
  }
}
