package fleet.tower.audit.jsonl;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import fleet.tower.audit.AuditLog;
import fleet.tower.platform.time.SystemTime;

/**
 * A process that writes events until the limit of its files' size cuts one off, removes the limit, and writes one more.
 * Argument: directory.
 */
final class AuditOnFullDisk {
  private static final int MOST = 1000;

  private AuditOnFullDisk() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    List<String> warnings = new ArrayList<>();
    AuditLog log = new AuditFiles(Path.of(arguments[0]), SystemTime.scheduler(), warnings::add).log();
    int written = 0;
    while (written < MOST && log.write(List.of(Events.blocked("r" + written, Events.AT)))) {
      written++;
    }
    require(warnings.size() == 1 && warnings.getFirst().contains("file too large"), warnings);
    Process unlimited = new ProcessBuilder("prlimit", "--fsize=unlimited:", "--pid",
        Long.toString(ProcessHandle.current().pid())).inheritIO().start();
    require(unlimited.waitFor() == 0, "prlimit failed");
    require(log.write(List.of(Events.blocked("after", Events.AT))), warnings);
  }

  private static void require(boolean isSo, Object problem) {
    if (!isSo) {
      throw new IllegalStateException(problem.toString());
    }
  }
}
