package fleet.tower.lease.keepalive;

import static fleet.tower.lease.Actors.ACTOR;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.audit.AuditEvent;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Holder;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseTerm;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.AuditedRenewals;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.Locks;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.TestLocks;
import fleet.tower.lock.TestRequest;
import fleet.tower.lock.file.FileLocks;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.platform.time.TimeSource;

/** The heartbeat among threads, and on a real store of files. */
class LeaseRenewerThreadsTest {
  private static final LeaseName NAME = new LeaseName("prod");
  private static final Holder HOLDER = new Holder("alice", "manual", "none", "tower-01", 1, false);
  private final List<AuditEvent> audit = new CopyOnWriteArrayList<>();
  private final LinkedBlockingQueue<Renewal.Lost> losses = new LinkedBlockingQueue<>();
  private final Path directory;

  LeaseRenewerThreadsTest(@TempDir Path temp) {
    directory = temp.resolve("locks");
  }

  private LockStore store(TimeSource time, Scheduler scheduler) {
    return new FileLocks(directory, true, time, scheduler, audit::addAll, _ -> {}).open();
  }

  private static AcquireRequest request(String id, boolean force) {
    return TestRequest.of(NAME, new RequestId(id), HOLDER, new Ttl(3), force);
  }

  private static HeldLease granted(AcquireOutcome outcome) {
    if (outcome instanceof AcquireOutcome.Granted(HeldLease held, var _)) {
      return held;
    }
    throw new AssertionError(outcome);
  }

  /** Keeps what was asked for, to be run when the test wants it. */
  private static final class Held implements Scheduler {
    private final List<Runnable> work = new CopyOnWriteArrayList<>();

    @Override
    public void pause(Duration duration) {
      SystemTime.scheduler().pause(duration);
    }

    @Override
    public Pending after(Duration delay, Runnable later) {
      work.add(later);
      return () -> work.remove(later);
    }
  }

  /** Runs each piece of work on a thread of its own when its time has come, and alarms where time is advanced. */
  private record Threads(ManualTime time) implements Scheduler {
    @Override
    public void pause(Duration duration) {
      time.pause(duration);
    }

    @Override
    public Pending after(Duration delay, Runnable work) {
      return time.after(delay, () -> Thread.ofVirtual().start(work));
    }

    @Override
    public Pending alarm(Duration delay, Runnable work) {
      return time.alarm(delay, work);
    }
  }

  @Test
  @DisplayName("LK-B4 TF-B5 stop waits for a heartbeat in progress, so that the lock released afterwards stays gone")
  void stopWaitsForTheBeat() throws Exception {
    Held scheduler = new Held();
    LockStore store = store(SystemTime.source(), scheduler);
    Locks locks = TestLocks.of(store, audit::addAll, SystemTime.source());
    HeldLease held = granted(locks.acquire(request("r1", false)));
    CountDownLatch inBeat = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Renewal real = locks.renewal(ACTOR, held.lease());
    Renewal slow = () -> {
      inBeat.countDown();
      await(goOn);
      return real.renew();
    };
    LeaseRenewer renewer = new LeaseRenewers(SystemTime.source(), scheduler, Duration.ofSeconds(30))
        .keep(held, slow, locks.recording(ACTOR, held.lease(), losses::add));
    Runnable beat = scheduler.work.removeFirst();
    Thread beating = Thread.ofPlatform().start(beat);
    inBeat.await();

    CountDownLatch stopped = new CountDownLatch(1);
    Thread ending = Thread.ofPlatform().start(() -> {
      renewer.stop();
      stopped.countDown();
      locks.release(ACTOR, NAME, Owner.ofAnyActor(new RequestId("r1")), FencingToken.NONE, Locks.Result.SUCCESS, null);
    });
    while (ending.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    assertThat(stopped.getCount()).isEqualTo(1);
    assertThat(directory.resolve("prod.lock")).exists();
    goOn.countDown();
    beating.join();
    ending.join();

    assertThat(directory.resolve("prod.lock")).doesNotExist();
    assertThat(scheduler.work).isEmpty();
    beat.run();
    assertThat(directory.resolve("prod.lock")).doesNotExist();
    assertThat(losses).isEmpty();
    store.close();
  }

  @Test
  @DisplayName("A slow renewal does not delay the heartbeats of other leases")
  void slowRenewalDelaysNobody() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    CountDownLatch slowOne = new CountDownLatch(1);
    CountDownLatch others = new CountDownLatch(60);
    LeaseRenewers heartbeats = new LeaseRenewers(SystemTime.source(), SystemTime.scheduler(), Duration.ofMillis(20));
    List<LeaseRenewer> all = new ArrayList<>();
    all.add(heartbeats.keep(held("slow"), () -> {
      slowOne.countDown();
      await(goOn);
      return new Renewal.Renewed(held("slow"));
    }, audited(held("slow").lease(), SystemTime.source(), losses::add)));
    slowOne.await();
    for (String name : List.of("a", "b", "c")) {
      all.add(heartbeats.keep(held(name), () -> {
        others.countDown();
        return new Renewal.Renewed(held(name));
      }, audited(held(name).lease(), SystemTime.source(), losses::add)));
    }

    others.await();
    assertThat(goOn.getCount()).isEqualTo(1);
    goOn.countDown();
    all.forEach(LeaseRenewer::stop);
    assertThat(audit).isEmpty();
  }

  private RenewalListener audited(Lease lease, TimeSource time, RenewalListener listener) {
    return new AuditedRenewals(audit::addAll, time, lease, lease.name().value(), ACTOR, listener);
  }

  private static HeldLease held(String name) {
    TimeSource time = SystemTime.source();
    return HeldLease.since(time.nanos(),
        new Lease(new LeaseName(name), new RequestId("r1"), new FencingToken(1), HOLDER,
            time.now(), time.now(), Ttl.DEFAULT, "{}"));
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  @DisplayName("TF-5.1 on files: heartbeats keep a lease alive long past its ttl, and a paused holder loses it for "
      + "good")
  void onFiles() throws Exception {
    ManualTime time = new ManualTime();
    LockStore store = store(time, time);
    Locks locks = TestLocks.of(store, audit::addAll, time);
    HeldLease held = granted(locks.acquire(request("r1", false)));
    LeaseRenewer renewer = new LeaseRenewers(time, time, Duration.ofSeconds(30)).keep(held,
        locks.renewal(ACTOR, held.lease()), locks.recording(ACTOR, held.lease(), losses::add));

    time.advance(Duration.ofSeconds(60));
    assertThat(locks.acquire(request("r2", true))).isInstanceOf(AcquireOutcome.Refused.class);
    assertThat(renewer.term().lastHeartbeatAt()).isEqualTo(time.now());

    renewer.stop();
    time.advance(Duration.ofSeconds(5));
    LeaseRenewer awake = new LeaseRenewers(time, time, Duration.ofSeconds(30))
        .keep(held, locks.renewal(ACTOR, held.lease()), locks.recording(ACTOR, held.lease(), losses::add));
    granted(locks.acquire(request("r2", true)));
    byte[] before = java.nio.file.Files.readAllBytes(directory.resolve("prod.lock"));

    assertThat(awake.confirm()).isFalse();
    assertThat(losses.take().reason()).isEqualTo("held by r2");
    time.advance(Duration.ofSeconds(60));
    assertThat(directory.resolve("prod.lock")).hasBinaryContent(before);
    assertThat(
        locks.release(ACTOR, NAME, Owner.ofAnyActor(new RequestId("r1")), held.lease().token(), Locks.Result.SUCCESS,
            null))
        .isInstanceOf(ReleaseOutcome.NotOwner.class);
    assertThat(audit.stream().filter(AuditEvent.LockLost.class::isInstance)).hasSize(1);
    store.close();
  }

  @Test
  @DisplayName("TF-B5 on files: a lock that was removed is lost, and no heartbeat recreates it")
  void removedOnFiles() throws Exception {
    ManualTime time = new ManualTime();
    LockStore store = store(time, time);
    Locks locks = TestLocks.of(store, audit::addAll, time);
    HeldLease held = granted(locks.acquire(request("r1", false)));
    new LeaseRenewers(time, time, Duration.ofSeconds(30)).keep(held,
        locks.renewal(ACTOR, held.lease()), locks.recording(ACTOR, held.lease(), losses::add));
    java.nio.file.Files.delete(directory.resolve("prod.lock"));

    time.advance(Duration.ofSeconds(10));

    assertThat(losses.take().reason()).isEqualTo("lock is gone");
    assertThat(losses).isEmpty();
    assertThat(directory.resolve("prod.lock")).doesNotExist();
    store.close();
  }

  @Test
  @DisplayName("TF-5.8 TF-A5 a store that does not answer: the holder is notified in time, heartbeat_failed reports "
      + "it, and lock_lost follows")
  void noAnswer() throws Exception {
    ManualTime time = new ManualTime();
    CountDownLatch inBeat = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    BlockingQueue<HeartbeatCounts> doubts = new LinkedBlockingQueue<>();
    Lease lease = new Lease(NAME, new RequestId("r1"), new FencingToken(1), HOLDER, time.now(), time.now(), new Ttl(2),
        "{}");
    LeaseRenewers heartbeats = new LeaseRenewers(time, new Threads(time), Duration.ofSeconds(30));
    LeaseRenewer renewer = heartbeats.keep(HeldLease.since(time.nanos(), lease), () -> {
      inBeat.countDown();
      await(goOn);
      return new Renewal.Renewed(HeldLease.since(time.nanos(), lease));
    }, audited(lease, time, new RenewalListener() {
      @Override
      public void doubted(LeaseTerm term, HeartbeatCounts counts) {
        doubts.add(counts);
      }

      @Override
      public void lost(Renewal.Lost loss) {
        losses.add(loss);
      }
    }));

    time.advance(Duration.ofMillis(700));
    inBeat.await();
    time.advance(Duration.ofMillis(900));
    assertThat(doubts).hasSize(1);
    HeartbeatCounts counts = doubts.take();
    assertThat(heartbeats.lag().failing()).as("while it hangs").isEqualTo(1);
    renewer.giveUp(counts);

    assertThat(counts.consecutiveFailures()).isEqualTo(1);
    assertThat(counts.error()).startsWith("no answer for ");
    assertThat(audit).hasSize(3);
    assertThat(audit.getFirst()).isInstanceOfSatisfying(AuditEvent.HeartbeatFailed.class, failed -> {
      assertThat(failed.consecutiveFailures()).isEqualTo(1);
      assertThat(failed.error()).isEqualTo(counts.error());
    });
    assertThat(audit.getLast()).isInstanceOfSatisfying(AuditEvent.LockLost.class,
        lost -> assertThat(lost.error()).isEqualTo(counts.error()));
    goOn.countDown();
    renewer.stop();
    assertThat(heartbeats.lag().failing()).isZero();
    assertThat(losses).isEmpty();
  }
}
