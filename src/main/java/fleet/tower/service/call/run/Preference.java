package fleet.tower.service.call.run;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How long the answer is delayed at most, so that it can report the end of the run.
 *
 * @param limit null for no limit
 * @param applied the preference of the request that was applied; null for none
 */
public record Preference(@Nullable Duration limit, @Nullable String applied) {
  public static final Preference NONE = new Preference(null, null);
  public static final Preference ASYNC = new Preference(Duration.ZERO, "respond-async");

  /** Whether the answer is always that the run was accepted, even if it has already ended. */
  boolean isAsync() {
    return limit != null && limit.isZero();
  }
}
