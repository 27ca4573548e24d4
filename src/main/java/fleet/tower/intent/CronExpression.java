package fleet.tower.intent;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;

/**
 * A cron expression of six fields in Spring's dialect: second, minute, hour, day of month, month, day of
 * week.
 *
 * <p>A day matches when both day fields match. Besides numbers, names, lists, ranges and steps, the day fields accept
 * {@code L} (last day, {@code L-3}, last weekday {@code LW}), {@code 15W} (nearest weekday), {@code 5L} (last Friday
 * of the month) and {@code 5#2} (second Friday).
 */
public final class CronExpression {
  private static final List<String> MONTHS = List.of("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP",
      "OCT", "NOV", "DEC");
  private static final List<String> WEEKDAYS = List.of("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN");
  private static final Map<String, String> MACROS = Map.of("@yearly", "0 0 0 1 1 *", "@annually", "0 0 0 1 1 *",
      "@monthly", "0 0 0 1 * *", "@weekly", "0 0 0 * * 0", "@daily", "0 0 0 * * *", "@midnight", "0 0 0 * * *",
      "@hourly", "0 0 * * * *");

  private static final int SUNDAY = 7;

  /** Any expression that ever fires also fires after this moment. */
  private static final Instant REFERENCE = Instant.parse("2000-01-01T00:00:00Z");

  /** The calendar repeats within 28 years, or 40 around a century without a leap year. */
  private static final int MAX_YEARS = 40;

  private final BitSet seconds;
  private final BitSet minutes;
  private final BitSet hours;
  private final BitSet months;
  private final Predicate<LocalDate> days;

  private CronExpression(String[] fields) {
    this.seconds = numbers("second", fields[0], 0, 59, List.of());
    this.minutes = numbers("minute", fields[1], 0, 59, List.of());
    this.hours = numbers("hour", fields[2], 0, 23, List.of());
    this.months = numbers("month", fields[4], 1, 12, MONTHS);
    this.days = anyOf(fields[3], CronExpression::dayOfMonth).and(anyOf(fields[5], CronExpression::dayOfWeek));
  }

  /**
   * Parses an expression or a macro such as {@code @daily}.
   *
   * @throws IllegalArgumentException if it is malformed; the message names the field
   */
  public static CronExpression parse(String text) {
    String[] fields = MACROS.getOrDefault(text.strip(), text.strip()).split("\\s+", -1);
    if (fields.length != 6) {
      throw new IllegalArgumentException("'" + text.strip() + "' has " + fields.length + " fields instead of 6");
    }
    return new CronExpression(fields);
  }

  /**
   * Parses an expression that a person wrote, and that fires.
   *
   * @throws IllegalArgumentException if it is malformed or never fires; the message says what to do
   */
  public static CronExpression written(String text) {
    String[] fields = text.strip().split("\\s+", -1);
    if (fields.length == 5) {
      throw new IllegalArgumentException("has 5 fields; add the seconds field in front: 0 " + text.strip());
    }
    if (fields.length != 6 && !text.startsWith("@")) {
      throw new IllegalArgumentException("has " + fields.length
          + (fields.length == 1 ? " field" : " fields") + "; it must have 6: second minute hour day month weekday");
    }
    CronExpression expression;
    try {
      expression = parse(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("is not a cron expression: " + e.getMessage(), e);
    }
    if (expression.next(REFERENCE).isEmpty()) {
      throw new IllegalArgumentException("never fires: no date matches it");
    }
    return expression;
  }

  /** The first time after {@code moment} in UTC; empty when the expression never fires. */
  public Optional<Instant> next(Instant moment) {
    return next(LocalDateTime.ofInstant(moment, ZoneOffset.UTC)).map(time -> time.toInstant(ZoneOffset.UTC));
  }

  /** The first time after another; empty when the expression never fires. */
  public Optional<LocalDateTime> next(LocalDateTime moment) {
    LocalDateTime start = moment.truncatedTo(ChronoUnit.SECONDS).plusSeconds(1);
    Optional<LocalTime> today = fires(start.toLocalDate()) ? time(start.toLocalTime()) : Optional.empty();
    if (today.isPresent()) {
      return Optional.of(start.toLocalDate().atTime(today.get()));
    }
    LocalDate last = start.toLocalDate().plusYears(MAX_YEARS);
    for (LocalDate date = start.toLocalDate().plusDays(1); date.isBefore(last); date = following(date)) {
      if (fires(date)) {
        return Optional.of(date.atTime(time(LocalTime.MIN).orElseThrow()));
      }
    }
    return Optional.empty();
  }

  private boolean fires(LocalDate date) {
    return months.get(date.getMonthValue()) && days.test(date);
  }

  private LocalDate following(LocalDate date) {
    return months.get(date.getMonthValue()) ? date.plusDays(1) : date.with(TemporalAdjusters.firstDayOfNextMonth());
  }

  /** The first matching time of a day at or after {@code earliest}. */
  private Optional<LocalTime> time(LocalTime earliest) {
    int second = seconds.nextSetBit(earliest.getSecond());
    int minute = minutes.nextSetBit(earliest.getMinute() + (second < 0 ? 1 : 0));
    int hour = hours.nextSetBit(earliest.getHour() + (minute < 0 ? 1 : 0));
    if (hour < 0) {
      return Optional.empty();
    }
    boolean isLaterHour = hour > earliest.getHour();
    boolean isLaterMinute = isLaterHour || minute > earliest.getMinute();
    return Optional.of(LocalTime.of(hour, isLaterHour ? minutes.nextSetBit(0) : minute,
        isLaterMinute ? seconds.nextSetBit(0) : second));
  }

  private interface DayField {
    Predicate<LocalDate> parse(String part);
  }

  private static Predicate<LocalDate> anyOf(String field, DayField parser) {
    List<Predicate<LocalDate>> parts = new ArrayList<>();
    for (String part : field.split(",", -1)) {
      parts.add(parser.parse(part.equals("?") ? "*" : part.toUpperCase(Locale.ROOT)));
    }
    return date -> parts.stream().anyMatch(part -> part.test(date));
  }

  private static Predicate<LocalDate> dayOfMonth(String part) {
    if (part.equals("LW")) {
      return date -> date.equals(lastWeekday(date));
    }
    if (part.startsWith("L")) {
      int before = part.equals("L") ? 0 : number("day of month", part.replaceFirst("^L-", ""), 1, 30, List.of());
      return date -> date.getDayOfMonth() == date.lengthOfMonth() - before;
    }
    if (part.endsWith("W")) {
      int day = number("day of month", part.substring(0, part.length() - 1), 1, 31, List.of());
      return date -> isWeekdayNearest(date, day);
    }
    BitSet days = numbers("day of month", part, 1, 31, List.of());
    return date -> days.get(date.getDayOfMonth());
  }

  private static Predicate<LocalDate> dayOfWeek(String part) {
    int nth = part.indexOf('#');
    if (nth >= 0) {
      DayOfWeek day = weekday(part.substring(0, nth));
      int ordinal = number("day of week", part.substring(nth + 1), 1, 5, List.of());
      return date -> date.getDayOfWeek() == day && (date.getDayOfMonth() - 1) / 7 + 1 == ordinal;
    }
    if (part.endsWith("L")) {
      DayOfWeek day = weekday(part.substring(0, part.length() - 1));
      return date -> date.getDayOfWeek() == day && date.getDayOfMonth() + 7 > date.lengthOfMonth();
    }
    BitSet days = numbers("day of week", part, 0, SUNDAY, WEEKDAYS);
    return date -> days.get(date.getDayOfWeek().getValue()) || days.get(date.getDayOfWeek().getValue() % SUNDAY);
  }

  private static DayOfWeek weekday(String text) {
    int day = number("day of week", text, 0, SUNDAY, WEEKDAYS);
    return DayOfWeek.of(day == 0 ? SUNDAY : day);
  }

  private static LocalDate lastWeekday(LocalDate date) {
    LocalDate last = date.with(TemporalAdjusters.lastDayOfMonth());
    return switch (last.getDayOfWeek()) {
      case SATURDAY -> last.minusDays(1);
      case SUNDAY -> last.minusDays(2);
      case MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY -> last;
    };
  }

  /** The Friday before a Saturday and the Monday after a Sunday, but never in another month. */
  private static boolean isWeekdayNearest(LocalDate date, int day) {
    if (day > date.lengthOfMonth()) {
      return false;
    }
    LocalDate wanted = date.withDayOfMonth(day);
    IntUnaryOperator withinMonth = shifted -> shifted < 1
        ? shifted + 3
        : shifted > date.lengthOfMonth() ? shifted - 3 : shifted;
    int nearest = switch (wanted.getDayOfWeek()) {
      case SATURDAY -> withinMonth.applyAsInt(day - 1);
      case SUNDAY -> withinMonth.applyAsInt(day + 1);
      case MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY -> day;
    };
    return date.getDayOfMonth() == nearest;
  }

  private static BitSet numbers(String field, String list, int min, int max, List<String> names) {
    BitSet bits = new BitSet();
    for (String part : list.split(",", -1)) {
      String[] stepped = part.split("/", 2);
      // In "*" the week begins on Monday; 0 is only another name for Sunday.
      int from = max == SUNDAY ? 1 : min;
      int to = max;
      if (!stepped[0].equals("*")) {
        String[] range = stepped[0].split("-", 2);
        from = number(field, range[0], min, max, names);
        to = range.length == 2 ? number(field, range[1], min, max, names) : stepped.length == 2 ? max : from;
      }
      if (from == SUNDAY && max == SUNDAY && to != from) {
        from = 0;
      }
      if (from > to) {
        throw new IllegalArgumentException(field + " range '" + stepped[0] + "' is backwards");
      }
      int step = stepped.length == 2 ? number(field, stepped[1], 1, Integer.MAX_VALUE, List.of()) : 1;
      for (long bit = from; bit <= to; bit += step) {
        bits.set((int) bit);
      }
    }
    return bits;
  }

  private static int number(String field, String text, int min, int max, List<String> names) {
    int name = names.indexOf(text.toUpperCase(Locale.ROOT));
    if (name >= 0) {
      return name + 1;
    }
    if (!text.matches("\\d{1,9}") || Integer.parseInt(text) < min || Integer.parseInt(text) > max) {
      throw new IllegalArgumentException(field + " '" + text + "' must be "
          + (max == Integer.MAX_VALUE ? "a positive number" : "a number from " + min + " to " + max)
          + (names.isEmpty() ? "" : ", or " + names.getFirst() + " to " + names.getLast()));
    }
    return Integer.parseInt(text);
  }
}
