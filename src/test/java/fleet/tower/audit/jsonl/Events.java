package fleet.tower.audit.jsonl;

import static fleet.tower.lease.Actors.ORIGIN;

import java.time.Instant;

import fleet.tower.audit.AuditEvent;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Holder;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;

/** Sample events with the names and times of the specification's examples. */
final class Events {
  static final LeaseName NAME = new LeaseName("money-tracker-production");
  static final RequestId REQUEST = new RequestId("req_abc123");
  static final String PATH = "/root/tower-fleet/logs/locks/money-tracker-production.lock";
  static final Instant AT = Instant.parse("2025-12-18T10:45:00Z");

  private Events() {}

  static AuditEvent acquired(String requestId, Instant at) {
    return new AuditEvent.LockAcquired(new RequestId(requestId), at, NAME, PATH, Ttl.DEFAULT, ORIGIN);
  }

  static AuditEvent stolen(String requestId, Instant at) {
    return new AuditEvent.LockStolen(new RequestId(requestId), at, NAME, lease(), "sha256:abc123", ORIGIN);
  }

  static AuditEvent blocked(String requestId, Instant at) {
    return new AuditEvent.LockBlocked(new RequestId(requestId), at, new LeaseName("other"), "lock_blocked", null,
        ORIGIN);
  }

  static Lease lease() {
    return new Lease(NAME, new RequestId("req_old123"), new FencingToken(7),
        new Holder("claude-code", "deploy-app", "1.2.0", "tower-01", 12345, false),
        Instant.parse("2025-12-18T10:00:00Z"),
        Instant.parse("2025-12-18T10:15:00Z"), Ttl.DEFAULT, "{}");
  }
}
