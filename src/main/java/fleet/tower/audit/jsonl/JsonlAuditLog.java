package fleet.tower.audit.jsonl;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
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

  private static boolean endsInMidLine(Path file) throws IOException {
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      long length = in.length();
      if (length == 0) {
        return false;
      }
      in.seek(length - 1);
      return in.read() != '\n';
    }
  }

  private void syncDirectory() throws IOException {
    try (FileChannel channel = FileChannel.open(days.directory(), StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
