package fleet.tower.platform.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A cached value")
class CachedValueTest {
  private final ManualTime time = new ManualTime();
  private final List<String> before = new ArrayList<>();
  private final CachedValue<String> cached = new CachedValue<>(Duration.ofMillis(400), this::look, time);
  private int looks;

  private String look(@Nullable String last) {
    before.add(String.valueOf(last));
    return "look " + ++looks;
  }

  @Test
  @DisplayName("It is fresh for a while; then the next query reloads it from the previous value")
  void fresh() {
    assertThat(cached.get()).isEqualTo("look 1");
    time.advance(Duration.ofMillis(399));
    assertThat(cached.get()).isEqualTo("look 1");
    time.advance(Duration.ofMillis(1));
    assertThat(cached.get()).isEqualTo("look 2");
    assertThat(before).containsExactly("null", "look 1");
  }

  @Test
  @DisplayName("A failed load fails its caller, and the next query loads again")
  void fails() {
    AtomicReference<@Nullable RuntimeException> trouble = new AtomicReference<>(
        new UncheckedIOException(new java.io.IOException("away")));
    CachedValue<String> shaky = new CachedValue<>(Duration.ofMillis(400), _ -> {
      RuntimeException now = trouble.getAndSet(null);
      if (now != null) {
        throw now;
      }
      return "there";
    }, time);

    assertThatThrownBy(shaky::get).hasMessageContaining("away");
    assertThat(shaky.get()).isEqualTo("there");
  }

  @Test
  @DisplayName("While one thread loads from a slow disk, the others use the old value")
  void oneLoads() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    CachedValue<String> slow = new CachedValue<>(Duration.ofMillis(400), last -> {
      if (last == null) {
        return "old";
      }
      begun.countDown();
      try {
        go.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      return "new";
    }, time);
    assertThat(slow.get()).isEqualTo("old");
    time.advance(Duration.ofSeconds(1));
    Thread loader = Thread.ofVirtual().start(slow::get);
    begun.await();

    assertThat(slow.get()).isEqualTo("old");
    go.countDown();
    loader.join();
    assertThat(slow.get()).isEqualTo("new");
  }
}
