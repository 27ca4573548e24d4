package fleet.tower.operation;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.text.OutputText;

/**
 * The stored output of a step as lines, read in parts of bounded size. A line that is longer than {@link #MAX_LINE} is
 * cut near each multiple of that size. So the bytes around a position decide where its line begins, and every reader
 * finds the same lines, wherever it starts.
 *
 * @param size the number of bytes that count, even if there are more by now
 * @param isComplete whether nothing will follow
 */
public record StepOutput(Source source, long size, boolean isComplete) {
  static final int MAX_LINE = 16 * 1024;
  /** The maximum size of a window. */
  static final int MAX_WINDOW = 256 * 1024;
  /** The bytes around a part that decide where its lines begin and end. */
  private static final int AROUND = 3 * MAX_LINE;

  /** Reads stored bytes, fewer only at their end. */
  public interface Source {
    byte[] read(long from, int maxBytes);
  }

  /**
   * A line, or a part of a long one.
   *
   * @param isCut whether the next line continues it
   * @param isOpen whether more output may continue it
   */
  public record Line(long offset, String text, boolean isCut, boolean isOpen) {}

  /** Lines in order; {@code next} is the position of the line after them, or of the last one if it is open. */
  public record Window(long offset, long next, List<Line> lines) {
    public Window {
      lines = List.copyOf(lines);
    }
  }

  /** The window that begins with the line at a position. */
  Window from(long position, int maxLines) {
    Part part = part(position, position + MAX_WINDOW);
    int first = part.lineAt(position);
    int end = first;
    while (end < part.count() && end - first < maxLines
        && (end == first || part.start(end + 1) - part.start(first) <= MAX_WINDOW)) {
      end++;
    }
    return part.window(first, end);
  }

  /** The window that ends before the line at a position; at the end of the output, with the last line. */
  Window before(long position, int maxLines) {
    Part part = part(Math.max(0, position - MAX_WINDOW), position);
    int end = position == size ? part.count() : part.lineAt(position);
    int first = end;
    while (first > 0 && end - first < maxLines
        && (first == end || part.start(end) - part.start(first - 1) <= MAX_WINDOW)) {
      first--;
    }
    return part.window(first, end);
  }

  /** The part with all lines that begin from the line at {@code from} up to {@code to}. */
  Part part(long from, long to) {
    long base = Math.max(0, from - AROUND);
    int length = (int) (Math.min(size, to + AROUND) - base);
    byte[] bytes = source.read(base, length);
    if (bytes.length < length) {
      throw new StorageException("the output of the run was removed while it was read");
    }
    return new Part(base, bytes);
  }

  /** A part of the output in memory, with the positions at which its lines begin, and its end last. */
  final class Part {
    private final long base;
    private final byte[] bytes;
    private long[] starts = new long[64];
    private int count;

    private Part(long base, byte[] bytes) {
      this.base = base;
      this.bytes = bytes;
      add(base);
      for (int begin = 0; begin < bytes.length;) {
        int end = lineEnd(begin);
        boolean isWhole = (begin > 0 || base == 0) && (end < bytes.length || isAtEnd());
        if (!isWhole || end - begin > MAX_LINE) {
          cut(begin, end);
        }
        begin = end + 1;
        if (begin <= bytes.length) {
          add(base + begin);
        }
      }
      if (starts[count - 1] < base + bytes.length) {
        add(base + bytes.length);
      }
    }

    private boolean isAtEnd() {
      return base + bytes.length == size;
    }

    private int lineEnd(int from) {
      int end = from;
      while (end < bytes.length && bytes[end] != '\n') {
        end++;
      }
      return end;
    }

    private void cut(int begin, int end) {
      for (long at = ((base + begin) / MAX_LINE + 1) * MAX_LINE; at < base + end; at += MAX_LINE) {
        long start = base + OutputText.wholeEnd(bytes, begin, (int) (at - base));
        if (start > starts[count - 1]) {
          add(start);
        }
      }
    }

    private void add(long start) {
      if (count == starts.length) {
        starts = Arrays.copyOf(starts, 2 * count);
      }
      starts[count++] = start;
    }

    /** The number of lines. */
    int count() {
      return count - 1;
    }

    /** The position of the {@code i}th line, or of the end of the part. */
    long start(int i) {
      return starts[i];
    }

    /** The line at a position. At the end of the output this is the open line, or the number of lines. */
    int lineAt(long position) {
      int found = Arrays.binarySearch(starts, 0, count, position);
      int line = found >= 0 ? found : -found - 2;
      return line > 0 && line == count() && isOpen(line - 1) ? line - 1 : line;
    }

    private boolean isOpen(int line) {
      return !isComplete && line == count() - 1 && isAtEnd() && isUnended(line);
    }

    private boolean isUnended(int line) {
      return bytes[(int) (starts[line + 1] - base) - 1] != '\n';
    }

    byte[] bytes(long from, long to) {
      return Arrays.copyOfRange(bytes, (int) (from - base), (int) (to - base));
    }

    /** The end of at most {@code length} bytes that continue a line after its cut. */
    long continuation(int line, int length) {
      int end = (int) (starts[line + 1] - base);
      return base + (isUnended(line) ? Math.min(lineEnd(end), end + length) : end);
    }

    Line line(int line) {
      int from = (int) (starts[line] - base);
      int to = (int) (starts[line + 1] - base);
      boolean isOpen = isOpen(line);
      boolean isCut = isUnended(line) && line < count() - 1;
      int end = isOpen ? OutputText.wholeEnd(bytes, from, to) : isUnended(line) ? to : to - 1;
      String text = OutputText.withoutSequences(new String(bytes, from, end - from, UTF_8));
      return new Line(starts[line], OutputText.escaped(isCut ? text : OutputText.withoutReturn(text)), isCut, isOpen);
    }

    private Window window(int first, int end) {
      List<Line> lines = new ArrayList<>();
      for (int i = first; i < end; i++) {
        lines.add(line(i));
      }
      boolean isOpen = end > first && isOpen(end - 1);
      return new Window(starts[first], starts[isOpen ? end - 1 : end], lines);
    }
  }
}
