package fleet.tower.platform.process;

import java.io.File;

/** The search for processes that may have outlived the process that started them. */
public final class StrayProcesses {
  private static final File PROC = new File("/proc");

  private StrayProcesses() {}

  /**
   * Whether a process of this machine may be one that was started with an entry in its environment: it has the entry,
   * or its environment cannot be read and it may come from a session that has lost its leader, as that of a dead
   * program has. True if the system lists no processes.
   *
   * @param entry {@code NAME=VALUE}
   * @param sinceTicks only processes that started later count, in clock ticks since boot
   */
  public static boolean mayExist(String entry, long sinceTicks) {
    return mayExist(entry, sinceTicks, sinceTicks);
  }

  /**
   * The same for a moment that is not certain.
   *
   * @param unreadableSinceTicks of those whose environment cannot be read, only processes that started later count
   */
  public static boolean mayExist(String entry, long sinceTicks, long unreadableSinceTicks) {
    String[] names = PROC.list((_, name) -> Character.isDigit(name.charAt(0)));
    if (names == null || names.length == 0) {
      return true;
    }
    for (String name : names) {
      ProcessStat stat = ProcessStat.of(Long.parseLong(name));
      if (stat != null && !stat.hasEnded() && stat.startTicks() >= sinceTicks
          && mayHave(stat, entry, unreadableSinceTicks)) {
        return true;
      }
    }
    return false;
  }

  private static boolean mayHave(ProcessStat stat, String entry, long sinceTicks) {
    String environment = ProcessStat.text(stat.pid(), "environ");
    // The kernel's own processes have session 0.
    return environment.isEmpty()
        ? stat.startTicks() >= sinceTicks && stat.session() != 0 && ProcessStat.of(stat.session()) == null
        : ("\0" + environment).contains("\0" + entry + "\0");
  }
}
