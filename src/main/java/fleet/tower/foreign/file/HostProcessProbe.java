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

/** This machine's own word: its name from the kernel, signal 0 for the life of a process, {@code /proc} for its start. */
final class HostProcessProbe implements ProcessProbe {
  private static final int MAX_NAME = 256;
  private static final int SIGNAL_NOBODY = 0;

  @Override
  public Optional<String> hostname() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocate(MAX_NAME);
      // One byte is left for the end, which the call does not write when the name is as long as the place for it.
      Libc.Result answer = Libc.call(Libc.function("gethostname"), name.address(), MAX_NAME - 1);
      return Optional.of(name.getString(0)).filter(text -> answer.value() == 0 && !text.isBlank());
    }
  }

  /** A number that no process of this kind of system can have says nothing: the call would ask about another one. */
  @Override
  public Life life(long pid) {
    if (pid <= 0 || pid > Integer.MAX_VALUE) {
      return Life.UNKNOWN;
    }
    return switch (Libc.kill(pid, SIGNAL_NOBODY)) {
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

  /** What a process is called, for people; its number where it does not tell. */
  static String nameOf(long pid) {
    ProcessStat stat = ProcessStat.of(pid);
    return stat == null ? "process " + pid : stat.name();
  }
}
