package fleet.tower.audit.jsonl;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditTrail;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.list.Cursor;
import fleet.tower.platform.list.Page;
import fleet.tower.platform.list.Page.Placed;

/** Reads the log day by day. Invalid lines are skipped; the first one in each file is reported. */
final class JsonlAuditTrail implements AuditTrail {
  private final DayFiles days;
  private final Supplier<Changes> changes;
  private final Consumer<String> warnings;
  private final Set<Path> reported = ConcurrentHashMap.newKeySet();

  JsonlAuditTrail(DayFiles days, Supplier<Changes> changes, Consumer<String> warnings) {
    this.days = days;
    this.changes = changes;
    this.warnings = warnings;
  }

  @Override
  public void read(AuditTrail.Query query, Consumer<AuditTrail.Entry> reader) {
    try {
      for (Path file : files(query)) {
        read(file, query, reader);
      }
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  @Override
  public void readBack(AuditTrail.Query query, Page page, Predicate<Placed<AuditTrail.Entry>> reader) {
    Cursor after = page.after();
    if (after != null && !DayFiles.isDay(after.key(0))) {
      throw Cursor.invalid();
    }
    boolean[] isWanted = {true};
    try {
      for (Path file : files(query).reversed()) {
        int age = after == null ? -1 : DayFiles.dayOf(file).compareTo(after.key(0));
        if (age <= 0 && isWanted[0]) {
          isWanted[0] = readBack(file, age == 0 && after != null ? after : null, query, reader);
        }
      }
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** @param after the place of a line in the file; null for the end of the file */
  private boolean readBack(Path file, @Nullable Cursor after, AuditTrail.Query query,
      Predicate<Placed<AuditTrail.Entry>> reader) throws IOException {
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      long end = after == null ? Tail.endOfLastLine(in) : after.number(1);
      if (!Tail.isEndOfLine(in, end)) {
        throw Cursor.invalid();
      }
      return BackwardLines.forEach(in, end, (line, start) -> entry(file, line).filter(query::matches)
          .map(entry -> reader.test(new Placed<>(entry, Cursor.of(DayFiles.dayOf(file), start)))).orElse(true));
    } catch (FileNotFoundException e) {
      if (Files.exists(file)) {
        throw e;
      }
      return true;
    }
  }

  @Override
  public void follow(AuditTrail.Query query, @Nullable String place, Reader reader) {
    try (Changes watched = changes.get(); Follower follower = new Follower(days, query, this::entry)) {
      follower.begin(place == null ? null : LogPosition.of(place).orElse(null));
      reader.begin(follower.place());
      while (reader.wantsMore() && follower.readNew(reader)) {
        watched.await();
      }
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private void read(Path file, AuditTrail.Query query, Consumer<AuditTrail.Entry> reader) throws IOException {
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      Tail.forEachLine(in, 0, line -> {
        entry(file, line.toString(StandardCharsets.UTF_8)).filter(query::matches).ifPresent(reader);
        return true;
      });
    } catch (FileNotFoundException e) {
      if (Files.exists(file)) {
        throw e;
      }
    }
  }

  private Optional<AuditTrail.Entry> entry(Path file, String line) {
    Optional<AuditTrail.Entry> entry = AuditLines.parse(line);
    if (entry.isEmpty() && !line.isBlank() && reported.add(file)) {
      warnings.accept(file + " has a line that is not an event; it is skipped: "
          + (line.length() > 80 ? line.substring(0, 80) + "…" : line));
    }
    return entry;
  }

  private List<Path> files(AuditTrail.Query query) throws IOException {
    Instant since = query.since();
    return since == null ? days.files() : days.since(since);
  }

  private UncheckedIOException unreadable(IOException e) {
    return new UncheckedIOException("the audit log in " + days.directory() + " cannot be read: " + Errno.describe(e),
        e);
  }

  /** Signals a follower that the log may have changed. */
  interface Changes extends AutoCloseable {

    /** Waits until the files may have changed since the last call; sometimes returns without a change. */
    void await();

    @Override
    default void close() {
      // Nothing to release by default.
    }
  }
}
