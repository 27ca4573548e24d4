package fleet.tower.audit.jsonl;

import java.nio.file.Path;
import java.util.function.Consumer;

import fleet.tower.audit.AuditDays;
import fleet.tower.audit.AuditLog;
import fleet.tower.audit.AuditPages;
import fleet.tower.audit.AuditTrail;
import fleet.tower.platform.Examination;
import fleet.tower.platform.disk.RecordedFiles;
import fleet.tower.platform.disk.RecordedFiles.Recorder;
import fleet.tower.platform.time.Scheduler;

/**
 * The factory of the audit log in a directory.
 *
 * @param warnings receives each event that could not be written, and invalid lines
 */
public record AuditFiles(Path directory, Scheduler scheduler, Consumer<String> warnings) {

  /** The log for writing, which syncs its files itself. */
  public AuditLog log() {
    return log(Recorder.NONE);
  }

  /** The log for writing, whose events are durable once the journal has them. */
  public AuditLog log(Recorder recorder) {
    return new JsonlAuditLog(dayFiles(), recorder, warnings);
  }

  /** The lines of the log that the journal has records of. */
  public RecordedFiles recorded() {
    return new RecordedLines(dayFiles());
  }

  /** The trail for reading. */
  public AuditTrail trail() {
    return new JsonlAuditTrail(dayFiles(), () -> new WatchedChanges(directory, scheduler, warnings), warnings);
  }

  /** The days for retention. */
  public AuditDays days() {
    return dayFiles();
  }

  /** The pages for replication. */
  public AuditPages pages() {
    return new JsonlAuditPages(dayFiles());
  }

  /** The check for the doctor. */
  public Examination examination() {
    return new AuditExamination(dayFiles());
  }

  private DayFiles dayFiles() {
    return new DayFiles(directory);
  }
}
