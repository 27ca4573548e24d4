package fleet.tower.home.retention;

import java.time.LocalDate;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What was thrown away, or would be.
 *
 * @param runs records of runs
 * @param outputs what runs printed of which there is no record any more
 * @param auditDays days of the audit log
 * @param auditKept why days were kept that are old enough; null where none were
 */
public record Removal(int runs, int outputs, List<LocalDate> auditDays, @Nullable String auditKept) {
  public Removal {
    auditDays = List.copyOf(auditDays);
  }

  public boolean isNothing() {
    return runs == 0 && outputs == 0 && auditDays.isEmpty();
  }
}
