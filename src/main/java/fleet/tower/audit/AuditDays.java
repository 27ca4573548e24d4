package fleet.tower.audit;

import java.time.LocalDate;
import java.util.List;

/**
 * The UTC days of the audit log, for retention. A file that cannot be accessed is an
 * {@link java.io.UncheckedIOException}.
 */
public interface AuditDays {

  /** All days with events, the oldest first. */
  List<LocalDate> all();

  /** Deletes all events of a day. */
  void remove(LocalDate day);
}
