package fleet.tower.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.lease.Decision;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Holder;
import fleet.tower.lease.Lease;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.AcquireRequest.Metadata;
import fleet.tower.lock.AcquireRequest.Reentry;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonReader;

/**
 * The last part of the contract: a lock belongs to its actor and its request, and the request id alone gives no access.
 */
public abstract class LockOwnerContract extends LockStoreLifeContract {
  private static final FencingToken ANY = FencingToken.NONE;
  private static final Owner MALLORY = Owner.ofClient(ANNA, "mallory");
  private static final Holder MALLORYS = new Holder("mallory", "deploy-app", "1.2.0", "tower-01", 12345, false);

  /** Another actor sends a request with the holder's request id. */
  private static AcquireRequest mallory(boolean force, Reentry reentry) {
    return TestRequest.of(PROD, ANNA, MALLORYS, Ttl.DEFAULT, force).with(reentry);
  }

  private Decision.Refusal refusal(AcquireRequest request) {
    AcquireOutcome outcome = store().acquire(request);
    assertThat(outcome).isInstanceOf(AcquireOutcome.Refused.class);
    return ((AcquireOutcome.Refused) outcome).refusal();
  }

  @ParameterizedTest
  @EnumSource(Reentry.class)
  @DisplayName("TF-A17 another actor with the holder's request id is blocked, even with force, and changes no "
      + "heartbeat")
  void anothersIdOpensNothing(Reentry reentry) {
    Lease held = leaseOf(anna());
    pass(seconds(10));

    for (boolean force : new boolean[]{false, true}) {
      assertThat(refusal(mallory(force, reentry))).isInstanceOfSatisfying(Decision.Blocked.class,
          blocked -> assertThat(blocked.lease()).isEqualTo(held));
    }
    assertThat(heldNow().lease()).isEqualTo(held);
  }

  @ParameterizedTest
  @EnumSource(Reentry.class)
  @DisplayName("TF-7.1 a stale lock is taken from its own request id by force only, as a new lock")
  void anothersIdIsNoForce(Reentry reentry) {
    Lease held = leaseOf(anna());
    pass(seconds(901));

    assertThat(refusal(mallory(false, reentry))).isInstanceOf(Decision.Stale.class);
    assertThat(heldNow().lease()).isEqualTo(held);

    assertThat(store().acquire(mallory(true, reentry))).isInstanceOfSatisfying(AcquireOutcome.Granted.class, stolen -> {
      assertThat(stolen.previous()).isNotNull().extracting(PreviousLock::lease).isEqualTo(held);
      assertThat(stolen.lease().lease().token()).isGreaterThan(held.token());
      assertThat(stolen.lease().lease().owner()).isEqualTo(MALLORY);
    });
    assertThat(refusal(anna().request())).as("the previous holder is not the owner")
        .isInstanceOf(Decision.Blocked.class);
  }

  @Test
  @DisplayName("LK-30 a freeze lets its holder repeat its request, and no other actor that knows the request id")
  void anothersIdPassesNoFreeze() {
    Lease held = leaseOf(anna());
    store().freeze(new FreezeRequest(PROD, new RequestId("req_freeze"), "ann", "migration", new Ttl(600), null));

    assertThat(refusal(mallory(false, Reentry.CLIENT))).isInstanceOf(Decision.Frozen.class);
    assertThat(refusal(mallory(true, Reentry.RESUMED_RUN))).isInstanceOf(Decision.Frozen.class);
    assertThat(refusal(anna().request().with(Reentry.NEVER))).isInstanceOf(Decision.Frozen.class);
    assertThat(acquire(anna())).isInstanceOfSatisfying(AcquireOutcome.Kept.class,
        kept -> assertThat(kept.lease().lease().token()).isEqualTo(held.token()));
  }

  @ParameterizedTest(name = "at the age of {0} s")
  @CsvSource({"0", "901"})
  @DisplayName("A run does not enter a lock under its own id and actor, unless it is resumed")
  void aRunKeepsNothing(long age) {
    Lease held = leaseOf(anna());
    pass(seconds(age));

    assertThat(refusal(anna().request().with(Reentry.NEVER)))
        .isInstanceOf(age == 0 ? Decision.Blocked.class : Decision.Stale.class);
    assertThat(heldNow().lease()).isEqualTo(held);
    assertThat(store().acquire(anna().request().with(Reentry.RESUMED_RUN)))
        .isInstanceOfSatisfying(AcquireOutcome.Kept.class,
            kept -> assertThat(kept.lease().lease()).isEqualTo(held.renewedAt(held.createdAt().plusSeconds(age))));
  }

  @Test
  @DisplayName("Of two actors with one request id the second is blocked by the first, whoever had the lock before")
  void oneIdOfTwoActors() {
    Lease first = leaseOf(anna());
    store().release(PROD, first.owner(), first.token());
    Lease second = ((AcquireOutcome.Granted) store().acquire(mallory(false, Reentry.CLIENT))).lease().lease();

    assertThat(refusal(anna().request())).isInstanceOfSatisfying(Decision.Blocked.class,
        blocked -> assertThat(blocked.lease()).isEqualTo(second));
    assertThat(store().renew(PROD, first.owner(), ANY)).isEqualTo(new RenewOutcome.Taken(second));
    assertThat(store().release(PROD, first.owner(), ANY)).isEqualTo(new ReleaseOutcome.NotOwner(second));
    assertThat(heldNow().lease()).isEqualTo(second);
  }

  @ParameterizedTest(name = "with its token: {0}")
  @ValueSource(booleans = {false, true})
  @DisplayName("TF-3.6 another actor with the holder's request id, and its token, renews and releases nothing")
  void anothersIdRenewsAndReleasesNothing(boolean withToken) {
    Lease held = leaseOf(anna());
    FencingToken token = withToken ? held.token() : ANY;
    pass(seconds(10));

    assertThat(store().renew(PROD, MALLORY, token)).isEqualTo(new RenewOutcome.Taken(held));
    assertThat(store().beat(new Lease(PROD, ANNA, token, MALLORYS, held.createdAt(), held.lastHeartbeatAt(), held.ttl(),
        held.metadata()))).isEqualTo(new RenewOutcome.Taken(held));
    assertThat(store().release(PROD, MALLORY, token)).isEqualTo(new ReleaseOutcome.NotOwner(held));
    assertThat(heldNow().lease()).isEqualTo(held);
  }

  @Test
  @DisplayName("A caller that may act for every actor renews and releases by the request id, and by nothing less")
  void anyActor() {
    Lease held = leaseOf(anna());

    assertThat(store().renew(PROD, Owner.ofAnyActor(BERT), held.token())).isEqualTo(new RenewOutcome.Taken(held));
    assertThat(store().release(PROD, Owner.ofAnyActor(BERT), ANY)).isEqualTo(new ReleaseOutcome.NotOwner(held));
    assertThat(store().renew(PROD, Owner.ofAnyActor(ANNA), ANY)).isInstanceOf(RenewOutcome.Renewed.class);
    assertThat(store().release(PROD, Owner.ofAnyActor(ANNA), held.token()))
        .isInstanceOf(ReleaseOutcome.Released.class);
  }

  private static Stream<Owner> clients() {
    return Stream.of(TestRequest.owner(ANNA), MALLORY, Owner.ofAnyActor(ANNA));
  }

  private Lease leaseOfRun() {
    return ((AcquireOutcome.Granted) store().acquire(TestRequest.byRun(ANNA, PROD))).lease().lease();
  }

  @ParameterizedTest
  @MethodSource("clients")
  @DisplayName("Decision 17 no client renews or releases the lock of a run by the run's id, whoever it is, with the "
      + "token or without, stale or not")
  void noClientUsesARunsLock(Owner client) {
    Lease held = leaseOfRun();
    Decision.OfRun refusal = new Decision.OfRun(ANNA, TestRequest.HOLDER.actor(), false);

    for (int round = 0; round < 2; round++) {
      for (FencingToken token : List.of(ANY, held.token(), new FencingToken(held.token().value() + 1))) {
        assertThat(store().renew(PROD, client, token)).isEqualTo(new RenewOutcome.Refused(refusal));
        assertThat(store().release(PROD, client, token)).isEqualTo(new ReleaseOutcome.Refused(refusal));
      }
      assertThat(heldNow().lease()).isEqualTo(held);
      pass(seconds(901));
    }
  }

  @ParameterizedTest(name = "at the age of {0} s, as {1}")
  @CsvSource({"0, claude-code", "0, mallory", "901, claude-code", "901, mallory"})
  @DisplayName("Decision 17 no client enters or steals the lock of a run by the run's id, not even with force, and "
      + "frozen or not")
  void noClientEntersARunsLock(long age, String actor) {
    Lease held = leaseOfRun();
    pass(seconds(age));
    Holder client = new Holder(actor, "deploy-app", "1.2.0", "tower-01", 12345, false);
    Decision.OfRun refusal = new Decision.OfRun(ANNA, TestRequest.HOLDER.actor(), false);

    for (int round = 0; round < 2; round++) {
      for (boolean force : new boolean[]{false, true}) {
        for (Reentry reentry : Reentry.values()) {
          assertThat(refusal(TestRequest.of(PROD, ANNA, client, Ttl.DEFAULT, force).with(reentry))).isEqualTo(refusal);
        }
      }
      store().freeze(new FreezeRequest(PROD, new RequestId("req_freeze"), "ann", "migration", new Ttl(600), null));
    }
    assertThat(heldNow().lease()).isEqualTo(held);
  }

  @Test
  @DisplayName("Decision 17 the executor of a run resumes, renews and releases the lock of the run")
  void aRunUsesItsLock() {
    Lease held = leaseOfRun();

    assertThat(held.isOfRun()).isTrue();
    assertThat(store().acquire(TestRequest.byRun(ANNA, PROD))).isInstanceOfSatisfying(AcquireOutcome.Kept.class,
        kept -> assertThat(kept.lease().lease()).isEqualTo(held));
    assertThat(store().renew(PROD, held.owner(), ANY)).isInstanceOf(RenewOutcome.Renewed.class);
    assertThat(store().beat(held)).isInstanceOf(RenewOutcome.Renewed.class);
    assertThat(reopened().release(PROD, held.owner(), held.token())).isInstanceOf(ReleaseOutcome.Released.class);
  }

  @Test
  @DisplayName("Decision 17 the executor of a run does not own the lock that a client holds by the run's id")
  void aRunUsesNoClientsLock() {
    Lease held = leaseOf(anna());
    Owner run = Owner.ofRun(ANNA, TestRequest.HOLDER.actor());

    assertThat(refusal(TestRequest.byRun(ANNA, PROD))).isInstanceOf(Decision.Blocked.class);
    assertThat(store().renew(PROD, run, held.token())).isEqualTo(new RenewOutcome.Taken(held));
    assertThat(store().release(PROD, run, held.token())).isEqualTo(new ReleaseOutcome.NotOwner(held));
    assertThat(heldNow().lease()).isEqualTo(held);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"of\":{\"held_for\":\"run\"}}", "{\"note\":\"\\\"held_for\\\":\\\"run\\\"\"}"})
  @DisplayName("Decision 17 metadata of a client that resembles the mark of a run does not make the lock a run's")
  void resemblesARun(String given) throws JsonException {
    Metadata metadata = Metadata.of(JsonReader.readObject(given), null);
    Lease held = ((AcquireOutcome.Granted) store()
        .acquire(TestRequest.of(PROD, ANNA, TestRequest.HOLDER, Ttl.DEFAULT, false, metadata))).lease().lease();

    assertThat(held.isOfRun()).isFalse();
    assertThat(store().renew(PROD, TestRequest.owner(ANNA), held.token())).isInstanceOf(RenewOutcome.Renewed.class);
    assertThat(store().release(PROD, TestRequest.owner(ANNA), ANY)).isInstanceOf(ReleaseOutcome.Released.class);
  }

  @Test
  @DisplayName("Decision 17 a client cannot set the mark of a run")
  void cannotSetTheMark() {
    assertThatThrownBy(() -> Metadata.of(JsonReader.readObject("{\"held_for\":\"run\"}"), null))
        .isInstanceOf(InvalidValue.class).hasMessageContaining("'held_for'");
  }

  @Test
  @DisplayName("Decision 17 a forced release leaves the lock that it spares, and judges the lock that it would remove")
  void sparesALease() {
    Lease first = leaseOfRun();

    assertThat(store().forceRelease(PROD, Lease::isOfRun)).isEqualTo(new ForceReleaseOutcome.Spared(first));
    assertThat(heldNow().lease()).isEqualTo(first);

    store().release(PROD, first.owner(), first.token());
    Lease second = leaseOf(bert());
    assertThat(store().forceRelease(PROD, Lease::isOfRun)).isInstanceOfSatisfying(ForceReleaseOutcome.Removed.class,
        removed -> assertThat(removed.previous().lease()).isEqualTo(second));
    assertThat(store().forceRelease(PROD, Lease::isOfRun)).isEqualTo(new ForceReleaseOutcome.Absent());
  }
}
