package fleet.tower.operation;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.StorageException;
import fleet.tower.run.Run;
import fleet.tower.run.StepLogs;
import fleet.tower.run.StepRecord;

/** The output of a run that is stored so far, unmodified: of one step, or of all in order, each with a heading. */
public final class OutputDownload {
  private static final int CHUNK = 256 * 1024;

  private final StepLogs logs;
  private final RequestId id;
  private final String fileName;
  private final List<Section> sections = new ArrayList<>();

  /** @param step the step whose output is wanted; null for all steps */
  OutputDownload(Run run, @Nullable StepRecord step, StepLogs logs) {
    this.logs = logs;
    this.id = run.requestId();
    this.fileName = (step == null ? id.value() : id + "-" + step.logName()).replace(':', '_') + ".log";
    if (step != null) {
      add(run, "", step);
    } else {
      run.begun().forEach(one -> add(run, (endsLine() ? "" : "\n") + "== " + one.logName() + " ==\n", one));
    }
  }

  private record Section(byte[] heading, String logName, long size) {}

  private void add(Run run, String heading, StepRecord step) {
    sections.add(new Section(heading.getBytes(UTF_8), step.logName(), step.hasBegun() ? size(step) : 0));
    logs.missing(run, step).ifPresent(missing -> sections
        .add(new Section(((endsLine() ? "" : "\n") + missing.line() + "\n").getBytes(UTF_8), step.logName(), 0)));
  }

  private long size(StepRecord step) {
    return logs.size(id, step.logName());
  }

  /** Whether what comes next begins a line. */
  private boolean endsLine() {
    if (sections.isEmpty() || sections.getLast().size() == 0) {
      return true;
    }
    Section last = sections.getLast();
    byte[] end = logs.read(id, last.logName(), last.size() - 1, 1).bytes();
    return end.length == 1 && end[0] == '\n';
  }

  /** The name under which it may be saved. */
  public String fileName() {
    return fileName;
  }

  /** The number of bytes. */
  public long length() {
    return sections.stream().mapToLong(section -> section.heading().length + section.size()).sum();
  }

  /**
   * Writes all of it.
   *
   * @param check is called often; what it throws ends the download
   */
  public void writeTo(OutputStream out, Runnable check) throws IOException {
    for (Section section : sections) {
      out.write(section.heading());
      long at = 0;
      while (at < section.size()) {
        check.run();
        byte[] bytes = logs.read(id, section.logName(), at, (int) Math.min(CHUNK, section.size() - at)).bytes();
        if (bytes.length == 0) {
          throw new StorageException("the output of run " + id + " was removed while it was read");
        }
        out.write(bytes);
        at += bytes.length;
      }
    }
  }
}
