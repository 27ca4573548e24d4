package fleet.tower.platform.process;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/**
 * What {@code /proc} tells of a process at one moment.
 *
 * @param startTicks when it began, in ticks since the boot, which tells it from a later one with its number
 */
public record ProcessStat(long pid, String name, String state, long group, long session, long startTicks) {

  /** Null where there is no such process, or no {@code /proc}. */
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

  /** Whether its first thread is over; others of it may be at work still. */
  public boolean isDead() {
    return state.equals("Z") || state.equals("X");
  }

  /** Whether no thread of it is left, and only its parent has not asked yet how it ended. */
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
