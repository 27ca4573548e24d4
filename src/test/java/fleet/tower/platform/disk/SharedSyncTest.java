package fleet.tower.platform.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class SharedSyncTest {

  @RepeatedTest(20)
  @DisplayName("Writes before a requested sync are on disk when it returns, whichever thread ran it")
  void covers() throws Exception {
    AtomicLong written = new AtomicLong();
    AtomicLong onDisk = new AtomicLong();
    AtomicInteger syncs = new AtomicInteger();
    SharedSync shared = new SharedSync(() -> {
      long seen = written.get();
      syncs.incrementAndGet();
      for (int i = 0; i < 200; i++) {
        Thread.onSpinWait();
      }
      onDisk.accumulateAndGet(seen, Math::max);
    });
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Boolean>> covered = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        covered.add(threads.submit(() -> {
          long mine = written.incrementAndGet();
          shared.await();
          return onDisk.get() >= mine;
        }));
      }
      for (Future<Boolean> each : covered) {
        assertThat(each.get()).isTrue();
      }
    }
    assertThat(syncs.get()).isBetween(1, 500);
  }

  @Test
  @DisplayName("All threads that arrive while a sync is gathered share it")
  void gathers() throws Exception {
    AtomicInteger syncs = new AtomicInteger();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    SharedSync shared = new SharedSync(syncs::incrementAndGet, () -> {
      begun.countDown();
      try {
        go.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    });
    List<Thread> threads = new ArrayList<>();
    threads.add(sync(shared));
    begun.await();
    for (int i = 0; i < 5; i++) {
      threads.add(sync(shared));
      while (threads.getLast().getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }
    }
    go.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(syncs).hasValue(1);
  }

  @Test
  @DisplayName("All threads that arrive during a sync share the next one")
  void shares() throws Exception {
    AtomicInteger syncs = new AtomicInteger();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    SharedSync shared = new SharedSync(() -> {
      if (syncs.incrementAndGet() == 1) {
        begun.countDown();
        awaitUninterruptibly(go);
      }
    });
    List<Thread> threads = new ArrayList<>();
    threads.add(sync(shared));
    begun.await();
    // One after the other: a thread that waits for its turn to arrive has not arrived yet.
    for (int i = 0; i < 50; i++) {
      threads.add(sync(shared));
      while (threads.getLast().getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }
    }
    go.countDown();
    for (Thread thread : threads) {
      thread.join();
    }

    assertThat(syncs).hasValue(2);
  }

  @Test
  @DisplayName("A failed sync fails only the thread that ran it; the others retry themselves")
  void fails() throws Exception {
    AtomicInteger syncs = new AtomicInteger();
    SharedSync shared = new SharedSync(() -> {
      if (syncs.incrementAndGet() == 1) {
        throw new IOException("EIO");
      }
    });
    List<String> failures = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      try {
        shared.await();
      } catch (IOException e) {
        failures.add(e.getMessage());
      }
    }

    assertThat(failures).containsExactly("EIO");
    assertThat(syncs).hasValue(2);
  }

  private static Thread sync(SharedSync shared) {
    return Thread.ofVirtual().start(() -> {
      try {
        shared.await();
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    });
  }

  private static void awaitUninterruptibly(CountDownLatch latch) throws IOException {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }
}
