package fleet.tower.lock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.queue.WaitQueue.WaitingRequest;
import fleet.tower.lock.queue.Waiter.LockWait;
import fleet.tower.platform.OutageWait;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.WakeUp;

@DisplayName("How often a waiter checks while nothing happens, and when it overtakes")
class WaiterTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final WaitingRequest WHO = new WaitingRequest(new RequestId("r"), null, null, null);

  /** Manual time that reports when a waiter has gone to sleep. */
  private static final class Sleeps implements Scheduler {
    private final ManualTime time = new ManualTime();
    private final Semaphore asleep = new Semaphore(0);

    @Override
    public void pause(Duration duration) {
      throw new AssertionError("a waiter sleeps by its bell");
    }

    @Override
    public Pending after(Duration delay, Runnable work) {
      Pending pending = time.after(delay, work);
      asleep.release();
      return pending;
    }
  }

  /** A line in which nothing ever changes. */
  private record Still(WaitQueue.Place.Standing standing, boolean isTold,
      AtomicInteger looks) implements WaitQueue, WaitQueue.Place {
    @Override
    public JoinOutcome join(LeaseName name, WaitingRequest who, WakeUp bell) {
      return new JoinOutcome.Joined(this);
    }

    @Override
    public int length(LeaseName name) {
      return 1;
    }

    @Override
    public Set<LeaseName> names() {
      return Set.of();
    }

    @Override
    public List<WaitingRequest> list(LeaseName name) {
      return List.of(WHO);
    }

    @Override
    public Standing standing(boolean anew) {
      looks.incrementAndGet();
      return standing;
    }

    @Override
    public int position() {
      return 0;
    }

    @Override
    public boolean isNotified() {
      return isTold;
    }

    @Override
    public void close() {
      // There are no other waiters.
    }
  }

  /** Held by another for ever, or free. */
  private record Target(boolean isAvailable) implements LockWait<String, String> {
    @Override
    public Optional<String> attempt() {
      return isAvailable ? Optional.of("granted") : Optional.empty();
    }

    @Override
    public WaitOutcome<String, String> atLimit() {
      return new WaitOutcome.TimedOut<>("another");
    }

    @Override
    public void onWaiting(Duration waited, int position) {
      // Progress is not checked.
    }
  }

  /** Starts a waiter, and waits until it sleeps. */
  private static Thread begin(Sleeps sleeps, Still line, Target target) throws InterruptedException {
    Thread waiter = Thread.ofVirtual().start(() -> {
      Wait wait = new Wait(LIMIT, sleeps, (_, _, _) -> {}, new Cancellation());
      OutageWait outage = new OutageWait(LIMIT, sleeps.time, sleeps, wait.cancellation());
      var _ = new Waiter<>(line, sleeps.time, wait, target, outage).await(new LeaseName("prod"), WHO);
      sleeps.asleep.release();
    });
    sleeps.asleep.acquire();
    return waiter;
  }

  /** The number of checks per minute of a waiter in this position. */
  private static int looksInAMinute(WaitQueue.Place.Standing standing, boolean isTold) throws InterruptedException {
    Sleeps sleeps = new Sleeps();
    Still line = new Still(standing, isTold, new AtomicInteger());
    Thread waiter = begin(sleeps, line, new Target(false));
    for (List<Duration> alarms = sleeps.time.pendingDelays(); !alarms.isEmpty(); alarms = sleeps.time.pendingDelays()) {
      sleeps.time.advance(alarms.getFirst());
      sleeps.asleep.acquire();
    }
    waiter.join();
    return line.looks().get();
  }

  @Test
  @DisplayName("The more processes are ahead, the less often it checks, but at least every ten seconds; so a hundred "
      + "check as often as a few")
  void byPosition() throws InterruptedException {
    List<Integer> looks = new ArrayList<>();
    for (int processes : List.of(1, 2, 5, 10, 20, 50, 99)) {
      looks.add(looksInAMinute(new WaitQueue.Place.Standing.BehindOthers("first", processes), true));
    }

    assertThat(looks.getFirst()).isBetween(100, 130);
    assertThat(looks.get(3)).isBetween(12, 22);
    assertThat(looks.subList(4, 7)).allMatch(count -> count >= 6 && count <= 10);
    for (int i = 1; i < looks.size(); i++) {
      assertThat(looks.get(i)).isLessThanOrEqualTo(looks.get(i - 1));
    }
  }

  @Test
  @DisplayName("A first waiter without notifications polls often at first and four times a second later, and "
      + "does not spin")
  void untold() throws InterruptedException {
    assertThat(looksInAMinute(new WaitQueue.Place.Standing.First(), false)).isBetween(240, 420);
    assertThat(looksInAMinute(new WaitQueue.Place.Standing.First(), true)).isBetween(200, 250);
    assertThat(looksInAMinute(new WaitQueue.Place.Standing.BehindOthers("first", 50), false)).isBetween(15, 30);
  }

  @Test
  @DisplayName("It overtakes waiters that leave a lock free for a second; if it was suspended itself, only at its next "
      + "check")
  void overtaking() throws InterruptedException {
    Sleeps sleeps = new Sleeps();
    Still line = new Still(new WaitQueue.Place.Standing.BehindOthers("first", 1), true, new AtomicInteger());
    Thread waiter = begin(sleeps, line, new Target(true));
    for (int millis : List.of(500, 5000)) {
      sleeps.time.advance(Duration.ofMillis(millis));
      sleeps.asleep.acquire();
      assertThat(sleeps.time.pendingDelays()).as("it waits").isNotEmpty();
    }

    sleeps.time.advance(Duration.ofMillis(500));
    waiter.join();
    assertThat(line.looks()).hasValue(4);
  }
}
