package fleet.tower.platform.time;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** The text form of timestamps: writes {@code 2025-12-18T10:30:10Z} and reads a few more forms. */
public final class Timestamps {
  private static final String FORM = "0000-00-00T00:00:00";
  private static final int MAX_FRACTION_DIGITS = 9;

  private Timestamps() {}

  /** The moment truncated to whole seconds, the resolution of everything that is written. */
  public static Instant wholeSecond(Instant moment) {
    return moment.truncatedTo(ChronoUnit.SECONDS);
  }

  /**
   * Formats as {@code YYYY-MM-DDTHH:MM:SSZ}; without a formatter, because this runs in every heartbeat and every
   * short command.
   */
  public static String format(Instant moment) {
    LocalDateTime utc = LocalDateTime.ofEpochSecond(moment.getEpochSecond(), 0, ZoneOffset.UTC);
    StringBuilder text = new StringBuilder(20);
    digits(text, utc.getYear(), 4).append('-');
    digits(text, utc.getMonthValue(), 2).append('-');
    digits(text, utc.getDayOfMonth(), 2).append('T');
    digits(text, utc.getHour(), 2).append(':');
    digits(text, utc.getMinute(), 2).append(':');
    return digits(text, utc.getSecond(), 2).append('Z').toString();
  }

  /** Parses a UTC time with or without a fraction, ending in {@code Z} or {@code +00:00}; empty for any other text. */
  public static Optional<Instant> parse(String text) {
    if (!hasForm(text)) {
      return Optional.empty();
    }
    try {
      LocalDateTime utc = LocalDateTime.of(number(text, 0, 4), number(text, 5, 7), number(text, 8, 10),
          number(text, 11, 13), number(text, 14, 16), number(text, 17, 19), nanos(text));
      return Optional.of(utc.toInstant(ZoneOffset.UTC));
    } catch (DateTimeException notOnTheCalendar) {
      return Optional.empty();
    }
  }

  /** Parses like {@link #parse}, and times with an offset from UTC. */
  public static Optional<Instant> parseWithOffset(String text) {
    Optional<Instant> utc = parse(text);
    if (utc.isPresent() || text.indexOf('-') != 4) {
      return utc;
    }
    try {
      return Optional.of(OffsetDateTime.parse(text).toInstant());
    } catch (DateTimeException notATime) {
      return Optional.empty();
    }
  }

  /** Without a regular expression: this runs twice per read of a lock. */
  private static boolean hasForm(String text) {
    if (text.length() <= FORM.length()) {
      return false;
    }
    for (int i = 0; i < FORM.length(); i++) {
      char expected = FORM.charAt(i);
      if (expected == '0' ? !isDigit(text.charAt(i)) : text.charAt(i) != expected) {
        return false;
      }
    }
    int zone = text.charAt(FORM.length()) == '.' ? endOfDigits(text, FORM.length() + 1) : FORM.length();
    int fractionDigits = zone - FORM.length() - 1;
    boolean isFractionFit = fractionDigits == -1 || (fractionDigits >= 1 && fractionDigits <= MAX_FRACTION_DIGITS);
    String rest = text.substring(zone);
    return isFractionFit && (rest.equals("Z") || rest.equals("+00:00"));
  }

  private static int endOfDigits(String text, int from) {
    int end = from;
    while (end < text.length() && isDigit(text.charAt(end))) {
      end++;
    }
    return end;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static StringBuilder digits(StringBuilder text, int value, int width) {
    String digits = Integer.toString(value);
    return text.repeat('0', Math.max(0, width - digits.length())).append(digits);
  }

  private static int number(String text, int from, int to) {
    return Integer.parseInt(text, from, to, 10);
  }

  private static int nanos(String text) {
    if (text.charAt(19) != '.') {
      return 0;
    }
    String fraction = text.substring(20, endOfDigits(text, 20));
    return Integer.parseInt((fraction + "0".repeat(MAX_FRACTION_DIGITS)).substring(0, MAX_FRACTION_DIGITS));
  }
}
