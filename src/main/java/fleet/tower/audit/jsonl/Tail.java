package fleet.tower.audit.jsonl;

import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * The position up to which a file was read: the end of a complete line. The bytes before it are remembered; a file
 * with other bytes there was truncated or replaced and is read from its start. A file that was moved away is first
 * read to its end.
 */
final class Tail implements AutoCloseable {
  /**
   * The length of the mark; the request and the time of an event are within its first or last bytes, and most events
   * are shorter.
   */
  private static final int MARK_BYTES = 512;
  private static final int CHUNK = 64 * 1024;

  private final Path file;
  private long position;
  private byte[] mark = {};
  private @Nullable Stamp seen;
  private @Nullable RandomAccessFile open;

  private Tail(Path file) {
    this.file = file;
  }

  /** The attributes that change when a file changes. */
  private record Stamp(@Nullable Object key, long size, FileTime modified) {}

  /** A tail at the start of a file. */
  static Tail atStart(Path file) {
    return new Tail(file);
  }

  /** A tail after the last complete line of a file; an incomplete line is new once it is complete. */
  static Tail atEnd(Path file) throws IOException {
    Tail tail = new Tail(file);
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      tail.skipTo(in, endOfLastLine(in));
    } catch (FileNotFoundException e) {
      tail.requireGone(e);
    }
    return tail;
  }

  /** A tail at a position of a file; at its start if no line ends at the position, because it is another file then. */
  static Tail at(Path file, long position) throws IOException {
    Tail tail = new Tail(file);
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      if (isEndOfLine(in, position)) {
        tail.skipTo(in, position);
      }
    } catch (FileNotFoundException e) {
      tail.requireGone(e);
    }
    return tail;
  }

  long position() {
    return position;
  }

  /** Passes new complete lines to the reader; false as soon as it has enough. */
  boolean readNew(Predicate<String> reader) throws IOException {
    Stamp now = stamp();
    RandomAccessFile previous = open;
    if (previous != null && (now == null || seen == null || !Objects.equals(now.key(), seen.key()))) {
      boolean wanted = readLines(previous, reader);
      close();
      if (!wanted) {
        return false;
      }
    }
    if (now == null || now.equals(seen)) {
      return true;
    }
    seen = now;
    try {
      RandomAccessFile in = open == null ? new RandomAccessFile(file.toFile(), "r") : open;
      open = in;
      if (!Arrays.equals(mark, bytesBefore(in, position))) {
        position = 0;
        mark = new byte[0];
      }
      return readLines(in, reader);
    } catch (FileNotFoundException e) {
      requireGone(e);
      return true;
    }
  }

  /** Closes the file; it is opened again for new lines. */
  @Override
  public void close() throws IOException {
    RandomAccessFile previous = open;
    open = null;
    if (previous != null) {
      previous.close();
    }
  }

  private @Nullable Stamp stamp() throws IOException {
    try {
      BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
      return new Stamp(attributes.fileKey(), attributes.size(), attributes.lastModifiedTime());
    } catch (NoSuchFileException gone) {
      return null;
    }
  }

  private void requireGone(FileNotFoundException e) throws FileNotFoundException {
    if (Files.exists(file)) {
      throw e;
    }
  }

  private void skipTo(RandomAccessFile in, long newPosition) throws IOException {
    position = newPosition;
    mark = bytesBefore(in, newPosition);
  }

  private boolean readLines(RandomAccessFile in, Predicate<String> reader) throws IOException {
    boolean wanted = forEachLine(in, position, line -> {
      position += line.size() + 1;
      return reader.test(line.toString(StandardCharsets.UTF_8));
    });
    mark = bytesBefore(in, position);
    return wanted;
  }

  /** Passes the complete lines from a position on to the reader while it returns true. */
  static boolean forEachLine(RandomAccessFile in, long from, Predicate<ByteArrayOutputStream> reader)
      throws IOException {
    in.seek(from);
    byte[] buffer = new byte[CHUNK];
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int length = in.read(buffer); length > 0; length = in.read(buffer)) {
      int start = 0;
      for (int i = 0; i < length; i++) {
        if (buffer[i] != '\n') {
          continue;
        }
        line.write(buffer, start, i - start);
        start = i + 1;
        if (!reader.test(line)) {
          return false;
        }
        line.reset();
      }
      line.write(buffer, start, length - start);
    }
    return true;
  }

  /** The bytes before a position that form its mark; fewer if the file is shorter, which matches no mark. */
  static byte[] bytesBefore(RandomAccessFile in, long position) throws IOException {
    byte[] bytes = new byte[(int) Math.min(position, MARK_BYTES)];
    in.seek(position - bytes.length);
    int read = 0;
    while (read < bytes.length) {
      int length = in.read(bytes, read, bytes.length - read);
      if (length < 0) {
        return Arrays.copyOf(bytes, read);
      }
      read += length;
    }
    return bytes;
  }

  private static int byteAt(RandomAccessFile in, long position) throws IOException {
    in.seek(position);
    return in.read();
  }

  /** Whether a position is the start of the file or follows a complete line. */
  static boolean isEndOfLine(RandomAccessFile in, long position) throws IOException {
    return position == 0 || (position > 0 && position <= in.length() && byteAt(in, position - 1) == '\n');
  }

  static long endOfLastLine(RandomAccessFile in) throws IOException {
    byte[] buffer = new byte[CHUNK];
    for (long end = in.length(); end > 0;) {
      int length = (int) Math.min(end, CHUNK);
      in.seek(end - length);
      in.readFully(buffer, 0, length);
      for (int i = length - 1; i >= 0; i--) {
        if (buffer[i] == '\n') {
          return end - length + i + 1;
        }
      }
      end -= length;
    }
    return 0;
  }
}
