package fleet.tower.lease.keepalive;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.audit.AuditEvent;
import fleet.tower.lease.LeaseTerm;
import fleet.tower.lease.RenewalSchedule;
import fleet.tower.platform.time.ManualTime;

@DisplayName("A holder whose lease cannot be renewed is warned before its deadline")
class ExpiryAlarmTest {
  private static final int LONG = 100_000;
  private final List<Long> doubts = new ArrayList<>();

  private LeaseRenewer keep(ManualLease bench, Renewal renewal) {
    LeaseRenewers heartbeats = new LeaseRenewers(bench.time, bench.time, RenewalSchedule.DEFAULT_MAX_INTERVAL);
    long start = bench.time.nanos();
    return heartbeats.keep(bench.held(), renewal,
        bench.audited(new RenewalListener() {
          @Override
          public void doubted(LeaseTerm term, HeartbeatCounts counts) {
            doubts.add((bench.time.nanos() - start) / 1_000_000);
            assertThat(heartbeats.graceWithin(term, Duration.ofSeconds(10)))
                .isLessThan(Duration.ofNanos(Math.max(1, term.deadlineNanos() - bench.time.nanos())));
          }

          @Override
          public void lost(Renewal.Lost loss) {
            doubts.add(-1L);
          }
        }));
  }

  @ParameterizedTest(name = "ttl {0} s: after {1} ms")
  @CsvSource({"900, 888000", "60, 48000", "30, 24000", "3, 2400", "1, 800"})
  @DisplayName("TF-A5 if every heartbeat fails, a fifth of the ttl before the end, and at most 12 s")
  void tellsInTime(long ttl, long millis) {
    ManualLease bench = new ManualLease(ttl);
    LeaseRenewer renewer = keep(bench, () -> new Renewal.Failed("no route to host"));
    bench.time.advance(Duration.ofMillis(millis - 1));
    assertThat(doubts).isEmpty();
    bench.time.advance(Duration.ofSeconds(LONG));
    assertThat(doubts).containsExactly(millis);
    renewer.stop();
  }

  @Test
  @DisplayName("TF-A5 a holder is not warned while its lease is renewed, or after it stopped the renewals or lost the lease; it may be warned twice")
  void tellsNobodyElse() {
    ManualLease bench = new ManualLease(30);
    LeaseRenewer fine = keep(bench, bench::renewed);
    bench.pass(500);
    fine.stop();
    LeaseRenewer stopped = keep(bench, () -> new Renewal.Failed("no"));
    stopped.stop();
    LeaseRenewer lost = keep(bench, () -> new Renewal.Lost("gone", null));
    bench.pass(500);
    assertThat(doubts).containsExactly(-1L);
    doubts.clear();
    lost.stop();

    boolean[] isAway = {true};
    LeaseRenewer back = keep(bench, () -> isAway[0] ? new Renewal.Failed("no") : bench.renewed());
    bench.pass(100);
    isAway[0] = false;
    bench.pass(100);
    isAway[0] = true;
    bench.pass(100);
    assertThat(doubts).hasSize(2).first().isEqualTo(24_000L);
    back.stop();
  }

  @Test
  @DisplayName("WI-2 stuck work is not stopped: its lease expires, and its holder is not warned as long as it can read "
      + "the lease")
  void stuckIsNotCutOff() {
    ManualLease bench = new ManualLease(30);
    ProgressSignal heartbeat = new ProgressSignal(bench.time);
    boolean[] isAway = {false};
    LeaseRenewer renewer = keep(bench, heartbeat.proving(new Renewal() {
      @Override
      public Result renew() {
        return bench.renewed();
      }

      @Override
      public Optional<Lost> look() {
        if (isAway[0]) {
          throw new IllegalStateException("no route to host");
        }
        return Optional.empty();
      }
    }));
    bench.pass(300);
    assertThat(doubts).isEmpty();
    isAway[0] = true;
    bench.pass(300);
    assertThat(doubts).hasSize(1);
    renewer.stop();
  }

  @ParameterizedTest(name = "found again: {0}")
  @CsvSource({"true, 0", "false, 1"})
  @DisplayName("TF-A18 a holder that was suspended beyond the end tries a renewal first, and is warned only if that fails")
  void comesTooLate(boolean isFound, int told) {
    ManualLease bench = new ManualLease(30);
    ManualTime timers = new ManualTime();
    boolean[] isBack = {false};
    List<LeaseTerm> doubted = new ArrayList<>();
    LeaseRenewer renewer = new LeaseRenewers(bench.time, timers, RenewalSchedule.DEFAULT_MAX_INTERVAL).keep(
        bench.held(), () -> isBack[0] ? bench.renewed() : new Renewal.Failed("no"),
        bench.audited(new RenewalListener() {
          @Override
          public void doubted(LeaseTerm term, HeartbeatCounts counts) {
            doubted.add(term);
          }

          @Override
          public void lost(Renewal.Lost loss) {
            throw new AssertionError(loss);
          }
        }));
    bench.pass(60);
    timers.advance(Duration.ofMillis(22_400));
    isBack[0] = isFound;
    timers.advance(Duration.ofMillis(200));
    assertThat(doubted).hasSize(told);
    assertThat(bench.audit).as("more than three failures")
        .hasExactlyElementsOfTypes(AuditEvent.HeartbeatFailed.class, AuditEvent.LockActor.class);
    renewer.stop();
  }
}
