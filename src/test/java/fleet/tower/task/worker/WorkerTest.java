package fleet.tower.task.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.task.Agent;
import fleet.tower.task.TaskCommand;

@DisplayName("A worker that waits for tasks, with a stopped clock")
class WorkerTest {
  private final ManualTime time = new ManualTime();
  private final AtomicInteger looks = new AtomicInteger();
  private final AtomicReference<CountDownLatch> looked = new AtomicReference<>(new CountDownLatch(1));
  private final AtomicReference<Runnable> notice = new AtomicReference<>(() -> {});

  /** There are no tasks. */
  private final Claims none = new Claims() {
    @Override
    public Offer claim(TaskCommand.Call call, TaskCommand.Claim command) {
      looks.incrementAndGet();
      looked.get().countDown();
      return new Nothing();
    }

    @Override
    public Answer perform(TaskCommand.Call call, TaskCommand.ByHolder command) {
      throw new IllegalStateException("nothing was claimed");
    }

    @Override
    public boolean isPassing(RuntimeException thrown) {
      return false;
    }
  };

  private static final class NothingHappens implements Worker.Listener {
    private static IllegalStateException surprise() {
      return new IllegalStateException("nothing was claimed");
    }

    @Override
    public void claimed(Claims.Claimed claimed) {
      throw surprise();
    }

    @Override
    public void closed(Claims.Claimed claimed, TaskCommand.Ending ending, @Nullable String reason) {
      throw surprise();
    }

    @Override
    public void settled(Claims.Claimed claimed) {
      throw surprise();
    }

    @Override
    public void released(Claims.Claimed claimed, String why) {
      throw surprise();
    }

    @Override
    public void lost(Claims.Claimed claimed) {
      throw surprise();
    }

    @Override
    public void heartbeatFailed(Claims.Claimed claimed, int consecutiveFailures, String error) {
      throw surprise();
    }
  }

  @Test
  @DisplayName("A notice makes it check at once, and a stop ends its wait")
  void woken() throws Exception {
    Worker worker = new Worker(none, work -> {
      notice.set(() -> work.changed(""));
      return () -> notice.set(() -> {});
    }, _ -> {
      throw new IllegalStateException("nothing was claimed");
    }, new Worker.Identity(new Agent("ann"), () -> new RequestId("r")), time, time,
        Duration.ofSeconds(30), new NothingHappens());
    CompletableFuture<List<Worker.Result>> working = CompletableFuture.supplyAsync(() -> worker.run(
        new Worker.Limits(new TaskCommand.Claim(null, Ttl.DEFAULT, false), 1, 1, true)));
    looked.get().await();
    for (int look = 2; look <= 4; look++) {
      looked.set(new CountDownLatch(1));
      notice.get().run();
      looked.get().await();
      assertThat(looks).hasValue(look);
    }

    worker.stop();
    assertThat(working.get()).isEmpty();
    assertThat(looks).hasValue(4);
  }
}
