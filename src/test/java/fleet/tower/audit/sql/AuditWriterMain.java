package fleet.tower.audit.sql;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import fleet.tower.audit.AuditTrailContract;
import fleet.tower.platform.time.SystemTime;

/** A process that writes events until it is killed. */
final class AuditWriterMain {
  private AuditWriterMain() {}

  /** Arguments: directory of the host, URL, prefix of its request ids. */
  static void main(String[] arguments) {
    AuditHost host = new AuditHost("here", arguments[1]).in(Path.of(arguments[0]));
    for (int i = 0;; i++) {
      host.log().write(List.of(AuditTrailContract.acquiredBy(arguments[2] + i, Instant.parse("2026-01-01T08:00:00Z"))));
      SystemTime.scheduler().pause(Duration.ofMillis(5));
    }
  }
}
