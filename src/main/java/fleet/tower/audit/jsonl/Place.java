package fleet.tower.audit.jsonl;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * How far somebody has read the log, as a text that outlives him: the newest files by their days, each with the byte behind
 * the last line. There are two of them, because a line that belongs to yesterday may come after today's first.
 */
record Place(SortedMap<String, Long> days) {
  static final int MOST_DAYS = 2;
  private static final String BEFORE_ALL = "-";
  private static final Pattern TEXT = Pattern.compile("-|(?:\\d{4}-\\d{2}-\\d{2}:\\d{1,18},?){1,2}");

  /** The place that a text says; nothing where it is none of ours. */
  static Optional<Place> of(String text) {
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
    return Optional.of(new Place(days));
  }

  /** Whether a file is older than all that the place tells of, so that all of it had been read. */
  boolean isBehind(Path file) {
    return !days.isEmpty() && DayFiles.dayOf(file).compareTo(days.firstKey()) < 0;
  }

  /** Up to where a file had been read. */
  long positionIn(Path file) {
    return days.getOrDefault(DayFiles.dayOf(file), 0L);
  }

  /** How far the newest of some files have been read. */
  static Place of(SortedMap<Path, Tail> tails) {
    SortedMap<String, Long> days = new TreeMap<>();
    tails.reversed().entrySet().stream().limit(MOST_DAYS)
        .forEach(it -> days.put(DayFiles.dayOf(it.getKey()), it.getValue().position()));
    return new Place(days);
  }

  @Override
  public String toString() {
    return days.isEmpty()
        ? BEFORE_ALL
        : days.entrySet().stream().map(Map.Entry::toString).collect(Collectors.joining(",")).replace('=', ':');
  }
}
