package fleet.tower.audit.jsonl;

import java.nio.file.Path;
import java.util.function.Consumer;

import fleet.tower.audit.AuditDays;
import fleet.tower.audit.AuditLog;
import fleet.tower.audit.AuditPages;
import fleet.tower.audit.AuditTrail;
import fleet.tower.platform.check.Examination;
import fleet.tower.platform.time.Scheduler;

/**
 * Opens the audit log in a directory.
 *
 * @param warnings told of each event that could not be written, and of lines that are none
 */
public record AuditFiles(Path directory, Scheduler scheduler, Consumer<String> warnings) {

  /** For those who have something to tell. */
  public AuditLog log() {
    return new JsonlAuditLog(dayFiles(), warnings);
  }

  /** For those who ask. */
  public AuditTrail trail() {
    return new JsonlAuditTrail(dayFiles(), () -> new WatchedChanges(directory, scheduler, warnings), warnings);
  }

  /** For who throws away what is old. */
  public AuditDays days() {
    return dayFiles();
  }

  /** For whoever copies it to where all hosts see it. */
  public AuditPages pages() {
    return new JsonlAuditPages(dayFiles());
  }

  /** What the doctor looks at here. */
  public Examination examination() {
    return new AuditExamination(dayFiles());
  }

  private DayFiles dayFiles() {
    return new DayFiles(directory);
  }
}
