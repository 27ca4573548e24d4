package fleet.tower.approval;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import fleet.tower.platform.text.Wildcards;

/**
 * What it takes to approve a run.
 *
 * @param need the number of persons who must approve it
 * @param from who of those with the right may vote: patterns of principals, one list of each rule that has one; a
 *        voter must match all lists
 * @param within how long the request is open
 * @param valid how long after the last vote the run may begin
 */
public record ApprovalTerms(int need, List<List<String>> from, Duration within, Duration valid) {
  public static final int MOST = 20;
  public static final Duration WITHIN = Duration.ofHours(24);
  public static final Duration VALID = Duration.ofMinutes(30);
  public static final Duration LONGEST = Duration.ofDays(30);

  public ApprovalTerms {
    from = from.stream().map(List::copyOf).toList();
  }

  /** The stricter of each of these terms and others. */
  public ApprovalTerms and(ApprovalTerms other) {
    return new ApprovalTerms(Math.max(need, other.need),
        Stream.concat(from.stream(), other.from.stream()).distinct().toList(), shorter(within, other.within),
        shorter(valid, other.valid));
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  /** Whether a person with the right may vote. */
  public boolean ask(String principal) {
    return from.stream()
        .allMatch(patterns -> patterns.stream().anyMatch(pattern -> Wildcards.matches(pattern, principal)));
  }

  /** Who may vote, in words. */
  public String voters() {
    return from.isEmpty()
        ? "anyone with the right to approve"
        : String.join(" and ", from.stream().map(patterns -> String.join(" or ", patterns)).toList());
  }
}
