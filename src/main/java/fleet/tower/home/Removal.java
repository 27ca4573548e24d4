package fleet.tower.home;

import java.time.LocalDate;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What a retention sweep removed, or would remove.
 *
 * @param runs the number of run records
 *
 * @param outputs the number of outputs without a run record
 *
 * @param lockNames the number of unused lock names
 *
 * @param auditDays the days of the audit log
 *
 * @param auditKept why days were kept that are old enough; null if there are none
 */
public record Removal(int runs, int outputs, int lockNames, List<LocalDate> auditDays, @Nullable String auditKept) {
  public Removal {
    auditDays = List.copyOf(auditDays);
  }

  public boolean isNothing() {
    return runs == 0 && outputs == 0 && lockNames == 0 && auditDays.isEmpty();
  }
}
