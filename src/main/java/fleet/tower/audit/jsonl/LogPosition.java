package fleet.tower.audit.jsonl;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A reader's position in the log as a text that outlives the reader: the newest files by day, each with the offset
 * after the last line read. It contains two files, because a line of yesterday may be written after today's first.
 */
record LogPosition(SortedMap<String, Long> days) {
  static final int MAX_DAYS = 2;
  private static final String BEFORE_ALL = "-";
  private static final Pattern TEXT = Pattern.compile("-|(?:\\d{4}-\\d{2}-\\d{2}:\\d{1,18},?){1,2}");

  /** Parses a position; empty if the text is not one. */
  static Optional<LogPosition> of(String text) {
    if (!TEXT.matcher(text).matches()) {
      return Optional.empty();
    }
    SortedMap<String, Long> days = new TreeMap<>();
    if (!text.equals(BEFORE_ALL)) {
      for (String day : text.split(",", -1)) {
        int colon = day.indexOf(':');
        if (colon > 0) {
          days.put(day.substring(0, colon), Long.parseLong(day.substring(colon + 1)));
        }
      }
    }
    return Optional.of(new LogPosition(days));
  }

  /** Whether a file is older than all files in this position, so that it was read completely. */
  boolean isAfter(Path file) {
    return !days.isEmpty() && DayFiles.dayOf(file).compareTo(days.firstKey()) < 0;
  }

  /** The offset up to which a file was read. */
  long positionIn(Path file) {
    return days.getOrDefault(DayFiles.dayOf(file), 0L);
  }

  /** The position in the newest of some files. */
  static LogPosition of(SortedMap<Path, Tail> tails) {
    SortedMap<String, Long> days = new TreeMap<>();
    tails.reversed().entrySet().stream().limit(MAX_DAYS)
        .forEach(it -> days.put(DayFiles.dayOf(it.getKey()), it.getValue().position()));
    return new LogPosition(days);
  }

  @Override
  public String toString() {
    return days.isEmpty()
        ? BEFORE_ALL
        : days.entrySet().stream().map(Map.Entry::toString).collect(Collectors.joining(",")).replace('=', ':');
  }
}
