package fleet.tower.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import fleet.tower.lease.Actor;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.HaltStore.LiftOutcome;
import fleet.tower.lock.HaltStore.PlaceOutcome;
import fleet.tower.platform.time.ManualTime;

/** The contract of every store of halts. */
public abstract class HaltStoreContract {
  protected static final Halt.Subject DEPLOY = new Halt.Subject(Set.of("bot"), "deploy-app", "app-production");

  /** The store of this test; each test has an empty place. */
  protected abstract HaltStore store();

  /** The locks whose grants read the halts. */
  protected abstract LockStore locks();

  /** Other locks in the same place, whose grants read these halts. */
  protected abstract LockStore locks(HaltSource halts);

  /** Closes the store, so that the next call opens another on the same place, as after a restart of the process. */
  protected abstract void reopen();

  /** Lets time pass on the store's clock. */
  protected abstract void pass(Duration duration);

  /** The time by the store's clock. */
  protected abstract Instant now();

  /** Stores a document under a name, as somebody else could. */
  protected abstract void put(String name, String document);

  /** The names of all documents that are stored. */
  protected abstract List<String> stored();

  protected static HaltRequest request(String name, Halt.Scope scope, @Nullable Duration ttl) {
    return new HaltRequest(name, new RequestId("req_halt"), scope, Halt.Level.ADMIT, "ann", null, "incident 7", ttl);
  }

  protected static Halt.Scope locks(String... patterns) {
    return new Halt.Scope(List.of(), List.of(), List.of(patterns), false);
  }

  /** Places a halt under a name that is free. */
  protected final Halt place(HaltRequest request) {
    Halt halt = request.from(now());
    assertThat(store().place(request)).isEqualTo(new PlaceOutcome.Placed(halt, null));
    return halt;
  }

  @Test
  @DisplayName("A halt stays in force as it was placed, with every member, also after a restart, until it is lifted")
  void stays() {
    assertThat(store().inForce()).isEqualTo(HaltSource.InForce.NONE);
    Halt whole = place(new HaltRequest("night", new RequestId("req_night"),
        new Halt.Scope(List.of("bot-*", "\"quoted\" é"), List.of("deploy-*"), List.of("*-production", "db"), false),
        Halt.Level.KILL, "ann", "bob", "incident\n7", Duration.ofHours(8)));
    Halt plain = place(request("all", Halt.Scope.ALL, null));
    reopen();
    assertThat(store().inForce().halts()).containsExactlyInAnyOrder(plain, whole);
    assertThat(store().lift("night")).isEqualTo(new LiftOutcome.Lifted(whole, now()));
    assertThat(store().lift("night")).isEqualTo(new LiftOutcome.Absent());
    assertThat(store().inForce().halts()).containsExactly(plain);
  }

  @Test
  @DisplayName("A repeated halt changes nothing; a different one of the same name replaces it and starts again")
  void replaces() {
    Halt first = place(request("night", locks("db"), null));
    pass(Duration.ofSeconds(5));
    assertThat(store().place(request("night", locks("db"), null))).isEqualTo(new PlaceOutcome.Kept(first));
    HaltRequest wider = request("night", locks("db", "app"), null);
    assertThat(store().place(wider)).isEqualTo(new PlaceOutcome.Placed(wider.from(now()), first));
    assertThat(store().inForce().halts()).containsExactly(wider.from(now()));
  }

  @Test
  @DisplayName("A halt with a ttl ends one second after its last second; the next change removes what is over")
  void endsByItself() {
    place(request("short", Halt.Scope.ALL, Duration.ofSeconds(60)));
    pass(Duration.ofMillis(60_999));
    assertThat(store().inForce().refusal(DEPLOY)).isNotNull();
    pass(Duration.ofMillis(1));
    assertThat(store().inForce()).isEqualTo(HaltSource.InForce.NONE);
    assertThat(stored()).containsExactly("short");
    assertThat(store().lift("short")).isEqualTo(new LiftOutcome.Absent());
    assertThat(stored()).isEmpty();
    place(request("short", Halt.Scope.ALL, Duration.ofSeconds(60)));
  }

  private AcquireOutcome acquire(String requestId, String name) {
    return locks().acquire(TestRequest.by(requestId, name).request());
  }

  private static AcquireOutcome refusedBy(Halt halt) {
    return new AcquireOutcome.Refused(halt.refusal());
  }

  @Test
  @DisplayName("A halt refuses new holders of what it covers, free or stale, with force or not, and nobody else")
  void refusesNewHolders() {
    assertThat(acquire("req_dead", "db-old")).isInstanceOf(AcquireOutcome.Granted.class);
    pass(Duration.ofHours(1));
    Halt halt = place(request("night", locks("db*"), null));
    assertThat(acquire("req_a", "db")).isEqualTo(refusedBy(halt));
    assertThat(locks().acquire(TestRequest.by("req_a", "db-old").withForce().request())).isEqualTo(refusedBy(halt));
    assertThat(locks().view(new LeaseName("db")).decide(TestRequest.by("req_a", "db").request()))
        .isEqualTo(halt.refusal());
    assertThat(locks().list().getFirst().decide(TestRequest.by("req_a", "db-old").request()))
        .isEqualTo(halt.refusal());
    assertThat(acquire("req_b", "app")).isInstanceOf(AcquireOutcome.Granted.class);
    store().lift("night");
    assertThat(acquire("req_a", "db")).isInstanceOf(AcquireOutcome.Granted.class);
    assertThat(locks().acquire(TestRequest.by("req_a", "db-old").withForce().request()))
        .isInstanceOf(AcquireOutcome.Granted.class);
  }

  @Test
  @DisplayName("A steal that a halt overtakes is refused as halted; the stolen lock is free, and the audit log has it")
  void stealOvertaken() {
    assertThat(acquire("req_dead", "db")).isInstanceOf(AcquireOutcome.Granted.class);
    pass(Duration.ofHours(1));
    Halt halt = request("night", Halt.Scope.ALL, null).from(now());
    LeaseName db = new LeaseName("db");
    HaltSource placedMeanwhile = () -> locks().view(db).leaseState() instanceof LeaseState.Held held
        && held.lease().requestId().equals(new RequestId("req_thief"))
            ? new HaltSource.InForce(List.of(halt), List.of())
            : HaltSource.InForce.NONE;
    RecordedAudit audit = new RecordedAudit();
    Locks locks = TestLocks.of(locks(placedMeanwhile), audit, new ManualTime());

    assertThat(locks.acquire(TestRequest.by("req_thief", "db").withForce().request())).isEqualTo(refusedBy(halt));

    assertThat(locks.view(db).state()).isEqualTo(LeaseState.State.FREE);
    assertThat(audit.events()).extracting(event -> event.getClass().getSimpleName()).containsExactly("LockStolen",
        "LockActor", "LockAcquired", "LockActor", "LockReleased", "LockActor", "LockBlocked");
  }

  @Test
  @DisplayName("The actor, who he acts for, the intent and the lock of a request are what a halt covers")
  void covers() {
    AcquireRequest request = TestRequest.by("req_a", "db").request();
    AcquireRequest forBob = new AcquireRequest(request.name(), request.requestId(), request.holder(), request.ttl(),
        false, request.metadata(), request.reentry(), new Actor("claude-code", "bob", null), null);
    for (Halt.Scope scope : List.of(Halt.Scope.ALL, locks("x*", "db"),
        new Halt.Scope(List.of("claude-*"), List.of("deploy-*"), List.of("*"), false),
        new Halt.Scope(List.of("bob"), List.of(), List.of(), false))) {
      Halt halt = place(request("night", scope, null));
      assertThat(locks().acquire(forBob)).as(scope.toString()).isEqualTo(refusedBy(halt));
      store().lift("night");
    }
    place(request("night", new Halt.Scope(List.of("claude-*"), List.of("restart"), List.of(), false), null));
    assertThat(locks().acquire(forBob)).isInstanceOf(AcquireOutcome.Granted.class);
  }

  @Test
  @DisplayName("A holder continues: renews, repeats its request, releases; the id of a run stays refused as such")
  void letsHoldersGoOn() {
    Lease held = granted(acquire("req_a", "db"));
    granted(locks().acquire(TestRequest.byRun(new RequestId("req_run"), new LeaseName("app"))));
    Halt halt = place(request("night", Halt.Scope.ALL, null));
    assertThat(locks().renew(held.name(), held.owner(), held.token())).isInstanceOf(RenewOutcome.Renewed.class);
    assertThat(acquire("req_a", "db")).isInstanceOf(AcquireOutcome.Kept.class);
    assertThat(acquire("req_b", "db")).isEqualTo(refusedBy(halt));
    assertThat(acquire("req_run", "app")).isInstanceOfSatisfying(AcquireOutcome.Refused.class,
        refused -> assertThat(refused.refusal()).isInstanceOf(Decision.OfRun.class));
    assertThat(locks().release(held.name(), held.owner(), held.token())).isInstanceOf(ReleaseOutcome.Released.class);
    assertThat(acquire("req_a", "db")).isEqualTo(refusedBy(halt));
  }

  @Test
  @DisplayName("A halt goes before a freeze, and ends by itself")
  void beforeFreezes() {
    locks().freeze(new FreezeRequest(new LeaseName("db"), new RequestId("req_f"), "ann", "why", new Ttl(3600), null));
    Halt halt = place(request("night", Halt.Scope.ALL, Duration.ofSeconds(60)));
    assertThat(acquire("req_a", "db")).isEqualTo(refusedBy(halt));
    pass(Duration.ofSeconds(61));
    assertThat(acquire("req_a", "db")).isInstanceOfSatisfying(AcquireOutcome.Refused.class,
        refused -> assertThat(refused.refusal()).isInstanceOf(Decision.Frozen.class));
    assertThat(acquire("req_a", "app")).isInstanceOf(AcquireOutcome.Granted.class);
  }

  private static Lease granted(AcquireOutcome outcome) {
    return switch (outcome) {
      case AcquireOutcome.Granted(var held, var _) -> held.lease();
      case AcquireOutcome other -> throw new AssertionError("not granted: " + other);
    };
  }

  @Test
  @Timeout(120)
  @DisplayName("Once a halt is placed nothing is granted: of 8 threads that acquire and release all the time, none gets "
      + "a lock afterwards")
  void races() {
    for (int round = 0; round < 10; round++) {
      AtomicBoolean isPlaced = new AtomicBoolean();
      AtomicInteger grants = new AtomicInteger();
      List<ConcurrentCalls.Work<Optional<Lease>>> works = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        String name = "lock-" + round + "-" + i;
        works.add(() -> untilHalted(name, isPlaced, grants));
      }
      List<LockView> atReturn = new ArrayList<>();
      works.add(() -> {
        while (grants.get() < 40) {
          Thread.onSpinWait();
        }
        store().place(request("night", Halt.Scope.ALL, null));
        isPlaced.set(true);
        atReturn.addAll(locks().list());
        return Optional.empty();
      });
      List<Optional<Lease>> answered = ConcurrentCalls.call(works);
      List<Lease> heldAtReturn = atReturn.stream().map(LockView::leaseState)
          .filter(LeaseState.Held.class::isInstance).map(state -> ((LeaseState.Held) state).lease()).toList();
      answered.stream().flatMap(Optional::stream).forEach(lease -> {
        assertThat(heldAtReturn).as("granted before the halt was placed").contains(lease);
        locks().release(lease.name(), lease.owner(), lease.token());
      });
      assertThat(locks().list()).isEmpty();
      store().lift("night");
    }
  }

  /** Acquires and releases until a halt refuses it; returns the lease that was answered after the halt was placed. */
  private Optional<Lease> untilHalted(String name, AtomicBoolean isPlaced, AtomicInteger grants) {
    Lease last = null;
    for (int i = 0;; i++) {
      boolean wasPlaced = isPlaced.get();
      switch (acquire("req_" + i, name)) {
        case AcquireOutcome.Granted(var held, var _) -> {
          assertThat(wasPlaced).as("the halt was placed before the request").isFalse();
          grants.incrementAndGet();
          if (isPlaced.get()) {
            last = held.lease();
          } else {
            locks().release(held.lease().name(), held.lease().owner(), held.lease().token());
          }
        }
        case AcquireOutcome.Refused(Decision.Halted _) -> {
          return Optional.ofNullable(last);
        }
        case AcquireOutcome other -> throw new AssertionError("not granted: " + other);
      }
    }
  }

  @Test
  @DisplayName("A halt that cannot be read halts everything until it is replaced or lifted")
  void failsClosed() {
    for (String document : List.of("", "{}", "{\"halt_version\":\"v2\",\"halt\":\"odd\"}",
        new String(HaltDocument.of(request("other", Halt.Scope.ALL, null).from(now())),
            StandardCharsets.UTF_8),
        new String(HaltDocument.of(request("odd", Halt.Scope.ALL, null).from(now())),
            StandardCharsets.UTF_8).replace("admit", "stop"))) {
      put("odd", document);
      assertThat(store().inForce().refusal(DEPLOY)).as(document).isNotNull()
          .satisfies(refusal -> assertThat(refusal.halt()).isEqualTo("odd"));
      assertThat(store().lift("odd")).isEqualTo(new LiftOutcome.Lifted(null, now()));
      assertThat(store().inForce().refusal(DEPLOY)).isNull();
    }
    put("odd", "{}");
    place(request("odd", locks("db"), null));
    assertThat(store().inForce().refusal(DEPLOY)).isNull();
  }
}
