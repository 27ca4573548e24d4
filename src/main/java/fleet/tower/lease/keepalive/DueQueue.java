package fleet.tower.lease.keepalive;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;

import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/**
 * A scheduler without a clock of its own: work waits here until it is due, and starts with the next call of {@link
 * #beginDue}. The cost of such a call depends on the work that is due, not on all that is waiting, and it waits for
 * none of it. Work without delay and alarms do not wait for a call: they go straight to the wrapped scheduler.
 */
final class DueQueue implements Scheduler {
  private final TimeSource time;
  private final Scheduler wrapped;
  private final ReentrantLock lock = new ReentrantLock();
  private final TreeSet<Entry> entries = new TreeSet<>(
      Comparator.comparingLong((Entry entry) -> entry.dueNanos).thenComparingLong(entry -> entry.number));
  private long added;

  DueQueue(TimeSource time, Scheduler wrapped) {
    this.time = time;
    this.wrapped = wrapped;
  }

  private record Entry(long dueNanos, long number, Runnable work) {}

  @Override
  public void pause(Duration duration) {
    wrapped.pause(duration);
  }

  @Override
  public Pending after(Duration delay, Runnable work) {
    if (!delay.isPositive()) {
      return wrapped.after(delay, work);
    }
    Entry entry;
    lock.lock();
    try {
      entry = new Entry(time.nanos() + delay.toNanos(), added++, work);
      entries.add(entry);
    } finally {
      lock.unlock();
    }
    return () -> remove(entry);
  }

  @Override
  public Pending alarm(Duration delay, Runnable work) {
    return wrapped.alarm(delay, work);
  }

  /** Passes due work to the threads of the wrapped scheduler. */
  void beginDue() {
    dueNow().forEach(entry -> wrapped.after(Duration.ZERO, entry.work));
  }

  private List<Entry> dueNow() {
    List<Entry> due = new ArrayList<>();
    lock.lock();
    try {
      if (!entries.isEmpty()) {
        long now = time.nanos();
        while (!entries.isEmpty() && entries.first().dueNanos - now <= 0) {
          due.add(entries.removeFirst());
        }
      }
    } finally {
      lock.unlock();
    }
    return due;
  }

  private void remove(Entry entry) {
    lock.lock();
    try {
      entries.remove(entry);
    } finally {
      lock.unlock();
    }
  }
}
