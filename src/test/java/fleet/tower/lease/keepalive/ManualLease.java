package fleet.tower.lease.keepalive;

import static fleet.tower.lease.Actors.ACTOR;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;

import fleet.tower.audit.AuditEvent;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Holder;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RenewalSchedule;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.AuditedRenewals;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.Timestamps;

/** A lease, its renewals, their listener and their log, on time that is moved by hand. */
final class ManualLease implements RenewalListener {
  static final String PATH = "/locks/prod.lock";

  final ManualTime time = new ManualTime("2026-01-01T00:00:00Z");
  RenewalLag lag = new RenewalLag(time);
  final List<AuditEvent> audit = new ArrayList<>();
  final List<String> told = new ArrayList<>();
  /** Seconds since the start at which a beat was tried. */
  final List<Long> beats = new ArrayList<>();
  /** What the next beats come to; when there is none left, they succeed. */
  final Deque<Supplier<Renewal.Result>> script = new ArrayDeque<>();
  private final long start = time.nanos();
  private Lease lease;

  ManualLease(long ttlSeconds) {
    lease = lease("prod", ttlSeconds);
  }

  Lease lease(String name, long ttlSeconds) {
    return new Lease(new LeaseName(name), new RequestId("r1"), new FencingToken(1),
        new Holder("alice", "manual", "none", "tower-01", 1, false), time.now(), time.now(), new Ttl(ttlSeconds), "{}");
  }

  LeaseRenewer keep() {
    return keep(this::renew);
  }

  LeaseRenewer keep(Renewal renewal) {
    LeaseRenewers renewers = new LeaseRenewers(time, time, RenewalSchedule.DEFAULT_MAX_INTERVAL);
    lag = renewers.lag();
    return renewers.keep(HeldLease.since(time.nanos(), lease), renewal, audited(this));
  }

  /** A listener that also writes to {@link #audit}. */
  RenewalListener audited(RenewalListener listener) {
    return audited(lease, listener);
  }

  RenewalListener audited(Lease of, RenewalListener listener) {
    return new AuditedRenewals(audit::addAll, time, of, PATH, ACTOR, listener);
  }

  ManualLease then(Renewal.Result... results) {
    for (Renewal.Result result : results) {
      script.add(() -> result);
    }
    return this;
  }

  void pass(long seconds) {
    time.advance(Duration.ofSeconds(seconds));
  }

  Renewal.Result renew() {
    beats.add((time.nanos() - start) / 1_000_000_000);
    return script.isEmpty() ? renewed() : script.remove().get();
  }

  Renewal.Result renewed() {
    return new Renewal.Renewed(held());
  }

  /** The lease as if it were written now. */
  HeldLease held() {
    lease = lease.renewedAt(Timestamps.wholeSecond(time.now()));
    return HeldLease.since(time.nanos(), lease);
  }

  @Override
  public void failed(int consecutiveFailures, String error) {
    told.add(consecutiveFailures + " " + error);
  }

  @Override
  public void lost(Renewal.Lost loss) {
    told.add("lost: " + loss.reason());
  }
}
