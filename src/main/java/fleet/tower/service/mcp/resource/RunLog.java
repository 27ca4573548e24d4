package fleet.tower.service.mcp.resource;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.text.Nearest;
import fleet.tower.platform.text.OutputText;
import fleet.tower.run.Run;
import fleet.tower.run.StepLogs;
import fleet.tower.run.StepRecord;
import fleet.tower.service.mcp.task.Excerpt;

/**
 * The output of a run as text, in parts, with a mark before each of its lines. A part ends with the last line that
 * fits. If there is more output, or may be later, its own last line names the address of the next part. Offsets count
 * the bytes of the stored output.
 */
public final class RunLog {
  static final int PART_BYTES = 256 * 1024;

  private final Run run;
  private final StepLogs logs;
  private final @Nullable String step;
  private final StringBuilder text = new StringBuilder();
  private int left = PART_BYTES;
  private long end;
  private boolean isFull;

  private RunLog(Run run, StepLogs logs, @Nullable String step) {
    this.run = run;
    this.logs = logs;
    this.step = step;
  }

  /**
   * The part from an offset on.
   *
   * @param step the step whose output counts; null for all steps, each with a heading
   */
  static String part(Run run, StepLogs logs, @Nullable String step, long offset) {
    return new RunLog(run, logs, step).read(offset);
  }

  /** The size of all output so far, in bytes. */
  public static long size(Run run, StepLogs logs) {
    return run.begun().stream().mapToLong(it -> logs.size(run.requestId(), it.logName())).sum();
  }

  private String read(long offset) {
    end = offset;
    long total = 0;
    for (StepRecord one : steps()) {
      long size = logs.size(run.requestId(), one.logName());
      if (!isFull && offset <= total + size) {
        add(one, size, total, Math.max(0, offset - total));
      }
      total += size;
    }
    if (offset > total) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "'offset' " + offset + " is beyond the end of the output, which"
          + " has " + total + " bytes");
    }
    if (isFull && end < total) {
      lastLine("more: ");
    } else if (!run.status().isFinished()) {
      lastLine("the run is " + run.status() + "; later output: ");
    }
    return text.toString();
  }

  private List<StepRecord> steps() {
    List<StepRecord> found = run.begun().stream().filter(it -> step == null || it.logName().equals(step)).toList();
    if (step == null || !found.isEmpty()) {
      return found;
    }
    List<String> names = run.begun().stream().map(StepRecord::logName).toList();
    throw new InvalidValue(InvalidValue.Kind.REQUEST, "no step " + InvalidValue.shown(step) + " has begun; "
        + Nearest.of(step, names).map(near -> "did you mean " + near + "?")
            .orElse(names.isEmpty() ? "the run is " + run.status() : "those that have: " + String.join(", ", names)));
  }

  /**
   * Adds the output of a step that fits.
   *
   * @param before the size of the output before the step
   *
   * @param from the number of bytes of the step that are skipped
   */
  private void add(StepRecord one, long size, long before, long from) {
    byte[] bytes = logs.read(run.requestId(), one.logName(), from, (int) Math.min(left, size - from)).bytes();
    boolean isCut = from + bytes.length < size;
    int used = used(bytes, isCut);
    isFull = isCut || used == left;
    if (isCut && used == 0) {
      return;
    }
    if (step == null && from == 0) {
      newLine();
      text.append("== ").append(one.logName()).append(" ==\n");
    }
    text.append(Excerpt.quoted(OutputText.printable(new String(bytes, 0, used, UTF_8))));
    left -= used;
    end = before + from + used;
    if (!isCut) {
      logs.missing(run, one).ifPresent(missing -> {
        newLine();
        text.append(OutputText.printable(missing.line())).append('\n');
      });
    }
  }

  private int used(byte[] bytes, boolean isCut) {
    if (isCut) {
      return cut(bytes);
    }
    return run.status().isFinished() ? bytes.length : OutputText.wholeEnd(bytes, 0, bytes.length);
  }

  /** The end of the last complete line, or of the last complete character if there is no complete line. */
  private static int cut(byte[] bytes) {
    for (int i = bytes.length; i > 0; i--) {
      if (bytes[i - 1] == '\n') {
        return i;
      }
    }
    return OutputText.wholeEnd(bytes, 0, bytes.length);
  }

  private void lastLine(String words) {
    newLine();
    text.append('[').append(words).append(ResourceUri.SCHEME).append("runs/").append(run.requestId()).append("/log?")
        .append(step == null ? "" : "step=" + step + "&").append("offset=").append(end).append("]\n");
  }

  private void newLine() {
    if (!text.isEmpty() && text.charAt(text.length() - 1) != '\n') {
      text.append('\n');
    }
  }
}
