package fleet.tower.audit.jsonl;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.disk.Errno;
import fleet.tower.disk.OwnerOnly;

/**
 * Appends each event by one write to the file of its day, so that lines of many processes never mix. A line that a crash
 * or a full disk has torn is ended before the next one. Streams are used rather than channels: an interrupt would close those.
 */
final class JsonlAuditLog implements AuditLog {

  private static final int LOOKS_AT_A_TORN_LINE = 100;

  private final DayFiles days;
  private final Consumer<String> warnings;
  /** The file whose name is known to be on the disk; somebody else may have made it and not waited for that. */
  private volatile @Nullable Path named;

  JsonlAuditLog(DayFiles days, Consumer<String> warnings) {
    this.days = days;
    this.warnings = warnings;
  }

  @Override
  public void append(AuditEvent event) {
    String line = AuditLines.of(event);
    Path file = days.of(event.timestamp());
    try {
      append(file, line, event.isDurable());
    } catch (IOException e) {
      warnings.accept("audit event lost, " + file + " cannot be written (" + Errno.describe(e) + "): " + line);
    }
  }

  private void append(Path file, String line, boolean durable) throws IOException {
    makeIfAbsent(file);
    String whole = (endsInMidLine(file) ? "\n" : "") + line + "\n";
    try (FileOutputStream out = new FileOutputStream(file.toFile(), true)) {
      out.write(whole.getBytes(StandardCharsets.UTF_8));
      if (durable) {
        out.getFD().sync();
      }
    }
    if (durable && !file.equals(named)) {
      OwnerOnly.sync(days.directory());
      named = file;
    }
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
   * the further looks. Who is deceived all the same leaves an empty line, which readers skip.
   */
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
        Thread.onSpinWait();
      }
      return true;
    }
  }
}
