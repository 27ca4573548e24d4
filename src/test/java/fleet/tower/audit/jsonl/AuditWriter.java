package fleet.tower.audit.jsonl;

import java.nio.file.Path;

import fleet.tower.audit.AuditLog;
import fleet.tower.platform.time.SystemTime;

/** A process that writes many steals of a lock. Arguments: directory, name, number. */
final class AuditWriter {
  /** Each steal is two events, each followed by its actor. */
  static final int LINES = 4;

  private AuditWriter() {}

  public static void main(String[] arguments) {
    AuditLog log = new AuditFiles(Path.of(arguments[0]), SystemTime.scheduler(), warning -> {
      throw new IllegalStateException(warning);
    }).log();
    for (int i = 0; i < Integer.parseInt(arguments[2]); i++) {
      String id = arguments[1] + "-" + i;
      log.append(Events.stolen(id, Events.AT), Events.acquired(id, Events.AT));
    }
  }
}
