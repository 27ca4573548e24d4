package fleet.tower.lease.keepalive;

import static fleet.tower.lease.Actors.ACTOR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.Origin;
import fleet.tower.lease.Actors;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Lease;
import fleet.tower.lease.RenewalSchedule;

class LeaseRenewerTest {
  private static final Renewal.Failed FAILED = new Renewal.Failed("EIO: input/output error");

  @ParameterizedTest
  @CsvSource({"900, 30000", "604800, 30000", "90, 30000", "89, 29666", "60, 20000", "3, 1000", "1, 333"})
  @DisplayName("TF-5.1 TF-5.2 TF-A3 a lease is renewed three times per ttl, and at least every 30 s")
  void interval(long ttl, long millis) {
    ManualLease bench = new ManualLease(ttl);
    bench.keep();

    assertThat(bench.time.pendingDelays()).singleElement().extracting(Duration::toMillis).isEqualTo(millis);
    bench.time.advance(Duration.ofMillis(millis + 1));
    assertThat(bench.beats).hasSize(1);
    assertThat(bench.time.pendingDelays()).singleElement()
        .satisfies(delay -> assertThat(delay).isBetween(Duration.ofMillis(millis - 2), Duration.ofMillis(millis + 1)));
  }

  @Test
  @DisplayName("TF-5.1 heartbeats come at their interval and extend the held lease")
  void beats() {
    ManualLease bench = new ManualLease(900);
    LeaseRenewer renewer = bench.keep();

    bench.pass(3600);

    assertThat(bench.beats).hasSize(120).startsWith(30L, 60L, 90L);
    assertThat(renewer.term().lastHeartbeatAt()).isEqualTo(Instant.parse("2026-01-01T01:00:00Z"));
    assertThat(renewer.confirm()).isTrue();
    assertThat(bench.beats).hasSize(120);
    assertThat(bench.audit).isEmpty();
    assertThat(bench.told).isEmpty();
  }

  @Test
  @DisplayName("TF-A4 with the default ttl a failing heartbeat is reported after 90 s, long before a steal is allowed")
  void toldInTime() {
    ManualLease bench = new ManualLease(900);
    for (int i = 0; i < 3; i++) {
      bench.script.add(() -> new Renewal.Failed("EIO: input/output error"));
    }
    bench.keep();

    bench.pass(89);
    assertThat(bench.audit).isEmpty();
    bench.pass(1);

    assertThat(bench.audit).hasSize(2).first().isInstanceOfSatisfying(AuditEvent.HeartbeatFailed.class,
        failed -> assertThat(bench.audit).isEqualTo(Actors.pair(failed)));
  }

  @Test
  @DisplayName("A slow heartbeat does not delay the next one: its own duration is part of the interval")
  void slowBeat() {
    ManualLease bench = new ManualLease(900);
    bench.script.add(() -> {
      bench.pass(10);
      return bench.renewed();
    });
    bench.script.add(() -> {
      bench.pass(40);
      return bench.renewed();
    });
    bench.keep();

    bench.time.advance(Duration.ofSeconds(30));
    bench.pass(100);

    assertThat(bench.beats).startsWith(30L, 60L, 100L, 130L);
  }

  @Test
  @DisplayName("The lateness of heartbeats is measured against their interval")
  void punctuality() {
    ManualLease bench = new ManualLease(900);
    bench.keep();
    bench.pass(60);
    assertThat(bench.lag.beats()).isEqualTo(2);
    assertThat(bench.lag.worst()).isLessThan(Duration.ofMillis(1));
    bench.script.add(() -> {
      bench.pass(45);
      return bench.renewed();
    });

    bench.time.advance(Duration.ofSeconds(30));
    bench.pass(60);

    assertThat(bench.lag.beats()).isGreaterThanOrEqualTo(4);
    assertThat(bench.lag.worst()).isBetween(Duration.ofSeconds(15), Duration.ofSeconds(16));
  }

  @Test
  @DisplayName("TF-5.6 TF-5.7 a failed heartbeat is reported and retried at the next interval; a success resets the "
      + "count")
  void failureIsRetried() {
    ManualLease bench = new ManualLease(900).then(FAILED, FAILED);
    bench.keep();

    bench.pass(90);

    assertThat(bench.beats).containsExactly(30L, 60L, 90L);
    assertThat(bench.told).containsExactly("1 EIO: input/output error", "2 EIO: input/output error");
    assertThat(bench.audit).isEmpty();
    bench.then(FAILED).pass(30);
    assertThat(bench.told).last().isEqualTo("1 EIO: input/output error");
  }

  @Test
  @DisplayName("TF-5.8 TF-A28 three failures in a row are one heartbeat_failed, however long the streak; a second "
      + "streak causes another")
  void failureStreaks() {
    ManualLease bench = new ManualLease(900).then(FAILED, FAILED, FAILED, FAILED, FAILED, FAILED, FAILED);
    bench.keep();
    Lease lease = bench.lease("prod", 900);

    bench.pass(240);
    assertThat(bench.audit).isEqualTo(Actors.pair(new AuditEvent.HeartbeatFailed(lease.requestId(),
        Instant.parse("2026-01-01T00:01:30Z"), lease.name(), ManualLease.PATH, 3, "EIO: input/output error",
        Instant.parse("2026-01-01T00:00:00Z"), Origin.of(ACTOR, lease.holder()))));

    bench.then(FAILED, FAILED, FAILED).pass(90);
    assertThat(bench.audit).hasSize(4).endsWith(Actors.pair(new AuditEvent.HeartbeatFailed(lease.requestId(),
        Instant.parse("2026-01-01T00:05:30Z"), lease.name(), ManualLease.PATH, 3, "EIO: input/output error",
        Instant.parse("2026-01-01T00:04:00Z"), Origin.of(ACTOR, lease.holder()))).toArray(AuditEvent[]::new));
    assertThat(bench.told).hasSize(10).contains("7 EIO: input/output error");
  }

  @Test
  @DisplayName("TF-5.6 anything that a renewal throws counts as a failure, and the next heartbeat follows")
  void throwing() {
    ManualLease bench = new ManualLease(900);
    bench.script.add(() -> {
      throw new IllegalStateException("no turn");
    });
    bench.script.add(() -> {
      throw new IllegalStateException();
    });
    bench.script.add(() -> {
      throw new NoClassDefFoundError("fleet/tower/Gone");
    });
    LeaseRenewer renewer = bench.keep();

    bench.pass(120);

    assertThat(bench.told).containsExactly("1 no turn", "2 java.lang.IllegalStateException", "3 fleet/tower/Gone");
    assertThat(bench.beats).hasSize(4);
    assertThat(renewer.confirm()).isTrue();
  }

  @Test
  @DisplayName("TF-A5 TF-B5 a lost lease: one lock_lost, one notification of the listener, and no more heartbeats")
  void loss() {
    ManualLease bench = new ManualLease(900).then(new Renewal.Lost("lock is gone", null));
    LeaseRenewer renewer = bench.keep();
    Lease lease = bench.lease("prod", 900);

    bench.pass(3600);

    assertThat(bench.beats).containsExactly(30L);
    assertThat(bench.told).containsExactly("lost: lock is gone");
    assertThat(bench.audit).containsExactly(new AuditEvent.LockLost(lease.requestId(),
        Instant.parse("2026-01-01T00:00:30Z"), lease.name(), ManualLease.PATH, lease.token(), "lock is gone",
        null, null, Origin.of(ACTOR, lease.holder())));
    assertThat(bench.time.pendingDelays()).isEmpty();
    assertThat(renewer.confirm()).isFalse();
    assertThat(bench.beats).hasSize(1);
    renewer.stop();
  }

  @Test
  @DisplayName("TF-A5 a lease that another holder has is lost to that holder")
  void taken() {
    ManualLease bench = new ManualLease(900);
    Lease thief = bench.lease("prod", 60);
    bench.then(FAILED, new Renewal.Lost("held by r2", thief)).keep();

    bench.pass(3600);

    assertThat(bench.told).containsExactly("1 EIO: input/output error", "lost: held by r2");
    assertThat(bench.audit).singleElement().isInstanceOfSatisfying(AuditEvent.LockLost.class,
        lost -> {
          assertThat(lost.holder()).isEqualTo(thief);
          assertThat(lost.error()).as("why it was not renewed before").isEqualTo("EIO: input/output error");
        });
  }

  @Test
  @DisplayName("TF-A5 past its deadline a holder renews at once: a heartbeat that succeeds confirms the lease, and "
      + "work may continue")
  void confirmedPastTheDeadline() {
    ManualLease bench = new ManualLease(30);
    boolean[] isAway = {true};
    LeaseRenewer renewer = bench.keep(() -> {
      Renewal.Result result = bench.renew();
      return isAway[0] ? FAILED : result;
    });
    bench.pass(30);
    int beats = bench.beats.size();
    assertThat(renewer.confirm()).as("on the deadline").isTrue();
    assertThat(bench.beats).hasSize(beats);

    bench.time.advance(Duration.ofMillis(1));
    isAway[0] = false;

    assertThat(renewer.confirm()).isTrue();
    assertThat(bench.beats).hasSize(beats + 1).last().isEqualTo(30L);
    assertThat(bench.time.pendingDelays()).hasSize(1);
  }

  @Test
  @DisplayName("TF-A5 past its deadline a holder whose heartbeat fails or reports a loss must not start anything new")
  void selfFence() {
    ManualLease bench = new ManualLease(30);
    AtomicReference<Optional<Renewal.Result>> instead = new AtomicReference<>(Optional.of(FAILED));
    LeaseRenewer renewer = bench.keep(() -> {
      Renewal.Result result = bench.renew();
      return instead.get().orElse(result);
    });
    bench.pass(31);

    int told = bench.told.size();
    assertThat(renewer.confirm()).isFalse();
    assertThat(bench.told).hasSize(told + 1);
    instead.set(Optional.empty());
    assertThat(renewer.confirm()).as("the disk works again").isTrue();

    instead.set(Optional.of(FAILED));
    bench.pass(31);
    instead.set(Optional.of(new Renewal.Lost("held by r2", null)));
    assertThat(renewer.confirm()).isFalse();
    assertThat(bench.told).last().isEqualTo("lost: held by r2");
    int beats = bench.beats.size();
    bench.pass(100);
    assertThat(bench.beats).hasSize(beats);
  }

  @Test
  @DisplayName("TF-A5 setting the wall clock back or forward changes nothing for the holder")
  void steppedWallClock() {
    ManualLease bench = new ManualLease(30);
    LeaseRenewer renewer = bench.keep();
    bench.time.stepWallClock(Duration.ofHours(2));
    assertThat(renewer.confirm()).isTrue();
    bench.time.stepWallClock(Duration.ofHours(-4));
    assertThat(renewer.confirm()).isTrue();
    assertThat(bench.beats).isEmpty();
  }

  @Test
  @DisplayName("A stopped renewer sends no more heartbeats, not even to confirm, and may be stopped again")
  void stopped() {
    ManualLease bench = new ManualLease(30);
    LeaseRenewer renewer = bench.keep();
    bench.pass(10);

    renewer.stop();
    renewer.stop();
    bench.pass(100);

    assertThat(bench.beats).containsExactly(10L);
    assertThat(bench.time.pendingDelays()).isEmpty();
    assertThat(renewer.confirm()).isFalse();
    assertThat(bench.beats).hasSize(1);
  }

  @Test
  @DisplayName("A listener that throws does not end the heartbeats")
  void throwingListener() {
    ManualLease bench = new ManualLease(900).then(FAILED);
    new LeaseRenewers(bench.time, bench.time, RenewalSchedule.DEFAULT_MAX_INTERVAL)
        .keep(HeldLease.since(bench.time.nanos(), bench.lease("prod", 900)), bench::renew,
            bench.audited(new RenewalListener() {
              @Override
              public void failed(int consecutiveFailures, String error) {
                throw new IllegalStateException("listener");
              }

              @Override
              public void lost(Renewal.Lost loss) {}
            }));

    assertThatThrownBy(() -> bench.pass(30)).hasMessage("listener");
    bench.pass(30);

    assertThat(bench.beats).containsExactly(30L, 60L);
  }

  @Test
  @DisplayName("A listener may stop the renewer that notifies it")
  void stoppingListener() {
    ManualLease bench = new ManualLease(900).then(FAILED);
    AtomicReference<LeaseRenewer> itself = new AtomicReference<>();
    List<String> heard = new ArrayList<>();
    itself.set(new LeaseRenewers(bench.time, bench.time, RenewalSchedule.DEFAULT_MAX_INTERVAL)
        .keep(HeldLease.since(bench.time.nanos(), bench.lease("prod", 900)), bench::renew,
            bench.audited(new RenewalListener() {
              @Override
              public void failed(int consecutiveFailures, String error) {
                heard.add(error);
                itself.get().stop();
              }

              @Override
              public void lost(Renewal.Lost loss) {
                heard.add(loss.reason());
              }
            })));

    bench.pass(3600);

    assertThat(heard).containsExactly("EIO: input/output error");
    assertThat(bench.beats).hasSize(1);
  }

  @Test
  @DisplayName("A thousand leases are each renewed at their own interval")
  void thousand() {
    ManualLease bench = new ManualLease(900);
    int[] beats = new int[1001];
    LeaseRenewers heartbeats = new LeaseRenewers(bench.time, bench.time, Duration.ofSeconds(30));
    for (int i = 1; i <= 1000; i++) {
      int number = i;
      Lease lease = bench.lease("l" + i, i % 100 + 3);
      heartbeats.keep(HeldLease.since(bench.time.nanos(), lease), () -> {
        beats[number]++;
        return new Renewal.Renewed(HeldLease.since(bench.time.nanos(), lease));
      }, bench.audited(lease, bench));
    }

    bench.pass(120);

    for (int i = 1; i <= 1000; i++) {
      double interval = Math.min(30, (i % 100 + 3) / 3.0);
      assertThat(beats[i]).as("beats of lease %s", i).isEqualTo((int) Math.floor(120 / interval + 1e-6));
    }
    assertThat(bench.told).isEmpty();
  }
}
