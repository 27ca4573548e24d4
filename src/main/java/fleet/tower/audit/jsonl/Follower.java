package fleet.tower.audit.jsonl;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiFunction;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEntry;
import fleet.tower.audit.AuditQuery;
import fleet.tower.audit.AuditTrail;

/**
 * One reader's way through the log. It remembers how far it has read each file, so a new day is one more file, and a line that
 * comes late to yesterday's is seen too; a line is taken when its end is there. The newest files are kept open, so that what
 * was written to one before it was moved away is not lost.
 */
final class Follower implements AutoCloseable {
  private final DayFiles days;
  private final AuditQuery query;
  private final BiFunction<Path, String, Optional<AuditEntry>> parser;
  private final SortedMap<Path, Tail> tails = new TreeMap<>();

  Follower(DayFiles days, AuditQuery query, BiFunction<Path, String, Optional<AuditEntry>> parser) {
    this.days = days;
    this.query = query;
    this.parser = parser;
  }

  /** Goes to where an earlier one was; without, to the end, or with a time that is asked for to the beginning. */
  void begin(@Nullable Place place) throws IOException {
    if (place == null && query.since() != null) {
      return;
    }
    for (Path file : files()) {
      tails.put(file, place == null || place.isBehind(file)
          ? Tail.atEnd(file)
          : Tail.at(file, place.positionIn(file)));
    }
  }

  String place() {
    return Place.of(tails).toString();
  }

  /** Hands over what has come to any file; false as soon as the reader has enough. */
  boolean readOn(AuditTrail.Reader reader) throws IOException {
    for (Path file : files()) {
      tails.putIfAbsent(file, Tail.atStart(file));
    }
    int newest = tails.size() - Place.MOST_DAYS;
    int number = 0;
    for (var entry : tails.entrySet()) {
      Path file = entry.getKey();
      if (!entry.getValue().readOn(line -> offer(file, line, reader))) {
        return false;
      }
      if (number++ < newest) {
        entry.getValue().close();
      }
    }
    return true;
  }

  @Override
  public void close() throws IOException {
    for (Tail tail : tails.values()) {
      tail.close();
    }
  }

  private boolean offer(Path file, String line, AuditTrail.Reader reader) {
    return parser.apply(file, line).filter(query::matches).map(entry -> reader.take(entry, place())).orElse(true);
  }

  private List<Path> files() throws IOException {
    Instant since = query.since();
    return since == null ? days.files() : days.since(since);
  }
}
