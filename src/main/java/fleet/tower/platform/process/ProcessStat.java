package fleet.tower.platform.process;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/**
 * The state of a process as {@code /proc} showed it at one moment.
 *
 * @param startTicks the start time in ticks since boot, which distinguishes the process from a later one with the
 *     same pid
 */
public record ProcessStat(long pid, String name, String state, long group, long session, long startTicks) {

  /** The state of a process; null if it does not exist or the system has no {@code /proc}. */
  public static @Nullable ProcessStat of(long pid) {
    String stat = text(pid, "stat");
    int end = stat.lastIndexOf(')');
    if (end < 0) {
      return null;
    }
    String[] fields = stat.substring(end + 2).split(" ", -1);
    return new ProcessStat(pid, stat.substring(stat.indexOf('(') + 1, end), fields[0], Long.parseLong(fields[2]),
        Long.parseLong(fields[3]), Long.parseLong(fields[19]));
  }

  /** Whether its first thread has ended; other threads may still be running. */
  public boolean isDead() {
    return state.equals("Z") || state.equals("X");
  }

  /** Whether all its threads have ended, and only its parent has not reaped it yet. */
  public boolean hasEnded() {
    String[] threads = new File("/proc/" + pid + "/task").list();
    return isDead() && (threads == null || threads.length <= 1);
  }

  static String text(long pid, String file) {
    try (FileInputStream in = new FileInputStream("/proc/" + pid + "/" + file)) {
      return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    } catch (IOException goneOrNotOurs) {
      return "";
    }
  }
}
