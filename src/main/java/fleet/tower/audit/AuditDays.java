package fleet.tower.audit;

import java.time.LocalDate;
import java.util.List;

/** The days of UTC that the log has something of, to be kept or thrown away. Files that are broken are an {@link java.io.UncheckedIOException}. */
public interface AuditDays {

  /** All, the oldest first. */
  List<LocalDate> all();

  /** Throws away all that was logged on a day. */
  void remove(LocalDate day);
}
