package fleet.tower.intent;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.time.TimeSpans;

/**
 * What each process of a step may use, and what the step may do.
 *
 * @param cpu the processor time of a process; null for no limit
 * @param memory the address space of a process, in bytes; null for no limit
 * @param fileSize the size of a file that a process writes, in bytes; null for no limit
 * @param openFiles the number of files that a process has open; null for no limit
 * @param network whether it may use the network
 * @param escalate whether a set-user-ID program may give it more rights
 */
public record StepLimits(@Nullable Duration cpu, @Nullable Long memory, @Nullable Long fileSize,
    @Nullable Integer openFiles, boolean network, boolean escalate) {
  public static final StepLimits NONE = new StepLimits(null, null, null, null, true, true);
  private static final int SIGXCPU = 24;
  private static final int SIGXFSZ = 25;

  /** The limits that differ from none, by their names in a plan. */
  public Map<String, Object> declared() {
    Map<String, Object> declared = new LinkedHashMap<>();
    putIfAny(declared, "cpu_seconds", cpu == null ? null : cpu.toSeconds());
    putIfAny(declared, "memory_bytes", memory);
    putIfAny(declared, "file_size_bytes", fileSize);
    putIfAny(declared, "open_files", openFiles);
    putIfAny(declared, "network", network ? null : false);
    putIfAny(declared, "escalate", escalate ? null : false);
    return declared;
  }

  /** Which limit a process exceeded that a signal ended; null if the signal does not tell. */
  public @Nullable String exceeded(int signal) {
    if (signal == SIGXCPU && cpu != null) {
      return "a process used more processor time than its limit of " + TimeSpans.format(cpu);
    }
    return signal == SIGXFSZ && fileSize != null
        ? "a process wrote a larger file than its limit of " + fileSize + " bytes"
        : null;
  }

  private static void putIfAny(Map<String, Object> declared, String name, @Nullable Object value) {
    if (value != null) {
      declared.put(name, value);
    }
  }
}
