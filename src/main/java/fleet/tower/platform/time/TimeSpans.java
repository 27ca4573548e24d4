package fleet.tower.platform.time;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Time spans as people write and read them, in command options, settings and messages. */
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

  /** The two largest units: {@code 3d 4h}, {@code 2m 10s}, {@code 12s}. */
  public static String format(Duration duration) {
    long seconds = Math.max(0, duration.toSeconds());
    if (seconds < 60) {
      return seconds + "s";
    }
    if (seconds < 3600) {
      return units(seconds / 60, "m", seconds % 60, "s");
    }
    if (seconds < 86_400) {
      return units(seconds / 3600, "h", seconds % 3600 / 60, "m");
    }
    return units(seconds / 86_400, "d", seconds % 86_400 / 3600, "h");
  }

  /** With tenths of a second below a minute: {@code 0.4s}, {@code 12.3s}; from a minute on as {@link #format}. */
  public static String precise(Duration duration) {
    long tenths = Math.max(0, duration.toMillis()) / 100;
    return tenths >= 600 ? format(duration) : tenths / 10 + "." + tenths % 10 + "s";
  }

  private static String units(long large, String largeUnit, long small, String smallUnit) {
    return large + largeUnit + (small == 0 ? "" : " " + small + smallUnit);
  }
}
