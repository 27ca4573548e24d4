package fleet.tower.audit.jsonl;

import java.nio.file.Path;

import fleet.tower.audit.AuditLog;
import fleet.tower.platform.time.system.SystemTime;

/** A process that steals a lock many times: directory, who, how many. */
final class AuditWriter {
  /** Of each steal: two events, and who caused each. */
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
