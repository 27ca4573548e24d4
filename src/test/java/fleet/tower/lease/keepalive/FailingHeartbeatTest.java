package fleet.tower.lease.keepalive;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.audit.AuditEvent;
import fleet.tower.lease.LeaseTerm;
import fleet.tower.lease.RenewalSchedule;
import fleet.tower.lease.Ttl;
import fleet.tower.platform.time.ManualTime;

@DisplayName("A lease whose heartbeats fail")
class FailingHeartbeatTest {
  private static final Duration TICK = Duration.ofMillis(100);

  /** One lease that is renewed until {@code failsFrom}, by timers or by a tick, and is given up when it is doubted. */
  private static final class Holding implements RenewalListener {
    final ManualLease bench;
    final ManualTime time;
    final List<Long> failuresMillis = new ArrayList<>();
    final List<HeartbeatCounts> doubts = new ArrayList<>();
    final LeaseRenewer renewer;
    long failsFrom = Long.MAX_VALUE;
    long isBackFrom = Long.MAX_VALUE;
    long renewedNanos;
    long doubtedNanos;
    private final LeaseRenewers heartbeats;

    Holding(long ttl, Duration maxInterval, boolean ticking) {
      bench = new ManualLease(ttl);
      time = bench.time;
      renewedNanos = time.nanos();
      heartbeats = ticking
          ? LeaseRenewers.ticking(time, time, maxInterval)
          : new LeaseRenewers(time, time, maxInterval);
      renewer = heartbeats.keep(bench.held(), this::renew, bench.audited(this));
      if (ticking) {
        time.after(TICK, this::tick);
      }
    }

    private void tick() {
      heartbeats.renewDue();
      time.after(TICK, this::tick);
    }

    private Renewal.Result renew() {
      long now = time.nanos();
      if (now >= failsFrom && now < isBackFrom) {
        failuresMillis.add((now - renewedNanos) / 1_000_000);
        return new Renewal.Failed("EIO: input/output error");
      }
      renewedNanos = now;
      return bench.renewed();
    }

    @Override
    public void doubted(LeaseTerm term, HeartbeatCounts counts) {
      doubts.add(counts);
      doubtedNanos = time.nanos();
      assertThat(term.isTrustedAt(doubtedNanos)).isTrue();
      renewer.giveUp(counts);
      renewer.stop();
    }

    @Override
    public void lost(Renewal.Lost loss) {
      throw new AssertionError(loss);
    }

    long passedMillis() {
      return (doubtedNanos - renewedNanos) / 1_000_000;
    }

    List<String> events() {
      return bench.audit.stream().map(event -> event.getClass().getSimpleName()).toList();
    }
  }

  private static long endMillis(long ttl) {
    return ttl * 1000 - Math.min(12_000, ttl * 200);
  }

  @ParameterizedTest(name = "by a tick: {0}")
  @ValueSource(booleans = {false, true})
  @DisplayName("TF-5.8 TF-A4 for every ttl and interval: three failures and heartbeat_failed come before the work is ended, and lock_lost has the error")
  void alwaysToldBeforeTheEnd(boolean ticking) {
    Random random = new Random(7);
    for (int i = 0; i < 400; i++) {
      // Short ttls are the hard ones; long ones with a short interval have so many beats that a few do.
      long ttl = i < 120 ? 5 + i : 5 + random.nextLong(i % 40 == 0 && !ticking ? Ttl.MAX_SECONDS - 5 : 2000);
      Duration maxInterval = Duration.ofSeconds(ttl > 100_000 ? 30 : 1 + random.nextInt(30));
      Holding holding = new Holding(ttl, maxInterval, ticking);
      holding.failsFrom = holding.time.nanos() + random.nextLong(Duration.ofSeconds(90).toNanos());

      holding.time.advance(Duration.ofSeconds(ttl + 100));

      String which = "ttl " + ttl + " s, max-interval " + maxInterval;
      assertThat(holding.doubts).as(which).singleElement().satisfies(counts -> {
        assertThat(counts.consecutiveFailures()).isGreaterThanOrEqualTo(3);
        assertThat(counts.lastError()).isEqualTo("EIO: input/output error");
      });
      assertThat(holding.passedMillis()).as(which).isEqualTo(endMillis(ttl));
      assertThat(holding.failuresMillis).as(which).hasSizeGreaterThanOrEqualTo(3)
          .allMatch(at -> at <= endMillis(ttl));
      assertThat(holding.events()).as(which).containsExactly("HeartbeatFailed", "LockActor", "LockLost");
      assertThat(holding.bench.audit.getFirst()).isInstanceOfSatisfying(AuditEvent.HeartbeatFailed.class,
          failed -> {
            assertThat(failed.consecutiveFailures()).isEqualTo(3);
            assertThat(failed.error()).isEqualTo("EIO: input/output error");
          });
      assertThat(holding.bench.audit.getLast()).isInstanceOfSatisfying(AuditEvent.LockLost.class,
          lost -> assertThat(lost.error()).isEqualTo("EIO: input/output error"));
    }
  }

  @ParameterizedTest(name = "ttl {0} s, max-interval {1} s: again after {2} ms")
  @CsvSource({"1, 30, 250", "4, 30, 250", "5, 30, 250", "12, 30, 600", "30, 30, 1500", "30, 1, 1000", "300, 30, 15000",
      "900, 30, 30000", "604800, 30, 30000"})
  @DisplayName("TF-5.7 TF-A4 a failed heartbeat is retried after a twentieth of the ttl, and no later than the next "
      + "one is due")
  void retries(long ttl, long maxInterval, long millis) {
    Duration max = Duration.ofSeconds(maxInterval);
    assertThat(RenewalSchedule.retry(Duration.ofSeconds(ttl), max)).isEqualTo(Duration.ofMillis(millis));
    Holding holding = new Holding(ttl, max, false);
    holding.failsFrom = 0;
    holding.time.advance(RenewalSchedule.interval(Duration.ofSeconds(ttl), max).plusMillis(millis));

    assertThat(holding.failuresMillis).hasSize(2);
    holding.renewer.stop();
  }

  @Test
  @DisplayName("TF-5.7 after a success, heartbeats return to their interval")
  void backToTheInterval() {
    Holding holding = new Holding(30, Duration.ofSeconds(30), false);
    holding.failsFrom = holding.time.nanos();
    holding.isBackFrom = holding.time.nanos() + Duration.ofSeconds(14).toNanos();
    holding.time.advance(Duration.ofSeconds(15));

    assertThat(holding.failuresMillis).containsExactly(10_000L, 11_500L, 13_000L);
    assertThat(holding.time.pendingDelays()).containsExactly(Duration.ofMillis(9_500));
    assertThat(holding.renewer.counts()).isEqualTo(new HeartbeatCounts(4, 3, 0, null));
    assertThat(holding.renewer.isFailing()).isFalse();
  }

  @ParameterizedTest(name = "max-interval {0} s")
  @ValueSource(ints = {30, 8})
  @DisplayName("TF-A5 one more heartbeat is attempted just before the work is ended, and if it succeeds the work "
      + "continues")
  void lastTry(int maxInterval) {
    Holding holding = new Holding(900, Duration.ofSeconds(maxInterval), false);
    holding.failsFrom = holding.time.nanos() + 1;
    // Between the last regular try and the end at 888 s.
    holding.isBackFrom = holding.time.nanos() + Duration.ofSeconds(884).toNanos();
    long start = holding.time.nanos();
    holding.time.advance(Duration.ofMillis(885_500));

    assertThat((holding.renewedNanos - start) / 1_000_000).isEqualTo(885_000);
    assertThat(holding.renewer.confirm()).isTrue();
    holding.time.advance(Duration.ofMinutes(10));
    assertThat(holding.doubts).isEmpty();
    assertThat(holding.events()).containsExactly("HeartbeatFailed", "LockActor");
    assertThat(holding.renewer.counts().lastError()).isNull();
  }

  @Test
  @DisplayName("A failing lease is counted until it is renewed or released, and its counts can be queried by its name")
  void counted() {
    ManualLease bench = new ManualLease(30).then(new Renewal.Failed("no"), new Renewal.Failed("still not"));
    LeaseRenewer renewer = bench.keep();
    assertThat(bench.lag.failing()).isZero();
    bench.pass(12);

    assertThat(bench.lag.failing()).isEqualTo(1);
    assertThat(bench.lag.failures()).isEqualTo(2);
    assertThat(bench.lag.of(bench.lease("prod", 30).name()))
        .contains(new HeartbeatCounts(2, 2, 2, "still not"));
    assertThat(bench.lag.of(bench.lease("other", 30).name())).isEmpty();

    bench.pass(2);
    assertThat(bench.lag.failing()).isZero();
    assertThat(bench.lag.of(bench.lease("prod", 30).name())).contains(new HeartbeatCounts(3, 2, 0, null));
    renewer.stop();
    assertThat(bench.lag.of(bench.lease("prod", 30).name())).isEmpty();
  }
}
