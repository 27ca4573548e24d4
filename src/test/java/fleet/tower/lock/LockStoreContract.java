package fleet.tower.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.harness.Extent;
import fleet.tower.lease.Age;
import fleet.tower.lease.Decision;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.time.Timestamps;

/** The contract of every lock store; each store has a test that extends {@link LockOwnerContract}, its last part. */
public abstract class LockStoreContract {
  private static final int LISTED = Extent.of(500, 2_500, 2_500);
  private static final int PAGE = LISTED * 4 / 25;
  protected static final LeaseName PROD = new LeaseName("money-tracker-production");
  protected static final RequestId ANNA = new RequestId("req_anna");
  protected static final RequestId BERT = new RequestId("req_bert");

  /** The store of this test; each test has an empty place. */
  protected abstract LockStore store();

  /** Another store on the same place, as after a restart of the process. */
  protected abstract LockStore reopened();

  /** Advances the store's clock, and its users' clocks. */
  protected abstract void pass(Duration duration);

  /** The clock that {@link fleet.tower.lease.HeldLease#deadlineNanos()} is on. */
  protected abstract long nanos();

  protected static Duration seconds(long count) {
    return Duration.ofSeconds(count);
  }

  protected static TestRequest anna() {
    return TestRequest.by(ANNA.value(), PROD.value());
  }

  protected static TestRequest bert() {
    return TestRequest.by(BERT.value(), PROD.value());
  }

  protected final AcquireOutcome acquire(TestRequest asking) {
    return store().acquire(asking.request());
  }

  /** Acquires a lock that must be free, or stale and forced. */
  protected final AcquireOutcome.Granted granted(TestRequest asking) {
    AcquireOutcome outcome = acquire(asking);
    assertThat(outcome).isInstanceOf(AcquireOutcome.Granted.class);
    return (AcquireOutcome.Granted) outcome;
  }

  protected final Lease leaseOf(TestRequest asking) {
    return granted(asking).lease().lease();
  }

  @Test
  @DisplayName("TF-4.1 TF-3.1 a free lock is granted, complete and as requested")
  void grantsAFreeLock() {
    long before = nanos();

    AcquireOutcome.Granted granted = granted(anna());

    Lease lease = granted.lease().lease();
    assertThat(granted.previous()).isNull();
    assertThat(lease).isEqualTo(new Lease(PROD, ANNA, lease.token(), TestRequest.HOLDER, lease.createdAt(),
        lease.createdAt(), anna().ttl(), lease.metadata()));
    assertThat(lease.createdAt()).isEqualTo(Timestamps.wholeSecond(lease.createdAt()));
    assertThat(lease.token()).isGreaterThan(FencingToken.NONE);
    assertThat(lease.metadata()).isEqualTo("{\"fencing_token\":" + lease.token() + "}");
    assertThat(granted.lease().deadlineNanos() - before).isBetween(seconds(900).toNanos(),
        seconds(910).toNanos());
    assertThat(heldNow().lease()).isEqualTo(lease);
  }

  @ParameterizedTest(name = "age {0} s, force {1}: {2}")
  @CsvSource({"0, false, blocked", "0, true, blocked", "899, true, blocked", "900, true, blocked",
      "900, false, blocked",
      "901, false, stale", "901, true, stolen"})
  @DisplayName("TF-4.1 TF-6.1 TF-7.1 TF-7.2 the decision table, with 899 and 900 active and 901 stale")
  void decidesByTheTable(long age, boolean force, String expected) {
    Lease held = leaseOf(anna());
    pass(seconds(age));

    AcquireOutcome outcome = acquire(force ? bert().withForce() : bert());

    switch (outcome) {
      case AcquireOutcome.Refused(Decision.Blocked(Lease by, Age seen)) -> {
        assertThat(expected).isEqualTo("blocked");
        assertThat(by).isEqualTo(held);
        assertThat(seen.seconds()).isEqualTo(age);
      }
      case AcquireOutcome.Refused(Decision.Stale(Lease by, Age seen)) -> {
        assertThat(expected).isEqualTo("stale");
        assertThat(by).isEqualTo(held);
        assertThat(seen.seconds()).isEqualTo(age);
      }
      default -> {
        assertThat(outcome).isInstanceOf(AcquireOutcome.Granted.class);
        assertThat(expected).isEqualTo("stolen");
      }
    }
    assertThat(heldNow().lease().requestId()).isEqualTo(expected.equals("stolen") ? BERT : ANNA);
    if (!expected.equals("stolen")) {
      assertThat(heldNow().lease()).isEqualTo(held);
    }
  }

  @Test
  @DisplayName("TF-7.3 TF-6.4 a steal names the previous holder, and the new holder has a greater token")
  void tellsWhomItWasTakenFrom() {
    Lease old = leaseOf(anna());
    pass(seconds(901));

    AcquireOutcome.Granted granted = granted(bert().withForce().withTtl(60));

    Lease lease = granted.lease().lease();
    assertThat(granted.previous()).isNotNull().extracting(PreviousLock::lease).isEqualTo(old);
    assertThat(granted.previous()).extracting(PreviousLock::hash).asString().matches("sha256:[0-9a-f]{64}");
    assertThat(lease.token()).isGreaterThan(old.token());
    assertThat(lease.createdAt()).isEqualTo(old.createdAt().plusSeconds(901));
    assertThat(heldNow().lease()).isEqualTo(lease);
  }

  @Test
  @DisplayName("TF-A21 force with nothing to take is a plain acquire")
  void forceOnNothingIsPlain() {
    assertThat(granted(anna().withForce()).previous()).isNull();
  }

  @Test
  @DisplayName("TF-A14 the ttl of the holder decides, not that of the new request")
  void theHoldersTtlDecides() {
    leaseOf(anna().withTtl(3600));
    pass(seconds(1000));

    assertThat(acquire(bert().withTtl(1).withForce())).isInstanceOfSatisfying(AcquireOutcome.Refused.class,
        refused -> assertThat(refused.refusal()).isInstanceOf(Decision.Blocked.class));
  }

  @ParameterizedTest(name = "after {0} s")
  @CsvSource({"0, 0", "300, 0", "900, 0", "5000, 4100"})
  @DisplayName("TF-A17 TF-A18 a repeated request keeps the lock, active again, otherwise unchanged")
  void askingAgainKeeps(long age, long ignoredLateness) {
    Lease held = leaseOf(anna());
    pass(seconds(age));
    long before = nanos();

    AcquireOutcome outcome = acquire(anna().withTtl(1).withForce());

    assertThat(outcome).isInstanceOfSatisfying(AcquireOutcome.Kept.class, kept -> {
      assertThat(kept.lease().lease()).isEqualTo(held.renewedAt(held.createdAt().plusSeconds(age)));
      assertThat(kept.lease().deadlineNanos() - before).isGreaterThanOrEqualTo(seconds(900).toNanos());
    });
    assertThat(heldNow().lease()).isEqualTo(held.renewedAt(held.createdAt().plusSeconds(age)));
    assertThat(ignoredLateness).isGreaterThanOrEqualTo(0);
  }

  @Test
  @DisplayName("TF-2.2 names are independent, and are listed in order with their current state")
  void listsNamesInOrder() {
    List<String> names = List.of("z", "a", "a-b", "a_b", "7", "x".repeat(128));
    names.forEach(name -> granted(TestRequest.by("req_" + name.charAt(0), name).withTtl(name.equals("z") ? 5 : 900)));
    pass(seconds(6));
    store().release(new LeaseName("7"), TestRequest.owner(new RequestId("req_7")), FencingToken.NONE);

    List<LockView> list = store().list();

    assertThat(list).extracting(view -> view.name().value() + " " + view.state()).containsExactly(
        "a active", "a-b active", "a_b active", "x".repeat(128) + " active", "z stale");
    assertThat(list).allSatisfy(view -> assertThat(view).isEqualTo(store().view(view.name())));
    assertThat(list).allSatisfy(
        view -> assertThat(view.path()).isEqualTo(store().pathOf(view.name())).contains(
            view.name().value()));
  }

  @Test
  @DisplayName("Each of many locks that is held throughout is on one page, while others come and go")
  void pages() {
    List<String> throughout = new ArrayList<>();
    for (int i = 0; i < LISTED; i++) {
      granted(TestRequest.by("req_" + i, listed(i)));
      throughout.add(listed(i));
    }
    List<String> going = List.of(listed(0), listed(PAGE), listed(LISTED * 4 / 9), listed(LISTED - 1));
    List<String> read = new ArrayList<>();
    for (List<LockView> page = store().list("", PAGE); !page.isEmpty(); page = store().list(read.getLast(), PAGE)) {
      assertThat(page).hasSizeLessThanOrEqualTo(PAGE);
      page.forEach(view -> read.add(view.name().value()));
      String name = going.get(read.size() / PAGE % going.size());
      store().forceRelease(new LeaseName(name));
      granted(TestRequest.by("req_new_" + read.size(), "a-new-" + read.size()));
      granted(TestRequest.by("req_new_" + read.size(), listed(LISTED * 3 / 5) + "-new-" + read.size()));
    }
    assertThat(read).doesNotHaveDuplicates();
    throughout.removeAll(going);
    assertThat(read).containsAll(throughout);
  }

  private static String listed(int number) {
    return "lock-" + (10_000 + number);
  }

  @Test
  @DisplayName("TF-1.3 TF-11.2 a query of a free name returns free and creates nothing")
  void looksWithoutMaking() {
    assertThat(store().view(PROD))
        .isEqualTo(new LockView(PROD, store().pathOf(PROD), new LeaseState.Vacant(), new FreezeState.None()));
    assertThat(store().list()).isEmpty();
  }

  @Test
  @DisplayName("TF-1.1 TF-B1 exactly one of many concurrent requests gets the lock, and the others get the holder")
  void grantsToOneOfMany() {
    List<AcquireOutcome> outcomes = atOnce(Stream.iterate(1, i -> i + 1).limit(24)
        .map(i -> TestRequest.by("req_" + i, PROD.value())).toList());

    assertOneWinner(outcomes, 24);
  }

  @Test
  @DisplayName("LK-B1 T3 TF-B2 of 50 concurrent forced requests for a stale lock one gets it, and 49 are blocked by it")
  void stealsOnce() {
    Lease stale = leaseOf(anna());
    pass(seconds(901));

    List<AcquireOutcome> outcomes = atOnce(Stream.iterate(1, i -> i + 1).limit(50)
        .map(i -> TestRequest.by("req_" + i, PROD.value()).withForce()).toList());

    assertOneWinner(outcomes, 50);
    assertThat(outcomes).filteredOn(AcquireOutcome.Granted.class::isInstance).singleElement()
        .isInstanceOfSatisfying(AcquireOutcome.Granted.class,
            granted -> assertThat(granted.previous()).isNotNull().extracting(PreviousLock::lease).isEqualTo(stale));
  }

  private void assertOneWinner(List<AcquireOutcome> outcomes, int askers) {
    RequestId winner = heldNow().lease().requestId();
    assertThat(outcomes).hasSize(askers);
    assertThat(outcomes).filteredOn(AcquireOutcome.Granted.class::isInstance).singleElement().isInstanceOfSatisfying(
        AcquireOutcome.Granted.class,
        granted -> assertThat(granted.lease().lease().requestId()).isEqualTo(winner));
    assertThat(outcomes)
        .filteredOn(outcome -> outcome instanceof AcquireOutcome.Refused(Decision.Blocked(Lease by, Age _))
            && by.requestId().equals(winner))
        .hasSize(askers - 1);
  }

  private List<AcquireOutcome> atOnce(List<TestRequest> askers) {
    return ConcurrentCalls.call(
        askers.stream().map(asking -> (ConcurrentCalls.Work<AcquireOutcome>) () -> acquire(asking)).toList());
  }

  protected final LeaseState.Held heldNow() {
    LeaseState leaseState = store().view(PROD).leaseState();
    assertThat(leaseState).isInstanceOf(LeaseState.Held.class);
    return (LeaseState.Held) leaseState;
  }
}
