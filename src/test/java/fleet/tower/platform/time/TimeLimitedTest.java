package fleet.tower.platform.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A call that may hang")
class TimeLimitedTest {
  private final ManualTime time = new ManualTime();
  private final AtomicInteger asked = new AtomicInteger();
  private volatile CountDownLatch obstacle = new CountDownLatch(0);
  private final TimeLimited<Integer> limited = new TimeLimited<>("limited", this::answer, Duration.ofSeconds(2),
      Duration.ofSeconds(5), time, time);

  private int answer() {
    int number = asked.incrementAndGet();
    try {
      obstacle.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    return number;
  }

  @Test
  @DisplayName("A result is reused for a while, then the call is repeated")
  void fresh() {
    assertThat(limited.get()).contains(1);
    time.advance(Duration.ofSeconds(4));
    assertThat(limited.get()).contains(1);
    time.advance(Duration.ofSeconds(2));
    assertThat(limited.get()).contains(2);
  }

  @Test
  @DisplayName("While it hangs, callers wait only for the rest of the limit, and one thread is blocked")
  void hangs() {
    obstacle = new CountDownLatch(1);
    CompletableFuture<Optional<Integer>> first = CompletableFuture.supplyAsync(limited::get);
    while (time.pendingDelays().isEmpty()) {
      Thread.onSpinWait();
    }
    time.advance(Duration.ofSeconds(2));
    assertThat(first.join()).isEmpty();
    assertThat(limited.get()).isEmpty();
    assertThat(time.pendingDelays()).isEmpty();

    obstacle.countDown();
    while (limited.get().isEmpty()) {
      Thread.onSpinWait();
    }
    assertThat(limited.get()).contains(1);
    assertThat(asked).hasValue(1);
  }
}
