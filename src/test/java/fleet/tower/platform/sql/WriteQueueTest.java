package fleet.tower.platform.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Semaphore;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Concurrent writes are executed in order and in batches")
class WriteQueueTest {
  private final List<Integer> batchSizes = Collections.synchronizedList(new ArrayList<>());
  private final List<Boolean> interrupted = Collections.synchronizedList(new ArrayList<>());
  private final Semaphore work = new Semaphore(0);
  private final WriteQueue queue = new WriteQueue(batch -> {
    work.acquireUninterruptibly();
    batchSizes.add(batch.size());
    batch.forEach(PendingWrite::succeed);
  });

  /** A thread that executes a write and is now waiting. */
  private Thread queuedThread() {
    Thread thread = Thread.ofPlatform().daemon().start(() -> {
      PendingWrite<Integer> write = new PendingWrite<>(true, _ -> 0);
      queue.execute(write);
      if (write.isDone()) {
        interrupted.add(Thread.interrupted());
      }
    });
    while (thread.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    return thread;
  }

  @Test
  @DisplayName("A single write is executed at once; later ones share a batch of at most 64")
  void batches() throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 1 + 64 + 6; i++) {
      threads.add(queuedThread());
    }

    work.release(3);
    for (Thread thread : threads) {
      thread.join();
    }

    assertThat(batchSizes).containsExactly(1, 64, 6);
    assertThat(interrupted).hasSize(71).containsOnly(false);
  }

  @Test
  @DisplayName("An interrupt does not end the wait, and its status is kept")
  void interruptIsKept() throws InterruptedException {
    Thread first = queuedThread();
    Thread second = queuedThread();
    second.interrupt();

    work.release(2);
    first.join();
    second.join();

    assertThat(batchSizes).containsExactly(1, 1);
    assertThat(interrupted).containsExactlyInAnyOrder(false, true);
  }
}
