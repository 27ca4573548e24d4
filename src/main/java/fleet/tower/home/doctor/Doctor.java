package fleet.tower.home.doctor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import fleet.tower.platform.check.Examination;
import fleet.tower.platform.check.Finding;
import fleet.tower.platform.check.Finding.Severity;

/** Looks at every part; a part that cannot even be looked at is a finding of its own. */
public final class Doctor {
  private final List<Examination> examinations;

  public Doctor(List<Examination> examinations) {
    this.examinations = List.copyOf(examinations);
  }

  /** All findings, part by part. */
  public List<Finding> examine() {
    List<Finding> findings = new ArrayList<>();
    for (Examination examination : examinations) {
      try {
        findings.addAll(examination.examine());
      } catch (RuntimeException e) {
        findings.add(Finding.fail("doctor", "a check could not be made: " + e.getMessage(),
            "mend what the message says, then look again"));
      }
    }
    return findings;
  }

  /** The worst of them. */
  public static Severity overall(List<Finding> findings) {
    return findings.stream().map(Finding::severity).max(Comparator.naturalOrder()).orElse(Severity.OK);
  }
}
