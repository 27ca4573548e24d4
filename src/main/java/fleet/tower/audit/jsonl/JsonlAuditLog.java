package fleet.tower.audit.jsonl;

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.OwnerOnly;
import fleet.tower.platform.disk.SharedSync;

/**
 * Appends the events that belong together by one write to the file of their day, so that lines of many processes never mix. A line that a crash
 * or a full disk has torn is ended before the next one. Streams are used rather than channels: an interrupt would close those.
 */
final class JsonlAuditLog implements AuditLog {

  private static final int LOOKS_AT_A_TORN_LINE = 1_000;

  private final DayFiles days;
  private final Consumer<String> warnings;
  private volatile @Nullable Day day;

  JsonlAuditLog(DayFiles days, Consumer<String> warnings) {
    this.days = days;
    this.warnings = warnings;
  }

  /** The file of a day that events go to now, and how they are brought to the disk. */
  private static final class Day {
    private final Path file;
    private final Path directory;
    private final SharedSync sync;
    /** Somebody else may have made the file and not waited until its name was on the disk. */
    private volatile boolean named;

    Day(Path file, Path directory) {
      this.file = file;
      this.directory = directory;
      this.sync = new SharedSync(this::sync);
    }

    private void sync() throws IOException {
      try (FileInputStream in = new FileInputStream(file.toFile())) {
        in.getFD().sync();
      }
      if (!named) {
        OwnerOnly.sync(directory);
        named = true;
      }
    }
  }

  @Override
  public boolean write(List<AuditEvent> events) {
    List<String> lines = events.stream().map(AuditLines::of).toList();
    Path file = days.of(events.getFirst().timestamp());
    try {
      append(file, lines, events.stream().anyMatch(AuditEvent::isDurable));
      return true;
    } catch (IOException e) {
      String problem = file + " cannot be written (" + Errno.describe(e) + "): ";
      // That earlier ones were lost was reported when they were.
      events.stream().filter(event -> !(event instanceof AuditEvent.AuditEventsLost))
          .forEach(event -> warnings.accept("audit event lost, " + problem + AuditLines.of(event)));
      return false;
    }
  }

  private void append(Path file, List<String> lines, boolean durable) throws IOException {
    makeIfAbsent(file);
    String whole = (endsInMidLine(file) ? "\n" : "") + String.join("\n", lines) + "\n";
    try (FileOutputStream out = new FileOutputStream(file.toFile(), true)) {
      out.write(whole.getBytes(StandardCharsets.UTF_8));
    }
    if (durable) {
      dayOf(file).sync.await();
    }
  }

  private Day dayOf(Path file) {
    Day current = day;
    if (current == null || !current.file.equals(file)) {
      current = new Day(file, days.directory());
      day = current;
    }
    return current;
  }

  private void makeIfAbsent(Path file) throws IOException {
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    OwnerOnly.makeDirectories(days.directory());
    try {
      Files.createFile(file, OwnerOnly.FILE);
    } catch (FileAlreadyExistsException somebodyElseDid) {
      // It is there.
    }
  }

  /**
   * Whether a torn line stands at the end. While another process is about its own line that may seem so for a moment; hence
   * the further looks, which leave it the processor. Who is deceived all the same leaves an empty line, which readers skip.
   */
  @SuppressWarnings("ThreadPriorityCheck") // A hint, on which nothing depends: the other is quicker where it may run.
  private static boolean endsInMidLine(Path file) throws IOException {
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      for (int look = 0; look < LOOKS_AT_A_TORN_LINE; look++) {
        long length = in.length();
        if (length == 0) {
          return false;
        }
        in.seek(length - 1);
        if (in.read() == '\n') {
          return false;
        }
        Thread.yield();
      }
      return true;
    }
  }
}
