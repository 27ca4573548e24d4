package fleet.tower.lease.keepalive;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.audit.AuditEvent;
import fleet.tower.lease.Actors;
import fleet.tower.lock.ConcurrentCalls;
import fleet.tower.platform.time.ManualTime;

class ProgressSignalTest {
  private final ManualTime time = new ManualTime("2026-01-01T00:00:00Z");
  private final ProgressSignal heartbeat = new ProgressSignal(time);
  private final List<String> told = Collections.synchronizedList(new ArrayList<>());

  @Test
  @DisplayName("WI-1 WI-21 a beat records when the work made progress; its age is measured by the clock that is never "
      + "stepped")
  void elapsed() {
    time.advance(Duration.ofSeconds(5));
    assertThat(heartbeat.elapsed()).isEqualTo(Duration.ofSeconds(5));
    time.stepWallClock(Duration.ofHours(-3));
    heartbeat.beat();
    time.stepWallClock(Duration.ofHours(9));
    time.advance(Duration.ofMillis(250));

    assertThat(heartbeat.elapsed()).isEqualTo(Duration.ofMillis(250));
    assertThat(heartbeat.beats()).isEqualTo(1);
  }

  @Test
  @DisplayName("WI-1 WI-2 all listeners are notified of every beat, in the order in which they were added, until they "
      + "are removed")
  void listeners() {
    heartbeat.onBeat(() -> told.add("a"));
    ProgressSignal.Listening b = heartbeat.onBeat(() -> told.add("b"));
    heartbeat.onBeat(() -> told.add("c"));

    heartbeat.beat();
    b.close();
    b.close();
    heartbeat.beat();

    assertThat(told).containsExactly("a", "b", "c", "a", "c");
  }

  @Test
  @DisplayName("WI-1 adding or removing a listener during a beat does not affect that beat")
  void snapshot() {
    List<ProgressSignal.Listening> later = new ArrayList<>();
    heartbeat.onBeat(() -> {
      told.add("first");
      later.removeLast().close();
      heartbeat.onBeat(() -> told.add("new"));
    });
    later.add(heartbeat.onBeat(() -> told.add("leaving")));

    heartbeat.beat();
    assertThat(told).containsExactly("first", "leaving");
    told.clear();
    later.add(heartbeat.onBeat(() -> told.add("other")));
    heartbeat.beat();

    assertThat(told).containsExactly("first", "new", "other");
  }

  @Test
  @DisplayName("WI-2 a listener that throws does not prevent the others from being notified, or the work from "
      + "continuing")
  void throwing() {
    List<Throwable> reported = new ArrayList<>();
    Thread.currentThread().setUncaughtExceptionHandler((_, e) -> reported.add(e));
    try {
      heartbeat.onBeat(() -> {
        throw new IllegalStateException("first");
      });
      heartbeat.onBeat(() -> {
        throw new NoClassDefFoundError("second");
      });
      heartbeat.onBeat(() -> told.add("third"));

      heartbeat.beat();
    } finally {
      Thread.currentThread().setUncaughtExceptionHandler(null);
    }

    assertThat(told).containsExactly("third");
    assertThat(reported).extracting(Throwable::getMessage).containsExactly("first", "second");
  }

  @Test
  @DisplayName("WI-1 listeners are notified without a lock held: meanwhile others may beat, read the signal and be "
      + "added")
  void noLock() throws InterruptedException {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    AtomicInteger calls = new AtomicInteger();
    heartbeat.onBeat(() -> {
      if (calls.incrementAndGet() == 1) {
        inside.countDown();
        awaitQuietly(goOn);
      }
    });
    Thread beating = Thread.ofPlatform().start(heartbeat::beat);
    inside.await();

    heartbeat.beat();
    heartbeat.onBeat(() -> told.add("new"));
    assertThat(heartbeat.elapsed()).isZero();
    goOn.countDown();
    beating.join();

    assertThat(calls).hasValue(2);
    assertThat(told).isEmpty();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  @DisplayName("WI-1 many threads beat at once, and no beat is lost")
  void together() {
    AtomicInteger calls = new AtomicInteger();
    heartbeat.onBeat(calls::incrementAndGet);

    ConcurrentCalls.call(IntStream.range(0, 8).<ConcurrentCalls.Work<Boolean>>mapToObj(_ -> () -> {
      for (int i = 0; i < 1000; i++) {
        heartbeat.beat();
      }
      return true;
    }).toList());

    assertThat(heartbeat.beats()).isEqualTo(8000);
    assertThat(calls).hasValue(8000);
  }

  @Test
  @DisplayName("WI-5 a lock that requires progress is renewed while the work makes progress, and reported when it does "
      + "not")
  void proof() {
    ManualLease bench = new ManualLease(900);
    ProgressSignal work = new ProgressSignal(bench.time);
    LeaseRenewer renewer = bench.keep(work.proving(bench::renew));
    bench.pass(20);
    work.beat();
    bench.pass(10);
    assertThat(bench.beats).as("renewed on progress").containsExactly(30L);

    bench.pass(90);

    assertThat(bench.beats).as("no progress, no renewal").containsExactly(30L);
    assertThat(bench.told).containsExactly("1 no progress since 2026-01-01T00:00:20Z",
        "2 no progress since 2026-01-01T00:00:20Z", "3 no progress since 2026-01-01T00:00:20Z");
    assertThat(bench.audit).hasSize(2).first().isInstanceOfSatisfying(AuditEvent.HeartbeatFailed.class, failed -> {
      assertThat(failed.error()).isEqualTo("no progress since 2026-01-01T00:00:20Z");
      assertThat(bench.audit).isEqualTo(Actors.pair(failed));
    });
    work.beat();
    bench.pass(30);
    assertThat(bench.beats).as("it makes progress again").containsExactly(30L, 150L);
    assertThat(renewer.isLost()).isFalse();
  }

  @Test
  @DisplayName("WI-5 progress made while the store was unavailable counts until a renewal has succeeded")
  void proofIsKept() {
    ManualLease bench = new ManualLease(900).then(new Renewal.Failed("EIO"));
    ProgressSignal work = new ProgressSignal(bench.time);
    bench.keep(work.proving(bench::renew));
    work.beat();

    bench.pass(90);

    assertThat(bench.beats).containsExactly(30L, 60L);
    assertThat(bench.told).containsExactly("1 EIO", "1 no progress since 2026-01-01T00:00:00Z");
  }

  @Test
  @DisplayName("TF-A5 a stuck holder still learns that its lock was taken")
  void stuckAndRobbed() {
    ManualLease bench = new ManualLease(900);
    ProgressSignal work = new ProgressSignal(bench.time);
    Renewal.Lost loss = new Renewal.Lost("held by r2", null);
    LeaseRenewer renewer = bench.keep(work.proving(new Renewal() {
      @Override
      public Result renew() {
        return bench.renew();
      }

      @Override
      public Optional<Lost> look() {
        return Optional.of(loss);
      }
    }));

    bench.pass(30);

    assertThat(bench.beats).isEmpty();
    assertThat(bench.told).containsExactly("lost: held by r2");
    assertThat(renewer.isLost()).isTrue();
  }
}
