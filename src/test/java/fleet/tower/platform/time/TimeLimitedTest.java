package fleet.tower.platform.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A question that may take for ever")
class TimeLimitedTest {
  private final ManualTime time = new ManualTime();
  private final AtomicInteger asked = new AtomicInteger();
  private volatile CountDownLatch obstacle = new CountDownLatch(0);
  private final TimeLimited<Integer> question = new TimeLimited<>("question", this::answer, Duration.ofSeconds(2),
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
  @DisplayName("An answer is good for a while, then it is asked anew")
  void fresh() {
    assertThat(question.ask()).contains(1);
    time.advance(Duration.ofSeconds(4));
    assertThat(question.ask()).contains(1);
    time.advance(Duration.ofSeconds(2));
    assertThat(question.ask()).contains(2);
  }

  @Test
  @DisplayName("While it hangs, those who come wait for no more than the rest of the time, and one thread is kept")
  void hangs() {
    obstacle = new CountDownLatch(1);
    CompletableFuture<Optional<Integer>> first = CompletableFuture.supplyAsync(question::ask);
    while (time.pendingDelays().isEmpty()) {
      Thread.onSpinWait();
    }
    time.advance(Duration.ofSeconds(2));
    assertThat(first.join()).isEmpty();
    assertThat(question.ask()).isEmpty();
    assertThat(time.pendingDelays()).isEmpty();

    obstacle.countDown();
    while (question.ask().isEmpty()) {
      Thread.onSpinWait();
    }
    assertThat(question.ask()).contains(1);
    assertThat(asked).hasValue(1);
  }
}
