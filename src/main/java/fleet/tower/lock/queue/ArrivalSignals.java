package fleet.tower.lock.queue;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

import fleet.tower.platform.wait.WakeUp;

/**
 * Those of one process who wait for something to arrive, a line for each place where it may. Only the first of a line looks;
 * whoever leaves lets the next one look.
 */
public final class ArrivalSignals<K> {
  private final Map<K, Deque<WakeUp>> lines = new HashMap<>();

  /** One who waits, until it is closed. */
  public final class Waiting implements AutoCloseable {
    private final K place;
    private final WakeUp bell;

    private Waiting(K place, WakeUp bell) {
      this.place = place;
      this.bell = bell;
    }

    /** Whether it is this one's turn to look. */
    public boolean isFirst() {
      synchronized (lines) {
        Deque<WakeUp> line = lines.get(place);
        return line != null && line.peek() == bell;
      }
    }

    @Override
    public void close() {
      synchronized (lines) {
        Deque<WakeUp> line = lines.get(place);
        if (line == null || !line.removeIf(one -> one == bell)) {
          return;
        }
        WakeUp next = line.peek();
        if (next == null) {
          lines.remove(place);
        } else {
          next.signal();
        }
      }
    }
  }

  /** Stands at the end of a line; {@code bell} is rung when this one should look. */
  public Waiting join(K place, WakeUp bell) {
    synchronized (lines) {
      lines.computeIfAbsent(place, _ -> new ArrayDeque<>()).add(bell);
    }
    return new Waiting(place, bell);
  }

  /** Tells that something has arrived, or will. */
  public void tell(K place) {
    synchronized (lines) {
      Deque<WakeUp> line = lines.get(place);
      if (line != null) {
        line.getFirst().signal();
      }
    }
  }
}
