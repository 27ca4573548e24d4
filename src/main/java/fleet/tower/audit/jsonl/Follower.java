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

import fleet.tower.audit.AuditTrail;

/**
 * The progress of one reader through the log. It stores the position in each file, so a new day is one more file, and
 * a late line in yesterday's file is found; a line is read once it is complete. The newest files stay open, so that
 * lines written before a file was moved away are not lost.
 */
final class Follower implements AutoCloseable {
  private final DayFiles days;
  private final AuditTrail.Query query;
  private final BiFunction<Path, String, Optional<AuditTrail.Entry>> parser;
  private final SortedMap<Path, Tail> tails = new TreeMap<>();

  Follower(DayFiles days, AuditTrail.Query query, BiFunction<Path, String, Optional<AuditTrail.Entry>> parser) {
    this.days = days;
    this.query = query;
    this.parser = parser;
  }

  /**
   * Moves to the position of an earlier follower; without one, to the end, or to the start if the query has a start
   * time.
   */
  void begin(@Nullable LogPosition place) throws IOException {
    if (place == null && query.since() != null) {
      return;
    }
    for (Path file : files()) {
      tails.put(file, place == null || place.isAfter(file)
          ? Tail.atEnd(file)
          : Tail.at(file, place.positionIn(file)));
    }
  }

  String place() {
    return LogPosition.of(tails).toString();
  }

  /** Passes new lines of all files to the reader; false as soon as the reader has enough. */
  boolean readNew(AuditTrail.Reader reader) throws IOException {
    for (Path file : files()) {
      tails.putIfAbsent(file, Tail.atStart(file));
    }
    int newest = tails.size() - LogPosition.MAX_DAYS;
    int number = 0;
    for (var entry : tails.entrySet()) {
      Path file = entry.getKey();
      if (!entry.getValue().readNew(line -> offer(file, line, reader))) {
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
