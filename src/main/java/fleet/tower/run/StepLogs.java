package fleet.tower.run;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import fleet.tower.lease.RequestId;

/**
 * The masked output of steps, by the bytes of their logs. Every host of a fleet reads the same bytes at the same
 * positions. Every call may throw {@link fleet.tower.platform.StorageException}.
 */
public interface StepLogs {
  /** The longest {@link #tail}. */
  int TAIL_BYTES = 4096;
  int TAIL_LINES = 20;

  /** Reads a part of a log; it is empty if there is no log, or no more of it. */
  Output read(RequestId requestId, String logName, long from, int maxBytes);

  /** The number of bytes of a log so far; 0 if nothing was printed. */
  long size(RequestId requestId, String logName);

  /**
   * The part of a step's output that cannot be read here, although the step printed it or may have; empty if there is
   * none.
   */
  default Optional<MissingOutput> missing(Run run, StepRecord step) {
    return Optional.empty();
  }

  /** The last lines of a log as valid text, without the final newline; for one long line, its end. */
  default String tail(RequestId requestId, String logName) {
    long size = size(requestId, logName);
    long from = Math.max(0, size - TAIL_BYTES);
    byte[] bytes = size == 0 ? new byte[0] : read(requestId, logName, from, TAIL_BYTES).bytes();
    int begin = 0;
    while (from > 0 && begin < Math.min(3, bytes.length) && (bytes[begin] & 0xC0) == 0x80) {
      begin++;
    }
    String text = new String(bytes, begin, bytes.length - begin, StandardCharsets.UTF_8).stripTrailing();
    int firstEnd = text.indexOf('\n');
    String whole = from > 0 && firstEnd >= 0 ? text.substring(firstEnd + 1) : text;
    List<String> lines = Arrays.asList(whole.split("\n", -1));
    return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
  }

  /** The last lines of a step's output, followed by a line about what is missing. */
  default String tail(Run run, StepRecord step) {
    if (!step.hasBegun() || step.isSilent()) {
      return "";
    }
    String tail = tail(run.requestId(), step.logName());
    return missing(run, step).map(missing -> (tail.isEmpty() ? "" : tail + "\n") + missing.line()).orElse(tail);
  }

  /** A part of the output; {@code next} is the byte after it. */
  record Output(byte[] bytes, long next) {}

  /**
   * The end of a step's output that is not stored where it is read.
   *
   * @param hostId the host that executed the step
   * @param from the position of the first missing byte
   * @param isLost whether the run was interrupted; then its host was lost, and may return with the output
   */
  record MissingOutput(String hostId, long from, boolean isLost) {

    /** What is missing, as a sentence without its full stop. */
    public String note() {
      return isLost
          ? "host " + hostId + " was lost; its output after byte " + from + " was not stored"
          : "output after byte " + from + " is not stored; host " + hostId + " executed the run";
    }

    /** The same as a line of output. */
    public String line() {
      return "[tower] " + note();
    }
  }
}
