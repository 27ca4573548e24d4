package fleet.tower.audit.jsonl;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.CRC32C;

import fleet.tower.audit.AuditPages;
import fleet.tower.audit.AuditTrail;
import fleet.tower.audit.EventNames;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.KernelRandom;
import fleet.tower.platform.disk.OwnerOnly;
import fleet.tower.platform.disk.WrittenFile;

/**
 * The files of the log as pages. The id of the log is in {@code .log-id} next to them, created once, because hosts
 * are renamed and directories are mounted elsewhere.
 */
final class JsonlAuditPages implements AuditPages {
  private static final String ID = ".log-id";
  private static final int MAX_ENTRIES = 500;
  private static final int MAX_BYTES = 1 << 20;
  private static final int MAX_ACTOR_CHECKS = 1_000;

  private final DayFiles days;

  JsonlAuditPages(DayFiles days) {
    this.days = days;
  }

  @Override
  public String id() {
    Path file = days.directory().resolve(ID);
    try {
      if (!Files.exists(file)) {
        create(file);
      }
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw broken(file, e);
    }
  }

  /** Creates the id file atomically; the first process wins. */
  private void create(Path file) throws IOException {
    String id = "log_" + HexFormat.of().toHexDigits(new KernelRandom().nextLong())
        + HexFormat.of().toHexDigits(new KernelRandom().nextLong());
    Path draft = Files.createTempFile(days.directory(), ".log-id-", "", OwnerOnly.FILE);
    try {
      WrittenFile.write(draft, (id + "\n").getBytes(StandardCharsets.US_ASCII));
      Files.createLink(file, draft);
      OwnerOnly.sync(days.directory());
    } catch (FileAlreadyExistsException alreadyCreated) {
      // Another process created the id.
    } finally {
      Files.delete(draft);
    }
  }

  @Override
  public SortedMap<String, Long> sizes() {
    SortedMap<String, Long> sizes = new TreeMap<>();
    try {
      for (Path file : days.files()) {
        // The length is 0 if the file was just removed.
        sizes.put(file.getFileName().toString(), file.toFile().length());
      }
    } catch (IOException e) {
      throw broken(days.directory(), e);
    }
    return sizes;
  }

  @Override
  public Excerpt after(String page, PagePosition position) {
    Path file = days.directory().resolve(page);
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      boolean isSamePage = mark(in, position.offset()).equals(position.mark());
      return excerpt(in, isSamePage ? position.offset() : 0);
    } catch (FileNotFoundException e) {
      if (Files.exists(file)) {
        throw broken(file, e);
      }
      return new Excerpt(List.of(), position);
    } catch (IOException e) {
      throw broken(file, e);
    }
  }

  /**
   * Reads an excerpt. An event of the specification and its {@link AuditEvent.LockActor} are in one excerpt, because
   * they were one write. While that write is in progress, the second may be missing for a moment, so the read is
   * repeated and yields the processor. An event that is still alone lost the other in a crash.
   */
  @SuppressWarnings("ThreadPriorityCheck") // A hint on which no result depends.
  private static Excerpt excerpt(RandomAccessFile in, long from) throws IOException {
    long seen = in.length();
    Excerpt excerpt = read(in, from);
    for (int check = 0; check < MAX_ACTOR_CHECKS && mayLackActor(excerpt, in); check++) {
      Thread.yield();
      if (in.length() != seen) {
        seen = in.length();
        excerpt = read(in, from);
      }
    }
    return excerpt;
  }

  private static boolean mayLackActor(Excerpt excerpt, RandomAccessFile in) throws IOException {
    List<PositionedEntry> entries = excerpt.entries();
    // The predicate is called only if there is a complete line.
    return !entries.isEmpty() && EventNames.OF_SPECIFICATION.contains(entries.getLast().entry().event())
        && Tail.forEachLine(in, excerpt.end().offset(), _ -> false);
  }

  /**
   * Reads a batch. Incomplete lines and lines that are not events are skipped; the former are read again once
   * complete.
   */
  private static Excerpt read(RandomAccessFile in, long from) throws IOException {
    List<PositionedEntry> entries = new ArrayList<>();
    long[] position = {from};
    Tail.forEachLine(in, from, line -> {
      Optional<AuditTrail.Entry> parsed = AuditLines.parse(line.toString(StandardCharsets.UTF_8));
      boolean isFull = entries.size() >= MAX_ENTRIES || position[0] - from >= MAX_BYTES;
      if (isFull && parsed.filter(entry -> entry.event().equals(EventNames.LOCK_ACTOR)).isEmpty()) {
        return false;
      }
      parsed.ifPresent(entry -> entries.add(new PositionedEntry(position[0], entry)));
      position[0] += line.size() + 1;
      return true;
    });
    return new Excerpt(entries, new PagePosition(position[0], mark(in, position[0])));
  }

  /** The checksum of the bytes before a position; empty at the start, and never equal to a checksum beyond the end. */
  private static String mark(RandomAccessFile in, long position) throws IOException {
    if (position == 0) {
      return "";
    }
    if (position > in.length()) {
      return "beyond";
    }
    CRC32C sum = new CRC32C();
    sum.update(Tail.bytesBefore(in, position));
    return HexFormat.of().toHexDigits((int) sum.getValue());
  }

  private static UncheckedIOException broken(Path file, IOException e) {
    return new UncheckedIOException("the audit log's " + file + " cannot be read: " + Errno.describe(e), e);
  }
}
