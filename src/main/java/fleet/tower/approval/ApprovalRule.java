package fleet.tower.approval;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A rule that runs must be approved.
 *
 * @param when the values of parameters with which it applies; empty for all
 */
public record ApprovalRule(Map<String, List<String>> when, ApprovalTerms terms) {
  public ApprovalRule {
    Map<String, List<String>> copy = new HashMap<>();
    when.forEach((param, values) -> copy.put(param, List.copyOf(values)));
    when = Map.copyOf(copy);
  }

  /** Whether it applies to a run with these values, defaults included. */
  public boolean applies(Map<String, String> values) {
    return when.entrySet().stream().allMatch(it -> it.getValue().contains(values.getOrDefault(it.getKey(), "")));
  }
}
