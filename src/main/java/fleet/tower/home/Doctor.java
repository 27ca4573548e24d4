package fleet.tower.home;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import fleet.tower.platform.Examination;
import fleet.tower.platform.Finding;
import fleet.tower.platform.Finding.Severity;

/** Runs all health checks; a check that fails to run is a finding itself. */
public final class Doctor {
  private final List<Examination> examinations;

  public Doctor(List<Examination> examinations) {
    this.examinations = List.copyOf(examinations);
  }

  /** All findings, check by check. */
  public List<Finding> examine() {
    List<Finding> findings = new ArrayList<>();
    for (Examination examination : examinations) {
      try {
        findings.addAll(examination.examine());
      } catch (RuntimeException e) {
        findings.add(Finding.fail("doctor", "a check failed: " + e.getMessage(),
            "fix the reported problem, then run `tower doctor` again"));
      }
    }
    return findings;
  }

  /** The highest severity of the findings. */
  public static Severity overall(List<Finding> findings) {
    return findings.stream().map(Finding::severity).max(Comparator.naturalOrder()).orElse(Severity.OK);
  }
}
