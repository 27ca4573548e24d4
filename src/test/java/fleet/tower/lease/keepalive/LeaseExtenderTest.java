package fleet.tower.lease.keepalive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.lease.LeaseTerm;
import fleet.tower.lease.keepalive.LeaseExtender.Extendable;
import fleet.tower.lease.keepalive.LeaseExtender.Settings;
import fleet.tower.lock.ConcurrentCalls;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.time.ManualTime;

class LeaseExtenderTest {
  private final ManualTime time = new ManualTime();
  private final ProgressSignal heartbeat = new ProgressSignal(time);
  private final List<Duration> extensions = Collections.synchronizedList(new ArrayList<>());
  private final List<String> told = Collections.synchronizedList(new ArrayList<>());
  /** What the next extensions come to; when there is none left, they succeed. */
  private final Deque<Supplier<Renewal.Result>> script = new ArrayDeque<>();

  private final Extendable lease = new Extendable() {
    private final long deadline = time.nanos() + Duration.ofSeconds(30).toNanos();

    @Override
    public String name() {
      return "message abc-123";
    }

    @Override
    public long deadlineNanos() {
      return deadline;
    }

    @Override
    public Renewal.Result extend(Duration by) {
      extensions.add(by);
      return script.isEmpty() ? renewedFor(by) : script.remove().get();
    }
  };

  private Renewal.Renewed renewedFor(Duration by) {
    return new Renewal.Renewed(new LeaseTerm.Of(by, time.now(), time.nanos() + by.toNanos()));
  }

  private LeaseExtender extender(long intervalSeconds, long extensionSeconds, boolean enabled) {
    return new LeaseExtender(
        new Settings(Duration.ofSeconds(intervalSeconds), Duration.ofSeconds(extensionSeconds), enabled), time,
        LeaseExtender.inWords(lease.name(), told::add, told::add, () -> {}));
  }

  private void beat(int times) {
    for (int i = 0; i < times; i++) {
      heartbeat.beat();
    }
  }

  private void pass(long seconds) {
    time.advance(Duration.ofSeconds(seconds));
  }

  @Test
  @DisplayName("WI-5 without a rate limit every beat extends the lease, by the configured duration")
  void extendsOnBeat() {
    try (var _ = extender(0, 120, true).attach(lease, heartbeat)) {
      beat(3);
    }
    assertThat(extensions).containsOnly(Duration.ofMinutes(2)).hasSize(3);
    assertThat(told).containsOnly("Extended visibility for message abc-123 by 120 seconds").hasSize(3);
  }

  @Test
  @DisplayName("WI-5 WI-6 WI-B5 the first beat extends at once, even just after a boot; the next one after the "
      + "interval")
  void rateLimits() {
    time.reboot("boot-2");
    try (var _ = extender(60, 300, true).attach(lease, heartbeat)) {
      beat(3);
      assertThat(extensions).hasSize(1);
      pass(59);
      beat(3);
      assertThat(extensions).hasSize(1);
      pass(1);
      beat(3);
    }
    assertThat(extensions).hasSize(2);
  }

  @Test
  @DisplayName("WI-5 a stuck worker extends nothing, and no longer trusts its lease once it has expired")
  void stuck() {
    try (var attachment = extender(10, 300, true).attach(lease, heartbeat)) {
      assertThat(attachment.isTrusted()).isTrue();
      pass(30);
      assertThat(attachment.isTrusted()).isTrue();
      pass(1);
      assertThat(attachment.isTrusted()).isFalse();
      assertThat(attachment.isLost()).isFalse();
    }
    assertThat(extensions).isEmpty();
    assertThat(time.pendingDelays()).as("no timer of its own").isEmpty();
  }

  @Test
  @DisplayName("WI-5 while the work makes progress, the lease is trusted for as long as the last extension lasts")
  void trusted() {
    try (var attachment = extender(10, 60, true).attach(lease, heartbeat)) {
      for (int i = 0; i < 10; i++) {
        beat(1);
        pass(15);
        assertThat(attachment.isTrusted()).isTrue();
      }
      pass(46);
      assertThat(attachment.isTrusted()).isFalse();
    }
  }

  @Test
  @DisplayName("WI-B1 an extension shorter than the lease does not shorten the time for which the worker trusts it")
  void longLease() {
    script.add(() -> renewedFor(Duration.ofSeconds(5)));
    try (var attachment = extender(10, 60, true).attach(lease, heartbeat)) {
      beat(1);
      pass(30);
      assertThat(attachment.isTrusted()).isTrue();
    }
  }

  @Test
  @DisplayName("WI-8 when disabled, it listens to nothing")
  void disabled() {
    try (var attachment = extender(0, 300, false).attach(lease, heartbeat)) {
      beat(3);
      assertThat(attachment.isLost()).isFalse();
    }
    assertThat(extensions).isEmpty();
  }

  @Test
  @DisplayName("WI-3 by default every minute by five minutes; settings with which a lease would expire between "
      + "extensions are rejected")
  void settings() {
    assertThat(Settings.DEFAULT).isEqualTo(new Settings(Duration.ofMinutes(1), Duration.ofMinutes(5), true));
    assertThatThrownBy(() -> extender(300, 300, true)).isInstanceOf(InvalidValue.class)
        .hasMessage("a lease that is extended by 300 s every 300 s at most expires in between; make the interval"
            + " shorter than the extension");
    assertThatThrownBy(() -> extender(-1, 300, true)).isInstanceOf(InvalidValue.class);
  }

  @Test
  @DisplayName("WI-4 one lease at a time; after it is detached, beats do nothing, detaching again is harmless, and "
      + "another may be attached")
  void attached() {
    LeaseExtender extender = extender(0, 300, true);
    LeaseExtender.Attachment first = extender.attach(lease, heartbeat);
    assertThatThrownBy(() -> extender.attach(lease, heartbeat)).isInstanceOf(IllegalStateException.class)
        .hasMessage("LeaseExtender already attached");
    first.close();
    first.close();
    beat(2);
    assertThat(extensions).isEmpty();

    try (var _ = extender.attach(lease, heartbeat)) {
      first.close();
      beat(1);
      assertThatThrownBy(() -> extender.attach(lease, heartbeat)).isInstanceOf(IllegalStateException.class);
    }
    assertThat(extensions).hasSize(1);
  }

  @Test
  @DisplayName("WI-4 a scope that ends with an exception also detaches")
  void detachedByException() {
    assertThatThrownBy(() -> {
      try (var _ = extender(0, 300, true).attach(lease, heartbeat)) {
        throw new IllegalStateException("work failed");
      }
    }).hasMessage("work failed");
    beat(1);
    assertThat(extensions).isEmpty();
  }

  @Test
  @DisplayName("WI-2 other listeners of the same progress signal are notified as before")
  void otherListeners() {
    List<String> calls = new ArrayList<>();
    heartbeat.onBeat(() -> calls.add("before"));
    try (var _ = extender(0, 300, true).attach(lease, heartbeat)) {
      heartbeat.onBeat(() -> calls.add("after"));
      beat(1);
    }
    beat(1);
    assertThat(calls).containsExactly("before", "after", "before", "after");
    assertThat(extensions).hasSize(1);
  }

  @Test
  @DisplayName("WI-7 WI-B3 a failed extension is reported, and retried after the interval: failures are rate-limited "
      + "too")
  void failing() {
    script.add(() -> new Renewal.Failed("connection refused"));
    script.add(() -> {
      throw new IllegalStateException("no route");
    });
    script.add(() -> {
      throw new NoClassDefFoundError();
    });
    try (var attachment = extender(60, 300, true).attach(lease, heartbeat)) {
      for (int i = 0; i < 4; i++) {
        beat(100);
        pass(60);
      }
      assertThat(attachment.isLost()).isFalse();
      assertThat(attachment.isTrusted()).isTrue();
    }
    assertThat(extensions).hasSize(4);
    assertThat(told).containsExactly("Lease extension failed for message abc-123: connection refused",
        "Lease extension failed for message abc-123: no route",
        "Lease extension failed for message abc-123: java.lang.NoClassDefFoundError",
        "Extended visibility for message abc-123 by 300 seconds");
  }

  @Test
  @DisplayName("WI-7 WI-B2 a lost lease is reported once, is not extended again, and stops the worker before it "
      + "replies")
  void lost() {
    script.add(() -> new Renewal.Lost("receipt handle expired", null));
    List<String> replies = new ArrayList<>();
    try (var attachment = extender(0, 300, true).attach(lease, heartbeat)) {
      for (int step = 0; step < 5 && attachment.isTrusted(); step++) {
        beat(3);
      }
      if (attachment.isTrusted()) {
        replies.add("done");
      }
      assertThat(attachment.isLost()).isTrue();
    }
    assertThat(replies).isEmpty();
    assertThat(extensions).hasSize(1);
    assertThat(told).containsExactly("Lease extension failed for message abc-123: receipt handle expired");
  }

  @Test
  @DisplayName("WI-B4 of many threads that beat at once, exactly one extends")
  void concurrentBeats() {
    try (var _ = extender(60, 300, true).attach(lease, heartbeat)) {
      for (int round = 1; round <= 20; round++) {
        ConcurrentCalls.call(IntStream.range(0, 8).<ConcurrentCalls.Work<Boolean>>mapToObj(_ -> () -> {
          beat(50);
          return true;
        }).toList());
        assertThat(extensions).hasSize(round);
        pass(60);
      }
    }
  }

  @Test
  @DisplayName("WI-B4 during an extension, however slow, beats continue and start no second one")
  void slowExtension() throws InterruptedException {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    script.add(() -> {
      inside.countDown();
      try {
        goOn.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      return renewedFor(Duration.ZERO);
    });
    try (var attachment = extender(0, 300, true).attach(lease, heartbeat)) {
      Thread slow = Thread.ofPlatform().start(heartbeat::beat);
      inside.await();
      beat(5);
      assertThat(attachment.isTrusted()).as("no lock is held meanwhile").isTrue();
      assertThat(extensions).hasSize(1);
      goOn.countDown();
      slow.join();
      beat(1);
      assertThat(extensions).hasSize(2);
    }
  }

  @Test
  @DisplayName("WI-4 an extension that returns after the detach is not reported to anyone, not even as a loss")
  void lateAnswer() throws InterruptedException {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    script.add(() -> {
      inside.countDown();
      try {
        goOn.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      return new Renewal.Lost("receipt handle expired, the message was acknowledged or purged", null);
    });
    LeaseExtender.Attachment attachment = extender(0, 300, true).attach(lease, heartbeat);
    Thread slow = Thread.ofPlatform().start(heartbeat::beat);
    inside.await();
    attachment.close();
    goOn.countDown();
    slow.join();

    assertThat(attachment.isLost()).isFalse();
    assertThat(told).isEmpty();
  }
}
