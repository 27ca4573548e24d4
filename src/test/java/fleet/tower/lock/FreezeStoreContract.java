package fleet.tower.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.lease.Decision;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.FreezeStore.FreezeOutcome;
import fleet.tower.lock.FreezeStore.UnfreezeOutcome;

/** The freeze contract of every lock store. */
public abstract class FreezeStoreContract {
  protected static final LeaseName PROD = new LeaseName("prod");
  /** The start of the test, by the store's clock. */
  protected static final Instant START = Instant.parse("2025-12-18T10:30:10Z");

  /** The store of this test; each test has an empty place. */
  protected abstract LockStore store();

  /** Closes the store, so that the next call opens another on the same place, as after a restart of the process. */
  protected abstract void reopen();

  /** Lets time pass on the store's clock. */
  protected abstract void pass(Duration duration);

  /** The time by the store's clock. */
  protected abstract Instant now();

  protected static FreezeRequest request(long seconds) {
    return new FreezeRequest(PROD, new RequestId("req_freeze"), "ann", "migration", new Ttl(seconds), null);
  }

  /** Freezes a name that must not be frozen yet. */
  protected final Freeze freeze(long seconds) {
    Freeze freeze = request(seconds).from(now());
    assertThat(store().freeze(request(seconds))).isEqualTo(new FreezeOutcome.Frozen(freeze));
    return freeze;
  }

  protected final AcquireOutcome acquire(String requestId) {
    return store().acquire(TestRequest.by(requestId, "prod").request());
  }

  protected final Lease granted(TestRequest asking) {
    return switch (store().acquire(asking.request())) {
      case AcquireOutcome.Granted(var held, var _) -> held.lease();
      case AcquireOutcome other -> throw new AssertionError("not granted: " + other);
    };
  }

  protected static AcquireOutcome frozenUntil(String until) {
    return new AcquireOutcome.Refused(new Decision.Frozen("ann", "migration", START, Instant.parse(until)));
  }

  @Test
  @DisplayName("LK-30 a blocked caller gets the actor, the reason and the end of the freeze; force changes nothing")
  void refusesNewHolders() {
    freeze(1800);
    assertThat(acquire("req_a")).isEqualTo(frozenUntil("2025-12-18T11:00:10Z"));
    assertThat(store().acquire(TestRequest.by("req_a", "prod").withForce().request()))
        .isEqualTo(frozenUntil("2025-12-18T11:00:10Z"));
    assertThat(granted(TestRequest.by("req_b", "other"))).isNotNull();
  }

  @Test
  @DisplayName("LK-30 a freeze on another actor's behalf names that actor, also after a restart; the next one does not")
  void onBehalfOf() {
    FreezeRequest request = new FreezeRequest(PROD, new RequestId("req_freeze"), "ann", "migration", new Ttl(60),
        "bob");
    assertThat(store().freeze(request)).isEqualTo(new FreezeOutcome.Frozen(request.from(now())));
    reopen();
    assertThat(store().freezeState(PROD)).isEqualTo(new FreezeState.Frozen(request.from(now())));
    assertThat(store().unfreeze(PROD)).isInstanceOf(UnfreezeOutcome.Unfrozen.class);
    Freeze next = freeze(60);
    assertThat(store().freezeState(PROD)).isEqualTo(new FreezeState.Frozen(next));
  }

  @Test
  @DisplayName("LK-30 a stale lock under a freeze is not stolen, not even by force")
  void refusesThieves() {
    granted(TestRequest.by("req_dead", "prod"));
    pass(Duration.ofHours(1));
    freeze(60);
    assertThat(store().acquire(TestRequest.by("req_thief", "prod").withForce().request()))
        .isInstanceOfSatisfying(AcquireOutcome.Refused.class,
            refused -> assertThat(refused.refusal()).isInstanceOf(Decision.Frozen.class));
    pass(Duration.ofSeconds(61));
    assertThat(store().acquire(TestRequest.by("req_thief", "prod").withForce().request()))
        .isInstanceOf(AcquireOutcome.Granted.class);
  }

  @Test
  @DisplayName("LK-30 TF-A17 the holder continues: renews, repeats its request, releases")
  void letsHoldersGoOn() {
    Lease held = granted(TestRequest.by("req_a", "prod"));
    freeze(1800);
    assertThat(store().renew(PROD, held.owner(), held.token())).isInstanceOf(RenewOutcome.Renewed.class);
    assertThat(acquire("req_a")).isInstanceOf(AcquireOutcome.Kept.class);
    assertThat(acquire("req_b")).isEqualTo(frozenUntil("2025-12-18T11:00:10Z"));
    assertThat(store().release(PROD, held.owner(), held.token()))
        .isInstanceOf(ReleaseOutcome.Released.class);
    assertThat(acquire("req_a")).isEqualTo(frozenUntil("2025-12-18T11:00:10Z"));
  }

  @Test
  @DisplayName("LK-30 it expires one second after its last second, and outlives its creator")
  void isOverByItself() {
    freeze(60);
    reopen();
    pass(Duration.ofMillis(60_999));
    assertThat(acquire("req_a")).isEqualTo(frozenUntil("2025-12-18T10:31:10Z"));
    pass(Duration.ofMillis(1));
    assertThat(store().freezeState(PROD)).isEqualTo(new FreezeState.None());
    assertThat(acquire("req_a")).isInstanceOf(AcquireOutcome.Granted.class);
  }

  @Test
  @DisplayName("LK-30 a frozen name cannot be frozen again, not even by the same actor; after its freeze has "
      + "expired it can")
  void freezesOnce() {
    Freeze first = freeze(60);
    pass(Duration.ofSeconds(10));
    assertThat(store().freeze(request(3600)))
        .isEqualTo(new FreezeOutcome.AlreadyFrozen(new FreezeState.Frozen(first)));
    pass(Duration.ofSeconds(51));
    assertThat(store().unfreeze(PROD)).isEqualTo(new UnfreezeOutcome.NotFrozen());
    Freeze second = freeze(5);
    pass(Duration.ofSeconds(6));
    assertThat(freeze(7).createdAt()).isAfter(second.createdAt());
  }

  @Test
  @DisplayName("LK-30 lifting it admits new holders, whoever set it; without a freeze there is nothing to lift")
  void lifts() {
    assertThat(store().unfreeze(PROD)).isEqualTo(new UnfreezeOutcome.NotFrozen());
    Freeze freeze = freeze(1800);
    assertThat(store().unfreeze(PROD))
        .isEqualTo(new UnfreezeOutcome.Unfrozen(new FreezeState.Frozen(freeze), now()));
    assertThat(store().unfreeze(PROD)).isEqualTo(new UnfreezeOutcome.NotFrozen());
    assertThat(acquire("req_a")).isInstanceOf(AcquireOutcome.Granted.class);
  }
}
