package fleet.tower.cli.shell;

import java.time.Duration;
import java.util.Optional;

import fleet.tower.platform.time.TimeSpans;

/** Time spans as people write and read them. */
public final class Durations {
  private Durations() {}

  /** Reads a time span; a bare number is seconds. */
  public static Optional<Duration> parse(String text) {
    return TimeSpans.parse(text);
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
