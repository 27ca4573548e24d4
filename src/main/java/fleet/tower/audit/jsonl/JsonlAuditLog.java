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
 * Appends events that belong together in one write to the file of their day, so that lines of many processes never
 * mix. A line torn by a crash or a full disk is ended before the next one. Streams are used instead of channels,
 * because an interrupt closes channels.
 */
final class JsonlAuditLog implements AuditLog {

  private static final int MAX_TORN_LINE_CHECKS = 1_000;

  private final DayFiles days;
  private final Consumer<String> warnings;
  private volatile @Nullable Day day;

  JsonlAuditLog(DayFiles days, Consumer<String> warnings) {
    this.days = days;
    this.warnings = warnings;
  }

  /** The current file, and the sync of its events. */
  private static final class Day {
    private final Path file;
    private final Path directory;
    private final SharedSync sync;
    /**
     * Whether this process has synced the directory; another process may have created the file without syncing its
     * name.
     */
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
      // Earlier lost events were reported when they were lost.
      events.stream().filter(event -> !(event instanceof AuditEvent.AuditEventsLost))
          .forEach(event -> warnings.accept("audit event lost, " + problem + AuditLines.of(event)));
      return false;
    }
  }

  private void append(Path file, List<String> lines, boolean durable) throws IOException {
    createIfAbsent(file);
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

  private void createIfAbsent(Path file) throws IOException {
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    OwnerOnly.makeDirectories(days.directory());
    try {
      Files.createFile(file, OwnerOnly.FILE);
    } catch (FileAlreadyExistsException alreadyCreated) {
      // Another process created it.
    }
  }

  /**
   * Whether the file ends in a torn line. While another process is writing, that may seem so for a moment, so the
   * check is repeated and yields the processor. A wrong result only adds an empty line, which readers skip.
   */
  @SuppressWarnings("ThreadPriorityCheck") // A hint on which no result depends.
  private static boolean endsInMidLine(Path file) throws IOException {
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      for (int check = 0; check < MAX_TORN_LINE_CHECKS; check++) {
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
