package fleet.tower.platform.time;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses time spans as people write them; used for command options and service settings. */
public final class TimeSpans {
  private static final Pattern FORM = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)?");

  private TimeSpans() {}

  /** Parses {@code 90} (seconds), {@code 500ms 90s 15m 8h 2d} and ISO 8601 such as {@code PT15M}; never negative. */
  public static Optional<Duration> parse(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      return iso(text);
    }
    long count = Long.parseLong(form.group(1));
    String unit = form.group(2) == null ? "s" : form.group(2);
    return Optional.of(switch (unit) {
      case "ms" -> Duration.ofMillis(count);
      case "m" -> Duration.ofMinutes(count);
      case "h" -> Duration.ofHours(count);
      case "d" -> Duration.ofDays(count);
      default -> Duration.ofSeconds(count);
    });
  }

  private static Optional<Duration> iso(String text) {
    try {
      return text.startsWith("P") ? Optional.of(Duration.parse(text)).filter(it -> !it.isNegative()) : Optional.empty();
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
  }
}
