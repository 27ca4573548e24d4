package fleet.tower.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.lease.RequestId;
import fleet.tower.lock.HaltStore.LiftOutcome;
import fleet.tower.lock.HaltStore.PlaceOutcome;

/** The contract of every store of halts. */
public abstract class HaltStoreContract {
  protected static final Halt.Subject DEPLOY = new Halt.Subject(Set.of("bot"), "deploy-app", "app-production");

  /** The store of this test; each test has an empty place. */
  protected abstract HaltStore store();

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
  @DisplayName("The same halt again changes nothing; another of its name replaces it, and begins anew")
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
