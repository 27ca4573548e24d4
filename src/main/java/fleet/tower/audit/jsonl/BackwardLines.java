package fleet.tower.audit.jsonl;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The complete lines of a file before a position, the last one first. */
final class BackwardLines {
  private static final int CHUNK = 64 * 1024;

  private BackwardLines() {}

  /** Receives lines until it has enough. */
  interface Reader {
    /**
     * Receives a line; returns false when it has enough.
     *
     * @param start the position of its first byte
     */
    boolean take(String line, long start);
  }

  /**
   * Passes lines to the reader until it returns false.
   *
   * @param end a position at which a line ends
   *
   * @return whether the reader wants more
   */
  static boolean forEach(RandomAccessFile in, long end, Reader reader) throws IOException {
    byte[] rest = {};
    long from = end;
    while (from > 0) {
      int length = (int) Math.min(from, CHUNK);
      byte[] bytes = new byte[length + rest.length];
      from -= length;
      in.seek(from);
      in.readFully(bytes, 0, length);
      System.arraycopy(rest, 0, bytes, length, rest.length);
      int lineEnd = bytes.length;
      // The last byte of `bytes` ends a line, and `rest` has no other end of a line.
      for (int i = Math.min(length, bytes.length - 1) - 1; i >= 0; i--) {
        if (bytes[i] == '\n') {
          if (!take(bytes, i + 1, lineEnd, from, reader)) {
            return false;
          }
          lineEnd = i + 1;
        }
      }
      rest = Arrays.copyOf(bytes, lineEnd);
    }
    return rest.length == 0 || take(rest, 0, rest.length, 0, reader);
  }

  private static boolean take(byte[] bytes, int start, int end, long offset, Reader reader) {
    return reader.take(new String(bytes, start, end - 1 - start, StandardCharsets.UTF_8), offset + start);
  }
}
