package fleet.tower.service.mcp.stdio;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

import org.jspecify.annotations.Nullable;

/** The lines of an input. A line that is too long is read to its end and not kept. */
final class Lines {
  /** The length of the longest line. */
  static final int MAX_BYTES = 1 << 20;

  private final InputStream in;
  private final byte[] buffer = new byte[1 << 16];
  private int at;
  private int end;

  Lines(InputStream in) {
    this.in = in;
  }

  /** A line without its end. */
  record Line(byte[] bytes, boolean isTooLong) {
    boolean isBlank() {
      for (byte one : bytes) {
        if (one != ' ' && one != '\t' && one != '\r') {
          return false;
        }
      }
      return !isTooLong;
    }
  }

  /** The next line; null at the end of the input, or when it cannot be read. */
  @Nullable
  Line next() {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    boolean isTooLong = false;
    while (fill()) {
      int start = at;
      while (at < end && buffer[at] != '\n') {
        at++;
      }
      isTooLong |= line.size() + at - start > MAX_BYTES;
      if (!isTooLong) {
        line.write(buffer, start, at - start);
      }
      if (at < end) {
        at++;
        return new Line(isTooLong ? new byte[0] : line.toByteArray(), isTooLong);
      }
    }
    return line.size() == 0 && !isTooLong ? null : new Line(isTooLong ? new byte[0] : line.toByteArray(), isTooLong);
  }

  /** Whether there are unread bytes, after reading if there were none. */
  private boolean fill() {
    if (at == end) {
      at = 0;
      try {
        end = Math.max(0, in.read(buffer));
      } catch (IOException closed) {
        end = 0;
      }
    }
    return at < end;
  }
}
