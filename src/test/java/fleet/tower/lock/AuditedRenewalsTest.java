package fleet.tower.lock;

import static fleet.tower.lease.Actors.ACTOR;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.Origin;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Holder;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseTerm;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lease.keepalive.HeartbeatCounts;
import fleet.tower.lease.keepalive.Renewal;
import fleet.tower.lease.keepalive.RenewalListener;
import fleet.tower.platform.time.ManualTime;

@DisplayName("A listener to renewals that writes to the audit log")
class AuditedRenewalsTest {
  private final ManualTime time = new ManualTime("2026-01-01T00:00:00Z");
  private final RecordedAudit audit = new RecordedAudit();
  private final List<String> passedOn = new ArrayList<>();
  private final Lease lease = new Lease(new LeaseName("prod"), new RequestId("r1"), new FencingToken(1),
      new Holder("alice", "manual", "none", "tower-01", 1, false), time.now(), time.now(), new Ttl(900), "{}");
  private final LeaseTerm term = new LeaseTerm.Of(Duration.ofMinutes(15), time.now().plusSeconds(30), 0);
  private final RenewalListener audited = new AuditedRenewals(audit, time, lease, "/locks/prod.lock", ACTOR,
      new Listener());

  /** Overrides the methods that have a default, so that each one is seen by its own name. */
  private final class Listener implements RenewalListener {
    @Override
    public void renewed(LeaseTerm renewed) {
      passedOn.add("renewed");
    }

    @Override
    public void failed(int consecutiveFailures, String error) {
      passedOn.add("failed " + consecutiveFailures + " " + error);
    }

    @Override
    public void unreachable(int consecutiveFailures, String error) {
      passedOn.add("unreachable " + consecutiveFailures + " " + error);
    }

    @Override
    public void withheld(int consecutiveFailures, String error) {
      passedOn.add("withheld " + consecutiveFailures + " " + error);
    }

    @Override
    public void doubted(LeaseTerm doubted, HeartbeatCounts counts) {
      passedOn.add("doubted " + counts.error());
    }

    @Override
    public void lost(Renewal.Lost loss) {
      passedOn.add("lost " + loss.reason());
    }
  }

  @Test
  @DisplayName("Every report but the two that it records is passed on as it is")
  void passesOn() {
    audited.renewed(term);
    audited.failed(1, "EIO");
    audited.unreachable(2, "refused");
    audited.withheld(3, "no progress");
    audited.doubted(term, new HeartbeatCounts(4, 4, 4, "EIO"));
    audited.lost(new Renewal.Lost("held by r2", null));

    assertThat(passedOn).containsExactly("renewed", "failed 1 EIO", "unreachable 2 refused", "withheld 3 no progress",
        "doubted EIO", "lost held by r2");
    assertThat(audit.events()).isEmpty();
    // A method that is added to the interface must be passed on too.
    assertThat(Arrays.stream(AuditedRenewals.class.getDeclaredMethods()).map(Method::getName))
        .containsAll(Arrays.stream(RenewalListener.class.getMethods()).map(Method::getName).toList());
  }

  @Test
  @DisplayName("Failures and the loss are written with the place of the lock, its holder and the last heartbeat")
  void records() {
    audited.recordFailures(term, new HeartbeatCounts(5, 3, 3, "EIO"));
    audited.recordLoss("lock is gone", null, "EIO");

    assertThat(passedOn).isEmpty();
    assertThat(audit.events()).filteredOn(AuditEvent.HeartbeatFailed.class::isInstance).singleElement()
        .isInstanceOfSatisfying(AuditEvent.HeartbeatFailed.class, failed -> {
          assertThat(failed.lockPath()).isEqualTo("/locks/prod.lock");
          assertThat(failed.consecutiveFailures()).isEqualTo(3);
          assertThat(failed.error()).isEqualTo("EIO");
          assertThat(failed.lastHeartbeatAt()).isEqualTo(term.lastHeartbeatAt());
          assertThat(failed.origin()).isEqualTo(Origin.of(ACTOR, lease.holder()));
        });
    assertThat(audit.events()).filteredOn(AuditEvent.LockLost.class::isInstance).singleElement()
        .isInstanceOfSatisfying(AuditEvent.LockLost.class, lost -> {
          assertThat(lost.reason()).isEqualTo("lock is gone");
          assertThat(lost.error()).isEqualTo("EIO");
        });
  }
}
