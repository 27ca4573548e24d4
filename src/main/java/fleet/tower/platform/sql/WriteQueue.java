package fleet.tower.platform.sql;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * A first-in, first-out queue of writers that run one at a time. The first in the queue leads: it executes its own
 * write together with those queued after it, and wakes their threads.
 */
final class WriteQueue {
  /** Limits the time for which other processes are blocked. */
  private static final int MAX_BATCH = 64;

  private final ReentrantLock mutex = new ReentrantLock();
  private final Deque<PendingWrite<?>> queue = new ArrayDeque<>();
  private final Consumer<List<PendingWrite<?>>> work;
  private boolean isLed;

  /** @param work completes every write of a batch; called by one thread at a time */
  WriteQueue(Consumer<List<PendingWrite<?>>> work) {
    this.work = work;
  }

  /** Executes a write; returns when it is done. */
  void execute(PendingWrite<?> pending) {
    if (!enqueue(pending)) {
      pending.await();
    }
    if (!pending.isDone()) {
      lead();
    }
  }

  /** Adds a write to the queue; returns whether it must lead. */
  private boolean enqueue(PendingWrite<?> pending) {
    mutex.lock();
    try {
      queue.add(pending);
      boolean isFirst = !isLed;
      isLed = true;
      return isFirst;
    } finally {
      mutex.unlock();
    }
  }

  /** Executes a batch from the head of the queue, which contains the leader's own write. */
  private void lead() {
    List<PendingWrite<?>> batch = nextBatch();
    try {
      work.accept(batch);
    } finally {
      wakeNextLeader();
      for (PendingWrite<?> pending : batch) {
        pending.wake();
      }
    }
  }

  private List<PendingWrite<?>> nextBatch() {
    mutex.lock();
    try {
      List<PendingWrite<?>> batch = new ArrayList<>();
      while (batch.size() < MAX_BATCH && !queue.isEmpty()) {
        batch.add(queue.remove());
      }
      return batch;
    } finally {
      mutex.unlock();
    }
  }

  private void wakeNextLeader() {
    mutex.lock();
    try {
      PendingWrite<?> next = queue.peek();
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
