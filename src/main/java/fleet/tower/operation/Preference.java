package fleet.tower.operation;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import fleet.tower.lock.queue.Wait;

/**
 * How long the answer of a call is delayed at most, so that it can report the end of a run.
 *
 * @param limit null for no limit
 * @param applied the preference that was applied; empty for none
 */
public record Preference(@Nullable Duration limit, String applied) {
  public static final Preference NONE = new Preference(null, "");
  public static final Preference ASYNC = new Preference(Duration.ZERO, "respond-async");

  static final String EXPECTED = "wait=N with a whole number of seconds from 0 to " + Wait.MAX_SECONDS;
  private static final Pattern WAIT = Pattern.compile("wait\\s*=\\s*\"?(\\d{1,9})\"?");

  /** A wait for this long. */
  public static Preference waiting(long seconds) {
    return new Preference(Duration.ofSeconds(seconds), "");
  }

  /** Whether the answer is always that the run was accepted, even if it has already ended. */
  public boolean isAsync() {
    return limit != null && limit.isZero();
  }

  /** Reads a header; null for an invalid wait. Unknown preferences are ignored, as RFC 7240 requires. */
  static @Nullable Preference parse(String header) {
    Preference found = NONE;
    for (String one : header.split(",", -1)) {
      String preference = one.strip().toLowerCase(Locale.ROOT);
      if (preference.equals("respond-async") && found.limit() == null) {
        found = ASYNC;
      } else if (preference.startsWith("wait")) {
        Matcher wait = WAIT.matcher(preference);
        if (!wait.matches() || Long.parseLong(wait.group(1)) > Wait.MAX_SECONDS) {
          return null;
        }
        long seconds = Long.parseLong(wait.group(1));
        found = new Preference(Duration.ofSeconds(seconds), "wait=" + seconds);
      }
    }
    return found;
  }
}
