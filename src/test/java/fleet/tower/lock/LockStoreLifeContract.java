package fleet.tower.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.lease.Decision;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Holder;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.queue.WaitQueue;
import fleet.tower.platform.time.SystemTime;

/** The second half of the contract: a lock's life after it was granted. */
public abstract class LockStoreLifeContract extends LockStoreContract {
  private static final FencingToken ANY = FencingToken.NONE;

  @ParameterizedTest(name = "renewed after {0} s, late by {1}")
  @CsvSource({"0, 0", "300, 0", "900, 0", "901, 1", "5000, 4100"})
  @DisplayName("TF-5.4 TF-A18 a renewal changes the heartbeat and nothing else, late or not, until another "
      + "holder takes over")
  void renews(long age, long late) {
    Lease held = leaseOf(anna());
    pass(seconds(age));
    long before = nanos();

    RenewOutcome outcome = store().renew(PROD, TestRequest.owner(ANNA), held.token());

    Lease renewed = held.renewedAt(held.createdAt().plusSeconds(age));
    assertThat(outcome).isInstanceOfSatisfying(RenewOutcome.Renewed.class, it -> {
      assertThat(it.lease().lease()).isEqualTo(renewed);
      assertThat(it.lateBySeconds()).isEqualTo(late);
      assertThat(it.lease().deadlineNanos() - before).isBetween(seconds(900).toNanos(),
          seconds(910).toNanos());
    });
    assertThat(heldNow().lease()).isEqualTo(renewed);
  }

  @Test
  @DisplayName("TF-6.1 a renewed lock is active for its whole ttl again")
  void aRenewedLockIsActive() {
    Lease held = leaseOf(anna());
    pass(seconds(800));
    store().renew(PROD, TestRequest.owner(ANNA), ANY);
    pass(seconds(900));

    assertThat(acquire(bert().withForce())).isInstanceOf(AcquireOutcome.Refused.class);
    pass(seconds(1));
    assertThat(leaseOf(bert().withForce()).token()).isGreaterThan(held.token());
  }

  /** The store's locks, of which so many may be held at the same time. */
  private Locks limited(int most, boolean isTogether, AuditLog audit) {
    Halt.Scope scope = Halt.Scope.of(List.of("bot-*"), List.of(), List.of());
    return TestLocks.of(store(), audit, SystemTime.source(), WaitQueue.NONE,
        new LimitRules(new HoldLimit("bots", scope, most, isTogether)));
  }

  private static AcquireRequest of(String actor, String lock) {
    return TestRequest.of(new LeaseName(lock), new RequestId("req_" + actor + "_" + lock),
        new Holder(actor, "deploy-app", "1.2.0", "tower-01", 12345, false), new Ttl(900), false)
        .with(AcquireRequest.Reentry.CLIENT);
  }

  @Test
  @DisplayName("Of 16 clients that acquire as fast as they can, exactly as many get a lock as may be held at the same time")
  void exactlyTheLimit() {
    Locks locks = limited(5, true, new RecordedAudit());
    List<ConcurrentCalls.Work<Integer>> clients = new ArrayList<>();
    for (int client = 0; client < 16; client++) {
      String actor = "bot-" + client;
      clients.add(() -> {
        int granted = 0;
        for (int i = 0; i < 4; i++) {
          granted += locks.acquire(of(actor, actor + "-" + i)) instanceof AcquireOutcome.Granted ? 1 : 0;
        }
        return granted;
      });
    }
    assertThat(ConcurrentCalls.call(clients).stream().mapToInt(it -> it).sum()).isEqualTo(5);
    assertThat(store().list()).hasSize(5);
  }

  @Test
  @DisplayName("A limit counts each actor's locks, stale ones too, leaves a holder its own, and has room after a release")
  void limitOfEachActor() {
    AcquireOutcome refused = new AcquireOutcome.Refused(new Decision.LimitReached("bots", 2));
    RecordedAudit audit = new RecordedAudit();
    Locks locks = limited(2, false, audit);
    Lease first = granted(locks.acquire(of("bot-1", "a")));
    granted(locks.acquire(of("bot-1", "b")));
    assertThat(locks.refusal(of("bot-1", "c"))).contains(new Decision.LimitReached("bots", 2));
    assertThat(locks.acquire(of("bot-1", "c"))).isEqualTo(refused);
    assertThat(audit.events().getLast()).isInstanceOf(AuditEvent.LockBlocked.class);
    assertThat(locks.acquire(of("bot-1", "a"))).isInstanceOf(AcquireOutcome.Kept.class);
    granted(locks.acquire(of("bot-2", "c")));
    granted(locks.acquire(of("ann", "d")));
    assertThat(locks.acquire(of("bot-1", "d"))).as("what holds it is said first").isInstanceOfSatisfying(
        AcquireOutcome.Refused.class, it -> assertThat(it.refusal()).isInstanceOf(Decision.Blocked.class));
    pass(seconds(901));
    assertThat(locks.acquire(of("bot-1", "e"))).isEqualTo(refused);
    store().release(first.name(), first.owner(), first.token());
    granted(locks.acquire(of("bot-1", "e")));
    assertThat(locks.acquire(of("bot-1", "f"))).isEqualTo(refused);
  }

  private static Lease granted(AcquireOutcome outcome) {
    return switch (outcome) {
      case AcquireOutcome.Granted(var held, var _) -> held.lease();
      case AcquireOutcome other -> throw new AssertionError("not granted: " + other);
    };
  }

  @Test
  @DisplayName("TF-B5 TF-A5 a renewal of a missing lock returns gone and creates none")
  void renewsNothing() {
    Lease held = leaseOf(anna());
    store().release(PROD, TestRequest.owner(ANNA), held.token());

    assertThat(store().renew(PROD, TestRequest.owner(ANNA), held.token())).isEqualTo(new RenewOutcome.Gone());
    assertThat(store().view(PROD).leaseState()).isEqualTo(new LeaseState.Vacant());
    assertThat(store().list()).isEmpty();
  }

  @Test
  @DisplayName("TF-B3 TF-A6 a renewal of another owner's lock returns taken, and renews no lock")
  void renewsNobodyElses() {
    Lease old = leaseOf(anna());
    pass(seconds(901));
    Lease taken = leaseOf(bert().withForce());
    pass(seconds(10));

    assertThat(store().renew(PROD, TestRequest.owner(ANNA), old.token())).isEqualTo(new RenewOutcome.Taken(taken));
    assertThat(heldNow().lease()).isEqualTo(taken);
  }

  @Test
  @DisplayName("Decision 7 an earlier lease of the same request neither renews nor releases the later one")
  void anOldTokenOwnsNothing() {
    Lease first = leaseOf(anna());
    store().release(PROD, TestRequest.owner(ANNA), first.token());
    Lease second = leaseOf(anna());
    pass(seconds(10));

    assertThat(store().renew(PROD, TestRequest.owner(ANNA), first.token())).isEqualTo(new RenewOutcome.Taken(second));
    assertThat(heldNow().lease()).as("its heartbeat has not moved").isEqualTo(second);
    assertThat(store().release(PROD, TestRequest.owner(ANNA), first.token()))
        .isEqualTo(new ReleaseOutcome.NotOwner(second));
    assertThat(heldNow().lease()).isEqualTo(second);
  }

  @ParameterizedTest(name = "after {0} s, with its token: {1}")
  @CsvSource({"0, true", "10, false", "901, true"})
  @DisplayName("TF-8.1 its owner releases a lock, stale or not, and it is free")
  void releases(long age, boolean withToken) {
    Lease held = leaseOf(anna());
    pass(seconds(age));

    ReleaseOutcome outcome = store().release(PROD, TestRequest.owner(ANNA), withToken ? held.token() : ANY);

    assertThat(outcome).isInstanceOfSatisfying(ReleaseOutcome.Released.class, released -> {
      assertThat(released.lease()).isEqualTo(held);
      assertThat(Duration.between(held.createdAt(), released.at())).isBetween(seconds(age),
          seconds(age + 10));
    });
    assertThat(store().view(PROD).leaseState()).isEqualTo(new LeaseState.Vacant());
    assertThat(leaseOf(bert()).token()).isGreaterThan(held.token());
  }

  @Test
  @DisplayName("TF-A19 TF-10.2 releasing a missing lock returns absent; releasing another owner's lock reports that "
      + "and leaves it")
  void releasesOnlyItsOwn() {
    assertThat(store().release(PROD, TestRequest.owner(ANNA), ANY)).isEqualTo(new ReleaseOutcome.Absent());
    Lease held = leaseOf(anna());

    assertThat(store().release(PROD, TestRequest.owner(BERT), ANY)).isEqualTo(new ReleaseOutcome.NotOwner(held));
    assertThat(store().release(PROD, TestRequest.owner(BERT), held.token()))
        .isEqualTo(new ReleaseOutcome.NotOwner(held));
    assertThat(heldNow().lease()).isEqualTo(held);
  }

  @Test
  @DisplayName("TF-B6 a superseded holder releases nothing")
  void anOvertakenHolderReleasesNothing() {
    Lease old = leaseOf(anna());
    pass(seconds(901));
    Lease taken = leaseOf(bert().withForce());

    assertThat(store().release(PROD, TestRequest.owner(ANNA), old.token()))
        .isEqualTo(new ReleaseOutcome.NotOwner(taken));
    assertThat(heldNow().lease()).isEqualTo(taken);
  }

  @ParameterizedTest(name = "at the age of {0} s")
  @CsvSource({"0", "901"})
  @DisplayName("TF-A40 a force release removes any holder's lock, and returns the holder")
  void forceReleases(long age) {
    Lease held = leaseOf(anna());
    pass(seconds(age));

    ForceReleaseOutcome outcome = store().forceRelease(PROD);

    assertThat(outcome).isInstanceOfSatisfying(ForceReleaseOutcome.Removed.class, removed -> {
      assertThat(removed.previous().lease()).isEqualTo(held);
      assertThat(removed.previous().hash()).matches("sha256:[0-9a-f]{64}");
    });
    assertThat(store().forceRelease(PROD)).isEqualTo(new ForceReleaseOutcome.Absent());
    assertThat(store().renew(PROD, TestRequest.owner(ANNA), held.token())).isEqualTo(new RenewOutcome.Gone());
    assertThat(leaseOf(bert()).token()).isGreaterThan(held.token());
  }

  @Test
  @DisplayName("Decision 7 tokens grow over release, steal, force release and restart")
  void tokensGrowForEver() {
    List<Long> tokens = new ArrayList<>();
    for (int round = 0; round < 4; round++) {
      LockStore store = reopened();
      tokens.add(token(store.acquire(TestRequest.by("req_a" + round, PROD.value()).request())));
      store.release(PROD, TestRequest.owner(new RequestId("req_a" + round)), ANY);
      tokens.add(token(store.acquire(TestRequest.by("req_b" + round, PROD.value()).withTtl(1).request())));
      pass(seconds(3));
      tokens.add(token(store.acquire(TestRequest.by("req_c" + round, PROD.value()).withForce().request())));
      store.forceRelease(PROD);
    }

    assertThat(tokens).hasSize(12).doesNotHaveDuplicates().isSorted();
  }

  @Test
  @DisplayName("TF-1.2 a lock outlives its process: after a restart it is blocked, then stale, then taken by force")
  void survivesARestart() {
    Lease held = leaseOf(anna());
    LockStore after = reopened();

    assertThat(after.view(PROD)).isEqualTo(store().view(PROD));
    assertThat(after.renew(PROD, TestRequest.owner(ANNA), held.token())).isInstanceOf(RenewOutcome.Renewed.class);
    pass(seconds(901));
    assertThat(after.acquire(bert().request())).isInstanceOf(AcquireOutcome.Refused.class);
    assertThat(after.acquire(bert().withForce().request())).isInstanceOf(AcquireOutcome.Granted.class);
  }

  @Test
  @DisplayName("Decision 12 no renewal shortens a lease, whatever ttl is requested")
  void neverShortens() {
    Lease held = leaseOf(anna().withTtl(3600));
    pass(seconds(100));
    acquire(anna().withTtl(1));
    acquire(anna().withTtl(60).withForce());
    store().renew(PROD, TestRequest.owner(ANNA), ANY);

    assertThat(heldNow().lease()).isEqualTo(held.renewedAt(held.createdAt().plusSeconds(100)));
    assertThat(heldNow().lease().expiresAt()).isEqualTo(held.expiresAt().plusSeconds(100));
  }

  @Test
  @DisplayName("TF-1.1 a pending interrupt of the caller has no effect and is still pending afterwards")
  void worksWhileInterrupted() {
    Thread.currentThread().interrupt();
    try {
      Lease held = leaseOf(anna());
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
      assertThat(store().renew(PROD, TestRequest.owner(ANNA), held.token())).isInstanceOf(RenewOutcome.Renewed.class);
      assertThat(store().release(PROD, TestRequest.owner(ANNA), held.token()))
          .isInstanceOf(ReleaseOutcome.Released.class);
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
    } finally {
      Thread.interrupted();
    }
  }

  private static long token(AcquireOutcome outcome) {
    assertThat(outcome).isInstanceOf(AcquireOutcome.Granted.class);
    return ((AcquireOutcome.Granted) outcome).lease().lease().token().value();
  }
}
