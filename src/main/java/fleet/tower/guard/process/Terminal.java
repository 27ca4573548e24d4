package fleet.tower.guard.process;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.process.Libc;

/**
 * The controlling terminal of this process. Its foreground group may read from it and gets the signals of its keys.
 */
final class Terminal {
  private static final int SIGTTOU = 22;
  private static final int SIG_IGN = 1;
  private static final int O_RDWR = 2;
  private static final int O_CLOEXEC = 0x80000;

  private static final MemorySegment OPEN = Libc.function("open");
  private static final MemorySegment GET_FOREGROUND = Libc.function("tcgetpgrp");
  private static final MemorySegment SET_FOREGROUND = Libc.function("tcsetpgrp");
  private static final MemorySegment OUR_GROUP = Libc.function("getpgrp");
  private static final MemorySegment SIGNAL = Libc.function("signal");

  private final int descriptor;
  private final int ourGroup;
  private final boolean ignores;

  private Terminal(int descriptor) {
    this.descriptor = descriptor;
    this.ourGroup = Libc.call(OUR_GROUP).value();
    // A process that takes the terminal from another group would be stopped.
    this.ignores = Libc.call(SIGNAL, SIGTTOU, SIG_IGN).value() != SIG_IGN;
  }

  /** The terminal, or null if there is none. */
  static @Nullable Terminal open() {
    try (Arena arena = Arena.ofConfined()) {
      int descriptor = Libc.call(OPEN, Libc.terminated(arena, "/dev/tty").address(), O_RDWR | O_CLOEXEC).value();
      return descriptor < 0 ? null : new Terminal(descriptor);
    }
  }

  int descriptor() {
    return descriptor;
  }

  int ourGroup() {
    return ourGroup;
  }

  /** Signals that this process ignores and its caller did not. */
  List<Integer> ignored() {
    return ignores ? List.of(SIGTTOU) : List.of();
  }

  /** Whether this process is in the foreground. */
  boolean isOurs() {
    return foreground() == ourGroup;
  }

  /** The group in the foreground. */
  int foreground() {
    return Libc.call(GET_FOREGROUND, descriptor).value();
  }

  /** Puts a group into the foreground. */
  void give(int group) {
    Libc.Result _ = Libc.call(SET_FOREGROUND, descriptor, group);
  }

  /**
   * Whether a shell would continue this process if it stopped: the parent of our group's leader, in another group of
   * the same session. The kernel checks the same before it lets a terminal stop a group.
   */
  boolean hasShell() {
    List<String> leader = stat(ourGroup);
    if (leader.isEmpty()) {
      return true;
    }
    List<String> parent = stat(Long.parseLong(leader.get(1)));
    return !parent.isEmpty() && parent.get(3).equals(leader.get(3)) && !parent.get(2).equals(leader.get(2));
  }

  /** State, parent, group, session and more of a process; empty when there is none. */
  private static List<String> stat(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
      return List.of(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1));
    } catch (IOException gone) {
      return List.of();
    }
  }

  void close() {
    if (ignores) {
      Libc.Result _ = Libc.call(SIGNAL, SIGTTOU, 0);
    }
    Libc.close(descriptor);
  }
}
