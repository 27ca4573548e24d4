package fleet.tower.platform.disk;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.SyncGroup;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;

/**
 * The changes of some files, in order, in one file that is synced instead of each of them. It is read only after a
 * power cut, which loses what was written to those files; a process that dies loses nothing.
 *
 * <p>All processes append to the file {@code .journal}. Its first record is a header with the boot and the device that
 * it belongs to. It is replaced by a new one on another boot, when it is too long, and after an error:
 *
 * <ol>
 * <li>{@link #begin} gives the file a second name, {@code .journal.old}, and renames a new one over the first.
 * <li>Its caller appends the present state of everything to the new one.
 * <li>{@link #finish} removes the old one. Until then, a restore reads both, the old one first.
 * </ol>
 *
 * <p>A process that appends to a file compares it with the name afterwards, and appends to the new one too if it has
 * been replaced. So a record is in the new file, or it was in the old one before the new one began, and the state that
 * is appended in step 2 includes its change, provided that a change and its record are made under one guard and that
 * the state is read under the same guard.
 */
public final class Journal implements AutoCloseable {
  /** The file to append to. */
  public static final String CURRENT = ".journal";
  /** The file before it, while its content is carried over. */
  public static final String PREVIOUS = ".journal.old";
  /** The size at which a journal is replaced, unless it has to carry over more than a quarter of that. */
  public static final long LIMIT = 16L << 20;
  private static final String TEMP = ".tmp-journal.new";
  private static final int VERSION = 1;
  private static final int HEADER_BYTES = 512;
  private static final int CARRIED_TO_LIMIT = 4;

  private final JournalDirectory directory;
  private final long limit;
  private volatile @Nullable Opened current;
  private volatile @Nullable Opened worn;
  private volatile boolean isMissing;

  /** @param limit the size in bytes at which it is replaced */
  public Journal(JournalDirectory directory, long limit) {
    this.directory = directory;
    this.limit = limit;
  }

  /** A record that was appended; records of the same file are equal. */
  public interface Entry extends SyncGroup.Sync {
    /** Returns when the record is on disk. All threads that wait for records of one file share one sync. */
    @Override
    void sync() throws IOException;
  }

  /**
   * The current file, opened. The kernel reports an error of a sync once for each time that a file was opened, and then
   * treats what it could not write as written. So after an error, none of the records that were appended through it
   * counts as being on disk, and it is not used again.
   */
  private final class Opened implements Entry {
    private final JournalDirectory.Log log;
    private final long limit;
    private final SharedSync synced = new SharedSync(this::force, SyncGroup::gather);
    private volatile @Nullable IOException broken;

    Opened(JournalDirectory.Log log, long limit) {
      this.log = log;
      this.limit = limit;
    }

    void append(byte[] line) throws IOException {
      boolean isComplete = false;
      try {
        isComplete = log.append(line) <= limit;
      } finally {
        if (!isComplete) {
          worn = this;
        }
      }
    }

    @Override
    public void sync() throws IOException {
      synced.await();
    }

    private void force() throws IOException {
      IOException earlier = broken;
      if (earlier != null) {
        throw new IOException(earlier.getMessage(), earlier);
      }
      try {
        log.sync();
      } catch (IOException e) {
        broken = e;
        worn = this;
        forget(this);
        throw e;
      }
    }
  }

  /** Appends a record, one line of JSON. */
  public Entry append(String record) throws IOException {
    byte[] line = JournalLine.of(record);
    for (;;) {
      Opened open = opened();
      open.append(line);
      if (directory.leadsTo(CURRENT, open.log)) {
        return open;
      }
      forget(open);
    }
  }

  private synchronized Opened opened() throws IOException {
    Opened open = current;
    if (open == null) {
      JournalDirectory.Log log;
      try {
        log = directory.open(CURRENT);
      } catch (NoSuchFileException e) {
        isMissing = true;
        throw e;
      }
      if (isUnfinished()) {
        // The name of the new file may not be on disk yet.
        directory.sync();
      }
      JsonObject header = header();
      open = new Opened(log, header == null ? limit : header.integer("limit").orElse(limit));
      current = open;
    }
    return open;
  }

  private synchronized void forget(Opened unused) {
    if (unused.equals(current)) {
      current = null;
    }
  }

  /** Whether the journal of this boot and device has begun, that is, what earlier ones left is restored. */
  public boolean isBegun() throws IOException {
    JsonObject header = header();
    String origin = header == null ? null : directory.origin();
    return header != null && origin != null && header.text("origin").filter(origin::equals).isPresent();
  }

  /** Whether there is a journal, and another boot's; usually one read. */
  public boolean isOfEarlierBoot() throws IOException {
    return !isBegun() && (directory.has(CURRENT) || directory.has(PREVIOUS));
  }

  /** Whether an earlier journal is still to be carried over. */
  public boolean isUnfinished() throws IOException {
    return directory.has(PREVIOUS);
  }

  /** Whether the file should be replaced, as far as this process knows; costs no system call. */
  public boolean isWorn() {
    return isMissing || worn != null;
  }

  /** The same, after checking whether another process has replaced it. */
  public boolean isStillWorn() throws IOException {
    Opened known = worn;
    if (known != null && !directory.leadsTo(CURRENT, known.log)) {
      worn = null;
    }
    isMissing = !directory.has(CURRENT);
    return isWorn();
  }

  /**
   * Begins a new file, whose name is on disk after the next sync of the directory; until {@link #finish}, every process
   * that opens it does that. The caller has exclusive use of the journal, apart from appends.
   *
   * @param carried the size of what will be carried over, roughly
   */
  public void begin(long carried) throws IOException {
    String header = JsonWriter.line().put("journal", VERSION).put("origin", directory.origin())
        .put("limit", Math.max(limit, CARRIED_TO_LIMIT * carried)).end();
    directory.create(TEMP, JournalLine.of(header), false);
    if (directory.has(PREVIOUS)) {
      directory.unlink(PREVIOUS);
    }
    if (directory.has(CURRENT)) {
      directory.link(CURRENT, PREVIOUS);
    } else {
      directory.create(PREVIOUS, new byte[0], false);
    }
    directory.sync();
    directory.rename(TEMP, CURRENT);
    worn = null;
    isMissing = false;
  }

  /** Removes the previous file; everything of it is carried over and on disk. */
  public void finish() throws IOException {
    directory.unlink(PREVIOUS);
  }

  /** Closes the file. One that was replaced is closed when no thread waits for its records any more. */
  @Override
  public synchronized void close() {
    Opened open = current;
    if (open != null) {
      open.log.close();
    }
    current = null;
  }

  /** Reads the journal, in pieces if it grows meanwhile. The caller has exclusive use of it, apart from appends. */
  public Reading read() {
    return new Reading();
  }

  /** The records of both files. */
  public final class Reading {
    private static final int MOST = Integer.MAX_VALUE - 8;

    private long previous;
    private long current;

    /** The undamaged records that were appended since the last call. */
    public List<String> next() throws IOException {
      byte[] older = whole(directory.read(PREVIOUS, previous, MOST));
      previous += older.length;
      byte[] newer = whole(directory.read(CURRENT, current, MOST));
      current += newer.length;
      List<String> records = JournalLine.records(older);
      records.addAll(JournalLine.records(newer));
      return records;
    }

    /** Without the line at the end that is still being written, or that is torn. */
    private static byte[] whole(byte @Nullable [] bytes) {
      int end = bytes == null ? 0 : bytes.length;
      while (bytes != null && end > 0 && bytes[end - 1] != '\n') {
        end--;
      }
      return bytes == null ? new byte[0] : Arrays.copyOf(bytes, end);
    }
  }

  /** The first record; null if the file is missing or does not begin with one. */
  private @Nullable JsonObject header() throws IOException {
    byte[] beginning = directory.read(CURRENT, 0, HEADER_BYTES);
    List<String> records = beginning == null ? List.of() : JournalLine.records(beginning);
    if (records.isEmpty()) {
      return null;
    }
    try {
      JsonObject header = JsonReader.readObject(records.getFirst().getBytes(StandardCharsets.UTF_8));
      return header.get("journal") == null ? null : header;
    } catch (JsonException e) {
      return null;
    }
  }
}
