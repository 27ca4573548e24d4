package fleet.tower.operation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.text.OutputText;
import fleet.tower.platform.time.TimeSource;

/**
 * A search for a literal text in the lines of a step's output, for about a second at most. The lines are searched
 * without their terminal sequences. A match in a line that is cut belongs to the part in which it begins.
 */
public final class OutputSearch {
  private static final int CHUNK = 1024 * 1024;
  private static final long MAX_NANOS = Duration.ofSeconds(1).toNanos();
  /** The text found at most, in bytes. */
  private static final long MAX_FOUND = StepOutput.MAX_WINDOW;
  /** Room for terminal sequences within a match. */
  private static final int SEQUENCES = 256;

  private final StepOutput output;
  /** The text in the form of {@link #searchable}. */
  private final String wanted;
  private final boolean isExact;
  private final int limit;
  private final TimeSource time;
  private final List<StepOutput.Line> matches = new ArrayList<>();
  private long foundBytes;

  /** @param isExact whether the case of the letters A to Z counts, as that of all others does */
  OutputSearch(StepOutput output, String text, boolean isExact, int limit, TimeSource time) {
    this.output = output;
    this.wanted = searchable(text.getBytes(UTF_8), isExact);
    this.isExact = isExact;
    this.limit = limit;
    this.time = time;
  }

  /** The bytes without terminal sequences, each as a character, with A to Z in lower case unless the case counts. */
  private static String searchable(byte[] bytes, boolean isExact) {
    for (int i = 0; !isExact && i < bytes.length; i++) {
      if (bytes[i] >= 'A' && bytes[i] <= 'Z') {
        bytes[i] = (byte) (bytes[i] + ('a' - 'A'));
      }
    }
    return OutputText.withoutSequences(new String(bytes, ISO_8859_1));
  }

  /** Lines with the text; {@code next} is where to continue, null at the end of the output. */
  public record Found(List<StepOutput.Line> matches, @Nullable Long next) {}

  /** The matches from the line at a position on. */
  Found from(long position) {
    long begin = time.nanos();
    long at = position;
    do {
      at = searchChunk(at);
    } while (at < output.size() && !isFull() && time.nanos() - begin < MAX_NANOS);
    return new Found(List.copyOf(matches), at < output.size() ? at : null);
  }

  private boolean isFull() {
    return matches.size() >= limit || foundBytes >= MAX_FOUND;
  }

  /** Searches about a chunk; returns the position after the last line that was searched. */
  private long searchChunk(long position) {
    StepOutput.Part part = output.part(position, position + CHUNK);
    int first = part.lineAt(position);
    int end = position + CHUNK < output.size() ? part.lineAt(position + CHUNK) : part.count();
    if (end == first || !contains(part, first, end - 1)) {
      return part.start(end);
    }
    int line = first;
    while (line < end && !isFull()) {
      if (contains(part, line, line)) {
        matches.add(part.line(line));
        foundBytes += part.start(line + 1) - part.start(line);
      }
      line++;
    }
    return part.start(line);
  }

  /** Whether a match begins in one of these lines. */
  private boolean contains(StepOutput.Part part, int first, int last) {
    long end = part.start(last + 1);
    long more = part.continuation(last, wanted.length() + SEQUENCES);
    String own = searchable(part.bytes(part.start(first), end), isExact);
    int found = (more == end ? own : own + searchable(part.bytes(end, more), isExact)).indexOf(wanted);
    return found >= 0 && found < own.length();
  }
}
