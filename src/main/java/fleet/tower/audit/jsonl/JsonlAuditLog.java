package fleet.tower.audit.jsonl;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.function.Consumer;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;

/**
 * Appends each event by one write to the file of its day, so that lines of many processes never mix. A line that a crash
 * or a full disk has torn is ended before the next one. Streams are used rather than channels: an interrupt would close those.
 */
final class JsonlAuditLog implements AuditLog {
  private static final FileAttribute<?> OWNER_ONLY_FILE = PosixFilePermissions
      .asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final FileAttribute<?> OWNER_ONLY_DIRECTORY = PosixFilePermissions
      .asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private static final int LOOKS_AT_A_TORN_LINE = 100;

  private final DayFiles days;
  private final Consumer<String> warnings;

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
      warnings.accept("audit event lost, " + file + " cannot be written (" + Reason.of(e) + "): " + line);
    }
  }

  private void append(Path file, String line, boolean durable) throws IOException {
    boolean isNew = makeIfAbsent(file);
    String whole = (endsInMidLine(file) ? "\n" : "") + line + "\n";
    try (FileOutputStream out = new FileOutputStream(file.toFile(), true)) {
      out.write(whole.getBytes(StandardCharsets.UTF_8));
      if (durable) {
        out.getFD().sync();
      }
    }
    if (isNew) {
      syncDirectory();
    }
  }

  private boolean makeIfAbsent(Path file) throws IOException {
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    Files.createDirectories(days.directory(), OWNER_ONLY_DIRECTORY);
    try {
      Files.createFile(file, OWNER_ONLY_FILE);
      return true;
    } catch (FileAlreadyExistsException somebodyElseDid) {
      return false;
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

  /** Only a channel syncs a directory, and an interrupt would close it; so the interrupt is kept for afterwards. */
  private void syncDirectory() throws IOException {
    boolean interrupted = Thread.interrupted();
    try {
      while (!isDirectorySynced()) {
        interrupted |= Thread.interrupted();
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private boolean isDirectorySynced() throws IOException {
    try (FileChannel channel = FileChannel.open(days.directory(), StandardOpenOption.READ)) {
      channel.force(true);
      return true;
    } catch (ClosedByInterruptException again) {
      return false;
    }
  }
}
