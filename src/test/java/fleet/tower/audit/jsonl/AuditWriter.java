package fleet.tower.audit.jsonl;

import java.nio.file.Path;

import fleet.tower.audit.AuditLog;
import fleet.tower.time.system.SystemTime;

/** A process that writes many events: directory, who, how many. */
final class AuditWriter {
  private AuditWriter() {}

  public static void main(String[] arguments) {
    AuditLog log = new AuditFiles(Path.of(arguments[0]), SystemTime.scheduler(), warning -> {
      throw new IllegalStateException(warning);
    }).log();
    for (int i = 0; i < Integer.parseInt(arguments[2]); i++) {
      log.append(Events.blocked(arguments[1] + "-" + i, Events.AT));
    }
  }
}
