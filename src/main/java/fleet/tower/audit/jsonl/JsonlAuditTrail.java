package fleet.tower.audit.jsonl;

import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;

import fleet.tower.audit.AuditEntry;
import fleet.tower.audit.AuditQuery;
import fleet.tower.audit.AuditTrail;
import fleet.tower.disk.Errno;
import fleet.tower.time.Scheduler;

/**
 * Reads the log. A follower remembers how far it has read each file, so a new day is one more file, and a line that comes
 * late to yesterday's is seen too; a line is taken when its end is there.
 */
final class JsonlAuditTrail implements AuditTrail {
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(100);

  private final DayFiles days;
  private final Scheduler scheduler;

  JsonlAuditTrail(DayFiles days, Scheduler scheduler) {
    this.days = days;
    this.scheduler = scheduler;
  }

  @Override
  public void read(AuditQuery query, Consumer<AuditEntry> reader) {
    try {
      for (Path file : files(query)) {
        readFrom(file, 0, line -> {
          entry(query, line, reader);
          return true;
        });
      }
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  @Override
  public void follow(AuditQuery query, Reader reader) {
    try {
      Map<Path, Long> positions = query.since() == null ? ends() : new HashMap<>();
      while (reader.wantsMore()) {
        if (!readOn(query, positions, reader)) {
          return;
        }
        scheduler.pause(BETWEEN_LOOKS);
      }
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** Where the last whole line of each file ends: a line that is half there will be new when it is whole. */
  private Map<Path, Long> ends() throws IOException {
    Map<Path, Long> positions = new HashMap<>();
    for (Path file : days.all()) {
      positions.put(file, readFrom(file, 0, _ -> true));
    }
    return positions;
  }

  /** Hands over what has come to any file; false as soon as the reader has enough. */
  private boolean readOn(AuditQuery query, Map<Path, Long> positions, Reader reader) throws IOException {
    boolean[] wanted = {true};
    List<Path> files = files(query);
    positions.keySet().retainAll(files);
    for (Path file : files) {
      long from = positions.getOrDefault(file, 0L);
      positions.put(file, readFrom(file, from <= sizeOf(file) ? from : 0, line -> {
        wanted[0] = offer(query, line, reader);
        return wanted[0];
      }));
      if (!wanted[0]) {
        return false;
      }
    }
    return true;
  }

  private UncheckedIOException unreadable(IOException e) {
    return new UncheckedIOException("the audit log in " + days.directory() + " cannot be read: " + Errno.describe(e),
        e);
  }

  private List<Path> files(AuditQuery query) throws IOException {
    Instant since = query.since();
    return since == null ? days.all() : days.since(since);
  }

  private static void entry(AuditQuery query, String line, Consumer<AuditEntry> reader) {
    AuditLines.parse(line).filter(query::matches).ifPresent(reader);
  }

  private static boolean offer(AuditQuery query, String line, Reader reader) {
    return AuditLines.parse(line).filter(query::matches).map(reader::take).orElse(true);
  }

  private static long sizeOf(Path file) throws IOException {
    try {
      return Files.size(file);
    } catch (NoSuchFileException removedMeanwhile) {
      return 0;
    }
  }

  /** Hands over the whole lines from a position on, while they are wanted; returns the position behind the last of them. */
  private static long readFrom(Path file, long position, Predicate<String> reader) throws IOException {
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      in.seek(position);
      byte[] buffer = new byte[64 * 1024];
      ByteArrayOutputStream line = new ByteArrayOutputStream();
      long behind = position;
      for (int length = in.read(buffer); length > 0; length = in.read(buffer)) {
        for (int i = 0; i < length; i++) {
          if (buffer[i] != '\n') {
            line.write(buffer[i]);
            continue;
          }
          behind += line.size() + 1;
          boolean more = reader.test(line.toString(StandardCharsets.UTF_8));
          line.reset();
          if (!more) {
            return behind;
          }
        }
      }
      return behind;
    } catch (FileNotFoundException e) {
      if (Files.exists(file)) {
        throw e;
      }
      return 0;
    }
  }
}
