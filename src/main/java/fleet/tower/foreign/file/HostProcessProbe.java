package fleet.tower.foreign.file;

import java.io.FileInputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;

import fleet.tower.foreign.ProcessProbe;
import fleet.tower.platform.process.Libc;
import fleet.tower.platform.process.ProcessStat;

/**
 * A probe of this machine: the kernel's host name, signal 0 for the life of a process, {@code /proc} for its start
 * time.
 */
final class HostProcessProbe implements ProcessProbe {
  private static final int MAX_NAME = 256;
  private static final int NO_SIGNAL = 0;

  @Override
  public Optional<String> hostname() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocate(MAX_NAME);
      // The call does not terminate a name that fills the buffer, so one byte is reserved.
      Libc.Result answer = Libc.call(Libc.function("gethostname"), name.address(), MAX_NAME - 1);
      return Optional.of(name.getString(0)).filter(text -> answer.value() == 0 && !text.isBlank());
    }
  }

  /** A number outside the system's range is unknown: the call would address another process. */
  @Override
  public Life life(long pid) {
    if (pid <= 0 || pid > Integer.MAX_VALUE) {
      return Life.UNKNOWN;
    }
    return switch (Libc.kill(pid, NO_SIGNAL)) {
      case 0 -> hasEnded(pid) ? Life.ENDED : Life.ALIVE;
      case Libc.ESRCH -> Life.GONE;
      default -> Life.UNKNOWN;
    };
  }

  private static boolean hasEnded(long pid) {
    ProcessStat stat = ProcessStat.of(pid);
    return stat != null && stat.hasEnded();
  }

  @Override
  public Optional<Realm> realm() {
    try (FileInputStream boot = new FileInputStream("/proc/sys/kernel/random/boot_id")) {
      String bootId = new String(boot.readAllBytes(), StandardCharsets.US_ASCII).strip();
      String namespace = Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString();
      return Optional.of(new Realm(bootId, namespace.replaceAll("[^0-9]", "")));
    } catch (IOException notLinux) {
      return Optional.empty();
    }
  }

  @Override
  public OptionalLong startTicks(long pid) {
    ProcessStat stat = ProcessStat.of(pid);
    return stat == null ? OptionalLong.empty() : OptionalLong.of(stat.startTicks());
  }

  /** The command name of a process; its number if the name is unknown. */
  static String nameOf(long pid) {
    ProcessStat stat = ProcessStat.of(pid);
    return stat == null ? "process " + pid : stat.name();
  }
}
