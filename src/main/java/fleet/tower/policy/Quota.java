package fleet.tower.policy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.lock.Halt;
import fleet.tower.lock.HoldLimit;
import fleet.tower.platform.time.TimeSpans;

/**
 * A rule on how many runs there may be, and how many locks may be held.
 *
 * @param scope the runs and locks that it covers
 * @param runs how many may be requested in a time; null for any number
 * @param concurrent how many may be unfinished at the same time; null for any number
 * @param locks how many locks may be held at the same time; null for any number
 * @param isTogether whether it counts those of all actors together; otherwise each actor has as many
 */
public record Quota(String name, Halt.Scope scope, @Nullable Rate runs, @Nullable Integer concurrent,
    @Nullable Integer locks, boolean isTogether) {

  /** So many in a time. */
  public record Rate(int most, Duration within) {}

  /**
   * A quota that a request would exceed.
   *
   * @param within the time in which so many may be requested; null if so many may be unfinished at once
   * @param retryAt when there is room again; null if that is not known
   */
  public record Exceeded(String quota, int most, @Nullable Duration within, @Nullable Instant retryAt) {
    /** What it allows, in words. */
    public String describe() {
      return most + (most == 1 ? " run" : " runs")
          + (within == null ? " at the same time" : " in " + TimeSpans.format(within));
    }
  }

  /** The rule on locks, if it has one. */
  public Optional<HoldLimit> ofLocks() {
    return Optional.ofNullable(locks).map(most -> new HoldLimit(name, scope, most, isTogether));
  }

  /** What it allows, in words. */
  public String describe() {
    List<String> parts = new ArrayList<>();
    if (runs != null) {
      parts.add(runs.most() + " runs in " + TimeSpans.format(runs.within()));
    }
    if (concurrent != null) {
      parts.add(concurrent + " at the same time");
    }
    if (locks != null) {
      parts.add(locks + (locks == 1 ? " lock" : " locks"));
    }
    return String.join(", ", parts) + (isTogether ? ", all actors together" : " for each actor");
  }
}
