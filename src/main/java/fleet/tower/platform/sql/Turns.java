package fleet.tower.platform.sql;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The order of those who write, first come, first served, one at a time. Whoever comes to the front leads: he does his own
 * work together with that of all who stand behind him, and wakes them with their outcomes.
 */
final class Turns {
  /** So that nobody holds up other processes for long. */
  private static final int MOST_TOGETHER = 64;

  private final ReentrantLock mutex = new ReentrantLock();
  private final Deque<Turn<?>> line = new ArrayDeque<>();
  private final Consumer<List<Turn<?>>> work;
  private boolean isLed;

  /** @param work gives every turn an outcome; called by one thread at a time */
  Turns(Consumer<List<Turn<?>>> work) {
    this.work = work;
  }

  /** Returns when the turn has its outcome. */
  void take(Turn<?> turn) {
    if (!isFirst(turn)) {
      turn.await();
    }
    if (!turn.isDone()) {
      lead();
    }
  }

  private boolean isFirst(Turn<?> turn) {
    mutex.lock();
    try {
      line.add(turn);
      boolean isFirst = !isLed;
      isLed = true;
      return isFirst;
    } finally {
      mutex.unlock();
    }
  }

  /** The leader stands at the front, so his own turn is among those that he takes. */
  private void lead() {
    List<Turn<?>> together = front();
    try {
      work.accept(together);
    } finally {
      passOn();
      for (Turn<?> turn : together) {
        turn.wake();
      }
    }
  }

  private List<Turn<?>> front() {
    mutex.lock();
    try {
      List<Turn<?>> front = new ArrayList<>();
      while (front.size() < MOST_TOGETHER && !line.isEmpty()) {
        front.add(line.remove());
      }
      return front;
    } finally {
      mutex.unlock();
    }
  }

  private void passOn() {
    mutex.lock();
    try {
      Turn<?> next = line.peek();
      if (next == null) {
        isLed = false;
      } else {
        next.wake();
      }
    } finally {
      mutex.unlock();
    }
  }
}
