package fleet.tower.audit.jsonl;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.LocalDate;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.disk.OwnerOnly;
import fleet.tower.platform.disk.SharedSync;
import fleet.tower.platform.disk.WrittenFile;

/**
 * The file of one day, kept open for appending. One thread at a time appends; any number of threads sync.
 *
 * <p>Each append compares the file with its name, so that nothing is written to a file that was moved away or deleted.
 * It checks for a torn line only if the file does not end where the last append of this process ended: after an error,
 * or when another process has written. Streams are used instead of channels, because an interrupt closes channels.
 */
final class OpenDay implements AutoCloseable {
  private static final int MAX_TORN_LINE_CHECKS = 1_000;
  private static final long UNKNOWN = -1;

  private final LocalDate day;
  private final Path file;
  private final @Nullable Object identity;
  private final RandomAccessFile in;
  private final OutputStream out;
  private final SharedSync shared = new SharedSync(this::syncNow);
  /** A size at which the file ends with a complete line. */
  private long wholeSize = UNKNOWN;
  /** Whether this process has synced the directory; another may have created the file without syncing its name. */
  private boolean isNamed;
  private boolean isClosed;

  private OpenDay(LocalDate day, Path file, @Nullable Object identity, RandomAccessFile in, OutputStream out) {
    this.day = day;
    this.file = file;
    this.identity = identity;
    this.in = in;
    this.out = out;
  }

  /** Opens the file of a day; creates it if there is none. */
  static OpenDay open(DayFiles days, LocalDate day) throws IOException {
    Path file = days.of(day);
    for (;;) {
      createIfAbsent(file);
      Object before = identity(file);
      OpenDay opened = openFiles(day, file, before);
      if (opened != null) {
        if (before != null && before.equals(identity(file))) {
          return opened;
        }
        // It was replaced meanwhile, so it is unknown which files are open.
        opened.closeFiles();
      }
    }
  }

  /** Opens the file that has the name now; null if it was moved away meanwhile. */
  private static @Nullable OpenDay openFiles(LocalDate day, Path file, @Nullable Object identity) throws IOException {
    OutputStream out;
    try {
      out = WrittenFile.appending(file);
    } catch (NoSuchFileException movedAway) {
      return null;
    }
    try {
      return new OpenDay(day, file, identity, new RandomAccessFile(file.toFile(), "r"), out);
    } catch (FileNotFoundException e) {
      out.close();
      if (identity != null && identity.equals(identity(file))) {
        throw e;
      }
      return null;
    }
  }

  private static void createIfAbsent(Path file) throws IOException {
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    OwnerOnly.makeDirectories(file.resolveSibling(""));
    try {
      Files.createFile(file, OwnerOnly.FILE);
    } catch (FileAlreadyExistsException alreadyCreated) {
      // Another process created it.
    }
  }

  /** The attributes of the file that has the name now; null if there is none. */
  private static @Nullable BasicFileAttributes attributes(Path file) throws IOException {
    return file.getFileSystem().provider().readAttributesIfExists(file, BasicFileAttributes.class,
        LinkOption.NOFOLLOW_LINKS);
  }

  private static @Nullable Object identity(Path file) throws IOException {
    BasicFileAttributes named = attributes(file);
    return named == null ? null : named.fileKey();
  }

  LocalDate day() {
    return day;
  }

  /** Appends complete lines in one write. Returns false, and writes nothing, if the file no longer has its name. */
  boolean append(byte[] lines) throws IOException {
    BasicFileAttributes named = attributes(file);
    if (named == null || !Objects.equals(named.fileKey(), identity)) {
      return false;
    }
    long size = named.size();
    byte[] whole = size != wholeSize && endsInMidLine() ? onNewLine(lines) : lines;
    wholeSize = UNKNOWN;
    out.write(whole);
    wholeSize = size + whole.length;
    return true;
  }

  private static byte[] onNewLine(byte[] lines) {
    byte[] whole = new byte[lines.length + 1];
    whole[0] = '\n';
    System.arraycopy(lines, 0, whole, 1, lines.length);
    return whole;
  }

  /**
   * Whether the file ends in a torn line. While another process is writing, that may seem so for a moment, so the
   * check is repeated and yields the processor. A wrong result only adds an empty line, which readers skip.
   */
  @SuppressWarnings("ThreadPriorityCheck") // A hint on which no result depends.
  private boolean endsInMidLine() throws IOException {
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

  /** Returns when all earlier appends of this thread are on disk. */
  void sync() throws IOException {
    shared.await();
  }

  private synchronized void syncNow() throws IOException {
    if (isClosed) {
      return;
    }
    // The stream for writing has no descriptor; a sync is of the file.
    in.getFD().sync();
    if (!isNamed) {
      OwnerOnly.sync(file.resolveSibling(""));
      isNamed = true;
    }
  }

  /**
   * Closes the file after a sync for the threads that still wait for one. If that fails, the file stays open, so that
   * each of them gets the error of its own sync.
   */
  @Override
  public synchronized void close() throws IOException {
    syncNow();
    isClosed = true;
    closeFiles();
  }

  private void closeFiles() throws IOException {
    in.close();
    out.close();
  }
}
