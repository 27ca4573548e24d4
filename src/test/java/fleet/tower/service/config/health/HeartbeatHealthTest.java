package fleet.tower.service.config.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Holder;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lease.keepalive.LeaseRenewer;
import fleet.tower.lease.keepalive.LeaseRenewers;
import fleet.tower.lease.keepalive.Renewal;
import fleet.tower.platform.time.ManualTime;

@DisplayName("Readiness and late heartbeats")
class HeartbeatHealthTest {
  private final ManualTime time = new ManualTime("2026-01-01T00:00:00Z");
  private final LeaseRenewers heartbeats = new LeaseRenewers(time, time, Duration.ofSeconds(30));
  private final HeartbeatHealth health = new HeartbeatHealth(heartbeats.lag());
  private Duration slowness = Duration.ZERO;
  private Health during = Health.unknown().build();

  private LeaseRenewer keep() {
    Lease lease = new Lease(new LeaseName("prod"), new RequestId("r1"), new FencingToken(1),
        new Holder("alice", "manual", "none", "tower-01", 1, false), time.now(), time.now(), new Ttl(900), "{}");
    HeldLease held = HeldLease.since(time.nanos(), lease);
    return heartbeats.keep(held, () -> {
      time.advance(slowness);
      during = health.health();
      return new Renewal.Renewed(held);
    }, _ -> {});
  }

  @Test
  @DisplayName("Timely heartbeats are up; a blocked one makes the service not ready until a minute or two after it")
  void hangingBeat() {
    LeaseRenewer renewer = keep();
    time.advance(Duration.ofSeconds(31));
    assertThat(health.health()).isEqualTo(Health.up().withDetail("failing", 0).build());

    slowness = Duration.ofSeconds(20);
    time.advance(Duration.ofSeconds(30));
    assertThat(during).isEqualTo(Health.outOfService().withDetail("late_seconds", 20L)
        .withDetail("failing", 0).build());

    slowness = Duration.ZERO;
    time.advance(Duration.ofMinutes(3));
    assertThat(health.health()).isEqualTo(Health.up().withDetail("failing", 0).build());
    renewer.stop();
    time.advance(Duration.ofHours(1));
    assertThat(health.health()).isEqualTo(Health.up().withDetail("failing", 0).build());
  }
}
