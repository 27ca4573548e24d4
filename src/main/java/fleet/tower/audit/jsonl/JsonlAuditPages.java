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

import fleet.tower.audit.AuditEntry;
import fleet.tower.audit.AuditPages;
import fleet.tower.audit.EventNames;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.KernelRandom;
import fleet.tower.platform.disk.OwnerOnly;

/** The log's files as pages. Its name stands beside them in {@code .log-id}, made once: a host may be renamed, and a directory be mounted elsewhere. */
final class JsonlAuditPages implements AuditPages {
  private static final String ID = ".log-id";
  private static final int MOST_ENTRIES = 500;
  private static final int MOST_BYTES = 1 << 20;
  private static final int LOOKS_FOR_AN_ACTOR = 1_000;

  private final DayFiles days;

  JsonlAuditPages(DayFiles days) {
    this.days = days;
  }

  @Override
  public String id() {
    Path file = days.directory().resolve(ID);
    try {
      if (!Files.exists(file)) {
        make(file);
      }
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw broken(file, e);
    }
  }

  /** Whole or not at all, and whoever is first makes it for all. */
  private void make(Path file) throws IOException {
    String id = "log_" + HexFormat.of().toHexDigits(new KernelRandom().nextLong())
        + HexFormat.of().toHexDigits(new KernelRandom().nextLong());
    Path draft = Files.createTempFile(days.directory(), ".log-id-", "", OwnerOnly.FILE);
    try {
      Files.writeString(draft, id + "\n");
      try (RandomAccessFile written = new RandomAccessFile(draft.toFile(), "rw")) {
        written.getFD().sync();
      }
      Files.createLink(file, draft);
      OwnerOnly.sync(days.directory());
    } catch (FileAlreadyExistsException somebodyWasFirst) {
      // It has a name.
    } finally {
      Files.delete(draft);
    }
  }

  @Override
  public SortedMap<String, Long> sizes() {
    SortedMap<String, Long> sizes = new TreeMap<>();
    try {
      for (Path file : days.files()) {
        // None where it was removed just now.
        sizes.put(file.getFileName().toString(), file.toFile().length());
      }
    } catch (IOException e) {
      throw broken(days.directory(), e);
    }
    return sizes;
  }

  @Override
  public Excerpt behind(String page, PagePlace place) {
    Path file = days.directory().resolve(page);
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      boolean isTheSame = mark(in, place.position()).equals(place.mark());
      return excerpt(in, isTheSame ? place.position() : 0);
    } catch (FileNotFoundException e) {
      if (Files.exists(file)) {
        throw broken(file, e);
      }
      return new Excerpt(List.of(), place);
    } catch (IOException e) {
      throw broken(file, e);
    }
  }

  /**
   * An event of the specification and the one that says who caused it are in one excerpt, because they were one write. While the
   * writer is about it the second may not be there for a moment; hence the further looks, which leave it the processor. What is
   * alone then has lost the other in a crash, or is of an older release.
   */
  @SuppressWarnings("ThreadPriorityCheck") // A hint, on which nothing depends.
  private static Excerpt excerpt(RandomAccessFile in, long from) throws IOException {
    long seen = in.length();
    Excerpt excerpt = read(in, from);
    for (int look = 0; look < LOOKS_FOR_AN_ACTOR && mayLackActor(excerpt, in); look++) {
      Thread.yield();
      if (in.length() != seen) {
        seen = in.length();
        excerpt = read(in, from);
      }
    }
    return excerpt;
  }

  private static boolean mayLackActor(Excerpt excerpt, RandomAccessFile in) throws IOException {
    List<PlacedEntry> entries = excerpt.entries();
    // Whoever wants none is called only if there is a whole line.
    return !entries.isEmpty() && EventNames.OF_SPECIFICATION.contains(entries.getLast().entry().event())
        && Tail.forEachLine(in, excerpt.end().position(), _ -> false);
  }

  /** What is half there, or no event, is passed over; the first comes again when it is whole. */
  private static Excerpt read(RandomAccessFile in, long from) throws IOException {
    List<PlacedEntry> entries = new ArrayList<>();
    long[] position = {from};
    Tail.forEachLine(in, from, line -> {
      Optional<AuditEntry> parsed = AuditLines.parse(line.toString(StandardCharsets.UTF_8));
      boolean isFull = entries.size() >= MOST_ENTRIES || position[0] - from >= MOST_BYTES;
      if (isFull && parsed.filter(entry -> entry.event().equals(EventNames.LOCK_ACTOR)).isEmpty()) {
        return false;
      }
      parsed.ifPresent(entry -> entries.add(new PlacedEntry(position[0], entry)));
      position[0] += line.size() + 1;
      return true;
    });
    return new Excerpt(entries, new PagePlace(position[0], mark(in, position[0])));
  }

  /** Empty at the beginning of a page; of no place in a page that is shorter. */
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
