package fleet.tower.service.config.health;

import java.util.ArrayList;
import java.util.List;

/** The lines about health that a service has printed. */
final class Reports {
  private static final String TIMEOUT = "does not answer; check its disk or server";

  private Reports() {}

  /**
   * The lines about findings alone. A machine that stops a check for its time limit, 1.5 seconds, causes a line, and
   * the next finished check repeats the finding from before.
   *
   * @param lines those of one check, which begins without a finding
   * @param recovery the line about a finding that is over
   */
  static List<String> withoutTimeouts(List<String> lines, String recovery) {
    List<String> findings = new ArrayList<>(List.of(recovery));
    boolean isAfterTimeout = false;
    for (String line : lines) {
      boolean isTimeout = line.endsWith(TIMEOUT);
      if (!isTimeout && !(isAfterTimeout && line.equals(findings.getLast()))) {
        findings.add(line);
      }
      isAfterTimeout = isTimeout;
    }
    return findings.subList(1, findings.size());
  }
}
