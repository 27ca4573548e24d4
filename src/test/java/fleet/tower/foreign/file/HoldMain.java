package fleet.tower.foreign.file;

import static fleet.tower.lease.Actors.ORIGIN;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignName;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.time.SystemTime;

/**
 * Acquires and releases a foreign lock continuously, sometimes dies while holding it, and logs other holders that it
 * meets.
 */
final class HoldMain {
  private static final int GRANTS_OF_A_LIFE = 25;

  private HoldMain() {}

  /**
   * Arguments: the lock's name, a directory for notes: {@code history}, {@code inside}, and {@code end}, which ends it.
   */
  static void main(String[] arguments) throws IOException {
    Path notes = Path.of(arguments[1]);
    long pid = ProcessHandle.current().pid();
    int granted = 0;
    ForeignLock lock = new ForeignFiles(notes, SystemTime.source(), SystemTime.scheduler()).opener()
        .open(ForeignName.parse(arguments[0]));
    try (FileOutputStream history = new FileOutputStream(notes.resolve("history").toString(), true)) {
      for (int n = 0; !Files.exists(notes.resolve("end")); n++) {
        String run = "r" + pid + "-" + n;
        ForeignLock.Hold.Outcome outcome = lock
            .hold(new ForeignLock.Claim(new RequestId(run), "tower/hammer", "", pid, run, ORIGIN));
        if (!(outcome instanceof ForeignLock.Hold.Granted(ForeignLock.Hold hold, var previous, boolean _))) {
          continue;
        }
        enter(notes.resolve("inside"), pid, history);
        write(history, previous == null ? "granted" : "granted after a death");
        Files.deleteIfExists(notes.resolve("inside"));
        if (++granted == GRANTS_OF_A_LIFE) {
          Runtime.getRuntime().halt(1);
        }
        ForeignLock.Hold.ReleaseOutcome release = hold.release();
        if (!(release instanceof ForeignLock.Hold.Released)) {
          write(history, "LOST " + release);
        }
      }
    }
  }

  private static void enter(Path inside, long pid, FileOutputStream history) throws IOException {
    try {
      Files.writeString(inside, Long.toString(pid), StandardOpenOption.CREATE_NEW);
    } catch (FileAlreadyExistsException somebody) {
      write(history, "OVERLAP with " + Files.readString(inside));
    }
  }

  private static void write(FileOutputStream history, String line) throws IOException {
    history.write((line + "\n").getBytes(StandardCharsets.UTF_8));
  }
}
