package fleet.tower.lock.queue;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

import fleet.tower.platform.time.WakeUp;

/**
 * Wake-ups for the waiters of one process, in one queue per place where something may arrive. Only the first waiter of
 * a queue checks the place; when it leaves, the next one is woken to check.
 */
public final class ArrivalSignals<K> {
  private final Map<K, Deque<WakeUp>> queues = new HashMap<>();

  /** A waiter in a queue, until closed. */
  public final class Registration implements AutoCloseable {
    private final K place;
    private final WakeUp wakeUp;

    private Registration(K place, WakeUp wakeUp) {
      this.place = place;
      this.wakeUp = wakeUp;
    }

    /** Whether it is this waiter's turn to check. */
    public boolean isFirst() {
      synchronized (queues) {
        Deque<WakeUp> queue = queues.get(place);
        return queue != null && queue.peek() == wakeUp;
      }
    }

    @Override
    public void close() {
      synchronized (queues) {
        Deque<WakeUp> queue = queues.get(place);
        if (queue == null || !queue.removeIf(one -> one == wakeUp)) {
          return;
        }
        WakeUp next = queue.peek();
        if (next == null) {
          queues.remove(place);
        } else {
          next.signal();
        }
      }
    }
  }

  /** Joins the end of a queue; {@code wakeUp} is signalled when this waiter should check. */
  public Registration join(K place, WakeUp wakeUp) {
    synchronized (queues) {
      queues.computeIfAbsent(place, _ -> new ArrayDeque<>()).add(wakeUp);
    }
    return new Registration(place, wakeUp);
  }

  /** Signals that something may have arrived at any place. */
  public void signalAll() {
    synchronized (queues) {
      queues.values().forEach(queue -> queue.getFirst().signal());
    }
  }

  /** Signals that something has arrived at a place, or is about to. */
  public void signal(K place) {
    synchronized (queues) {
      Deque<WakeUp> queue = queues.get(place);
      if (queue != null) {
        queue.getFirst().signal();
      }
    }
  }
}
