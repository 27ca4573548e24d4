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

@DisplayName("What was seen when somebody looked last")
class CachedValueTest {
  private final ManualTime time = new ManualTime();
  private final List<String> before = new ArrayList<>();
  private final CachedValue<String> glance = new CachedValue<>(Duration.ofMillis(400), this::look, time);
  private int looks;

  private String look(@Nullable String last) {
    before.add(String.valueOf(last));
    return "look " + ++looks;
  }

  @Test
  @DisplayName("It is good for a while; then the next who asks looks again, and knows what was there before")
  void fresh() {
    assertThat(glance.see()).isEqualTo("look 1");
    time.advance(Duration.ofMillis(399));
    assertThat(glance.see()).isEqualTo("look 1");
    time.advance(Duration.ofMillis(1));
    assertThat(glance.see()).isEqualTo("look 2");
    assertThat(before).containsExactly("null", "look 1");
  }

  @Test
  @DisplayName("A look that fails is told to who looked, and the next who asks looks again")
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

    assertThatThrownBy(shaky::see).hasMessageContaining("away");
    assertThat(shaky.see()).isEqualTo("there");
  }

  @Test
  @DisplayName("While one looks at a slow disk, the others take what was seen before")
  void oneLooks() throws InterruptedException {
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
    assertThat(slow.see()).isEqualTo("old");
    time.advance(Duration.ofSeconds(1));
    Thread looker = Thread.ofVirtual().start(slow::see);
    begun.await();

    assertThat(slow.see()).isEqualTo("old");
    go.countDown();
    looker.join();
    assertThat(slow.see()).isEqualTo("new");
  }
}
