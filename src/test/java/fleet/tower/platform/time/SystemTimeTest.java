package fleet.tower.platform.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.harness.Await;

@DisplayName("The clocks and timers of the machine")
class SystemTimeTest {
  private static final String BOOT_ID = "/proc/sys/kernel/random/boot_id";

  @TempDir
  private Path temp = Path.of("not-yet");

  @Test
  @DisplayName("TF-1.1 the boot clock is the kernel's, never goes back, and has one identity")
  void readsTheBootClock() throws IOException {
    Assumptions.assumeTrue(Files.isReadable(Path.of(BOOT_ID)), "no boot clock on this system");
    BootClock clock = new BootClock();
    BootStamp last = clock.read();
    assertThat(last).isNotNull().extracting(BootStamp::bootId).isEqualTo(Files.readString(Path.of(BOOT_ID)).strip());
    TimeSource time = SystemTime.source();
    long nanos = time.nanos();
    for (int i = 0; i < 2000; i++) {
      BootStamp next = clock.read();
      assertThat(next).isNotNull();
      assertThat(last).isNotNull();
      if (next != null && last != null) {
        assertThat(next.millisSince(last)).isPresent();
      }
      last = next;
      long nextNanos = time.nanos();
      assertThat(nextNanos).isGreaterThanOrEqualTo(nanos);
      nanos = nextNanos;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "12", "a.bc 1", ".", "1.2", "-.-- --"})
  @DisplayName("TF-1.1 an unreadable boot clock is treated as missing")
  void survivesABadBootClock(String uptime) throws IOException {
    Path id = Files.writeString(temp.resolve("id"), "boot\n");
    Path file = Files.writeString(temp.resolve("uptime"), uptime);

    assertThat(new BootClock(id.toString(), file.toString()).read()).isNull();
    assertThat(new BootClock(id.toString(), temp.resolve("missing").toString()).read()).isNull();
    assertThat(new BootClock(temp.resolve("missing").toString(), file.toString()).read()).isNull();
  }

  @Test
  @DisplayName("TF-1.1 hundredths of a second are read correctly")
  void readsHundredths() throws IOException {
    Path id = Files.writeString(temp.resolve("id"), "boot\n");
    Path file = Files.writeString(temp.resolve("uptime"), "1234567.08 99.99\n");

    assertThat(new BootClock(id.toString(), file.toString()).read()).isEqualTo(new BootStamp("boot", 1_234_567_080L));
  }

  @Test
  @DisplayName("TF-1.1 a pause continues after an interrupt, and the interrupt status is kept")
  void pausesThroughAnInterrupt() {
    Scheduler scheduler = SystemTime.scheduler();
    long before = FineClock.nanos();
    Thread.currentThread().interrupt();
    scheduler.pause(Duration.ofMillis(30));

    assertThat(Thread.interrupted()).isTrue();
    assertThat(FineClock.nanos() - before).isGreaterThanOrEqualTo(30_000_000);
    scheduler.pause(Duration.ZERO);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  @DisplayName("TF-5.1 scheduled work runs on its own thread; slow work does not delay other work; cancelled work "
      + "does not run")
  void runsLater() throws InterruptedException {
    Scheduler scheduler = SystemTime.scheduler();
    CountDownLatch slowGoesOn = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(2);
    AtomicBoolean cancelledRan = new AtomicBoolean();
    scheduler.after(Duration.ZERO, () -> {
      awaitQuietly(slowGoesOn);
      done.countDown();
    });
    scheduler.after(Duration.ofHours(1), () -> cancelledRan.set(true)).cancel();
    scheduler.after(Duration.ofMillis(1), () -> {
      slowGoesOn.countDown();
      done.countDown();
    });

    assertThat(done.await(Await.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(cancelledRan).isFalse();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      assertThat(latch.await(Await.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
