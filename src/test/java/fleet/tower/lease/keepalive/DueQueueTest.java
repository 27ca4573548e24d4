package fleet.tower.lease.keepalive;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Lease;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;

@DisplayName("Heartbeats started by a tick")
class DueQueueTest {
  private final ManualTime time = new ManualTime();

  @Test
  @DisplayName("Nothing starts before it is due or without a tick; then everything that is due starts, in order")
  void begins() {
    DueQueue queue = new DueQueue(time, time);
    List<String> done = new ArrayList<>();
    queue.after(Duration.ofSeconds(2), () -> done.add("b"));
    queue.after(Duration.ofSeconds(1), () -> done.add("a"));
    queue.after(Duration.ofSeconds(2), () -> done.add("c"));
    Scheduler.Pending cancelled = queue.after(Duration.ofSeconds(1), () -> done.add("cancelled"));
    cancelled.cancel();
    time.advance(Duration.ofSeconds(3));
    assertThat(done).as("no tick, no beat").isEmpty();

    queue.beginDue();
    time.advance(Duration.ZERO);

    assertThat(done).containsExactly("a", "b", "c");
    queue.beginDue();
    assertThat(time.pendingDelays()).isEmpty();
  }

  @Test
  @DisplayName("Alarms, and work without a delay, do not wait for a tick")
  void passesOn() {
    DueQueue queue = new DueQueue(time, time);
    List<String> done = new ArrayList<>();
    queue.after(Duration.ZERO, () -> done.add("now"));
    queue.alarm(Duration.ofSeconds(5), () -> done.add("alarm"));

    time.advance(Duration.ofSeconds(5));

    assertThat(done).containsExactly("now", "alarm");
  }

  @Test
  @DisplayName("TF-5.1 ten thousand leases each keep their interval, and a tick looks only at those that are due")
  void manyLeases() {
    ManualLease bench = new ManualLease(900);
    LeaseRenewers heartbeats = LeaseRenewers.ticking(bench.time, bench.time, Duration.ofSeconds(30));
    AtomicInteger beats = new AtomicInteger();
    List<LeaseRenewer> renewers = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      Lease lease = bench.lease("l" + i, 900);
      renewers.add(heartbeats.keep(HeldLease.since(bench.time.nanos(), lease), () -> {
        beats.incrementAndGet();
        return new Renewal.Renewed(HeldLease.since(bench.time.nanos(), lease));
      }, bench.audited(lease, bench)));
    }
    assertThat(bench.time.pendingDelays()).as("no timers").isEmpty();
    for (int i = 0; i < 3010; i++) {
      bench.time.advance(Duration.ofMillis(100));
      heartbeats.renewDue();
    }
    bench.time.advance(Duration.ofMillis(1));

    // Each beat is late by no more than a tick, so no lease has missed one in five minutes.
    assertThat(beats).hasValue(100_000);
    assertThat(heartbeats.lag().worst()).isLessThanOrEqualTo(Duration.ofMillis(100));
    renewers.forEach(LeaseRenewer::stop);
    heartbeats.renewDue();
    assertThat(beats).hasValue(100_000);
  }

  @Test
  @DisplayName("A hanging renewal delays neither the tick nor other leases")
  void hangs() throws Exception {
    ManualLease bench = new ManualLease(900);
    LeaseRenewers heartbeats = LeaseRenewers.ticking(bench.time, SystemTime.scheduler(), Duration.ofSeconds(30));
    CountDownLatch goOn = new CountDownLatch(1);
    CountDownLatch others = new CountDownLatch(20);
    List<LeaseRenewer> renewers = new ArrayList<>();
    for (int i = 0; i < 21; i++) {
      Lease lease = bench.lease("l" + i, 900);
      boolean hangs = i == 0;
      renewers.add(heartbeats.keep(HeldLease.since(bench.time.nanos(), lease), () -> {
        if (hangs) {
          await(goOn);
        } else {
          others.countDown();
        }
        return new Renewal.Renewed(HeldLease.since(bench.time.nanos(), lease));
      }, bench.audited(lease, bench)));
    }
    bench.time.advance(Duration.ofSeconds(31));

    heartbeats.renewDue();

    others.await();
    goOn.countDown();
    renewers.forEach(LeaseRenewer::stop);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
