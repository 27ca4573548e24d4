package fleet.tower.run.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import fleet.tower.run.Processes;

/**
 * Starts processes by {@code posix_spawn}: no helper process is executed before the program, which halves the time that a
 * short step takes. The child gets no descriptor of ours, no blocked or ignored signal, and a session of its own.
 */
final class NativeSpawner implements Spawner {
  private static final List<String> NEEDED = List.of("posix_spawn", "posix_spawn_file_actions_addchdir_np",
      "posix_spawn_file_actions_addclosefrom_np", "pipe2", "waitid", "poll");
  private static final short SETSIGDEF_SETSIGMASK_SETSID = 0x04 | 0x08 | 0x80;
  private static final int O_CLOEXEC = 0x80000;
  /** More than any C library on any machine needs for the structures that are opaque to us. */
  private static final int OPAQUE_BYTES = 1024;

  private static final MethodHandle SPAWN = Libc.call("posix_spawn",
      FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS));
  private static final MethodHandle PIPE = Libc.callWithErrno("pipe2",
      FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle ACTIONS_INIT = pointers("posix_spawn_file_actions_init", 1);
  private static final MethodHandle ACTIONS_DESTROY = pointers("posix_spawn_file_actions_destroy", 1);
  private static final MethodHandle ADD_OPEN = Libc.call("posix_spawn_file_actions_addopen",
      FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT));
  private static final MethodHandle ADD_DUP = Libc.call("posix_spawn_file_actions_adddup2",
      FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT));
  private static final MethodHandle ADD_CHDIR = pointers("posix_spawn_file_actions_addchdir_np", 2);
  private static final MethodHandle ADD_CLOSE_FROM = Libc.call("posix_spawn_file_actions_addclosefrom_np",
      FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));

  private final Path home;
  private final MemorySegment homeName;
  private final MemorySegment nullDevice;
  private final MemorySegment attributes;
  private final Map<String, MemorySegment> inherited = new LinkedHashMap<>();

  NativeSpawner(Path home, Map<String, byte[]> environment) {
    this.home = home;
    // Kept for the life of the process that starts steps: a few kilobytes that every step uses.
    Arena arena = Arena.ofAuto();
    homeName = arena.allocateFrom(home.toString());
    nullDevice = arena.allocateFrom("/dev/null");
    attributes = attributes(arena);
    environment.forEach((name, entry) -> inherited.put(name, terminated(arena, entry)));
  }

  /** Whether this machine's C library has what it takes. */
  static boolean isPossible() {
    if (!NEEDED.stream().allMatch(Libc::has)) {
      return false;
    }
    int self = Libc.openProcess(ProcessHandle.current().pid());
    if (self >= 0) {
      Libc.close(self);
    }
    return self >= 0;
  }

  /** The inherited variables byte for byte, as far as steps get them. */
  static Map<String, byte[]> inheritedEnvironment(Path environ) {
    Map<String, byte[]> kept = new LinkedHashMap<>();
    for (String entry : entries(environ)) {
      int equals = entry.indexOf('=');
      if (equals > 0 && Launch.isInherited(entry.substring(0, equals))) {
        kept.put(entry.substring(0, equals), entry.getBytes(StandardCharsets.ISO_8859_1));
      }
    }
    return kept;
  }

  private static List<String> entries(Path environ) {
    try {
      return List.of(Files.readString(environ, StandardCharsets.ISO_8859_1).split("\0"));
    } catch (IOException notShown) {
      List<String> entries = new ArrayList<>();
      System.getenv().forEach((name, value) -> entries
          .add(new String((name + "=" + value).getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1)));
      return entries;
    }
  }

  private static MethodHandle pointers(String symbol, int count) {
    return Libc.call(symbol,
        count == 1 ? FunctionDescriptor.of(JAVA_INT, ADDRESS) : FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS));
  }

  private static MemorySegment attributes(Arena arena) {
    MemorySegment attributes = arena.allocate(OPAQUE_BYTES, 16);
    MemorySegment noSignal = arena.allocate(OPAQUE_BYTES, 16);
    MemorySegment everySignal = arena.allocate(OPAQUE_BYTES, 16);
    Libc.making(() -> {
      int _ = (int) pointers("sigemptyset", 1).invokeExact(noSignal);
      int _ = (int) pointers("sigfillset", 1).invokeExact(everySignal);
      int _ = (int) pointers("posix_spawnattr_init", 1).invokeExact(attributes);
      int _ = (int) pointers("posix_spawnattr_setsigmask", 2).invokeExact(attributes, noSignal);
      int _ = (int) pointers("posix_spawnattr_setsigdefault", 2).invokeExact(attributes, everySignal);
      return (int) Libc.call("posix_spawnattr_setflags", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_SHORT))
          .invokeExact(attributes, SETSIGDEF_SETSIGMASK_SETSID);
    });
    return attributes;
  }

  private static MemorySegment terminated(SegmentAllocator allocator, byte[] text) {
    MemorySegment segment = allocator.allocate(text.length + 1L);
    MemorySegment.copy(text, 0, segment, JAVA_BYTE, 0, text.length);
    segment.set(JAVA_BYTE, text.length, (byte) 0);
    return segment;
  }

  @Override
  public Attempt spawn(Launch launch) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment ends = arena.allocate(JAVA_INT, 2);
      Libc.Answer pipe = Libc.uninterrupted(Libc.errnoPlace(arena),
          state -> (int) PIPE.invokeExact(state, ends, O_CLOEXEC));
      if (pipe.value() != 0) {
        return failed(launch, pipe.errno());
      }
      int read = ends.getAtIndex(JAVA_INT, 0);
      int write = ends.getAtIndex(JAVA_INT, 1);
      MemorySegment pid = arena.allocate(JAVA_INT);
      int errno;
      try {
        errno = execute(arena, launch, write, pid);
      } finally {
        Libc.close(write);
      }
      if (errno != 0) {
        Libc.close(read);
        return failed(launch, errno);
      }
      return watched(launch, new NativeLeader(pid.get(JAVA_INT, 0), read));
    }
  }

  /** A process whose end could not be noticed, because there is no descriptor left for it, is not let run. */
  private static Attempt watched(Launch launch, NativeLeader leader) {
    if (leader.isWatched()) {
      return new Begun(leader);
    }
    int _ = Libc.kill(-leader.pid(), Libc.SIGKILL);
    Processes.Exit _ = leader.reap();
    leader.close();
    return new Failed(
        new Processes.NotStarted(Launch.NOT_STARTED, launch.program() + ": no file descriptor is left to watch it"));
  }

  private int execute(Arena arena, Launch launch, int output, MemorySegment pid) {
    MemorySegment environment = environment(arena, launch.additions());
    MemorySegment actions = arena.allocate(OPAQUE_BYTES, 16);
    return Libc.making(() -> {
      int initialised = (int) ACTIONS_INIT.invokeExact(actions);
      if (initialised != 0) {
        return initialised;
      }
      try {
        int _ = (int) ADD_OPEN.invokeExact(actions, 0, nullDevice, 0, 0);
        int _ = (int) ADD_DUP.invokeExact(actions, output, 1);
        int _ = (int) ADD_DUP.invokeExact(actions, output, 2);
        int _ = (int) ADD_CLOSE_FROM.invokeExact(actions, 3);
        int _ = (int) ADD_CHDIR.invokeExact(actions, homeName);
        int errno = (int) SPAWN.invokeExact(pid, arena.allocateFrom(launch.program()), actions, attributes,
            strings(arena, launch.argv()), environment);
        if (errno != Libc.ENOEXEC) {
          return errno;
        }
        // A script that does not say who reads it: the shell does, as execvp has it.
        List<String> shell = new ArrayList<>(List.of("/bin/sh", launch.program()));
        shell.addAll(launch.argv().subList(1, launch.argv().size()));
        return (int) SPAWN.invokeExact(pid, arena.allocateFrom("/bin/sh"), actions, attributes, strings(arena, shell),
            environment);
      } finally {
        int _ = (int) ACTIONS_DESTROY.invokeExact(actions);
      }
    });
  }

  private static MemorySegment strings(Arena arena, List<String> texts) {
    MemorySegment pointers = arena.allocate(ADDRESS, texts.size() + 1L);
    for (int i = 0; i < texts.size(); i++) {
      pointers.setAtIndex(ADDRESS, i, arena.allocateFrom(texts.get(i)));
    }
    pointers.setAtIndex(ADDRESS, texts.size(), MemorySegment.NULL);
    return pointers;
  }

  private MemorySegment environment(Arena arena, Map<String, String> additions) {
    MemorySegment pointers = arena.allocate(ADDRESS, inherited.size() + additions.size() + 1L);
    int count = 0;
    for (Map.Entry<String, MemorySegment> entry : inherited.entrySet()) {
      if (!additions.containsKey(entry.getKey())) {
        pointers.setAtIndex(ADDRESS, count++, entry.getValue());
      }
    }
    for (Map.Entry<String, String> entry : additions.entrySet()) {
      pointers.setAtIndex(ADDRESS, count++, arena.allocateFrom(entry.getKey() + "=" + entry.getValue()));
    }
    pointers.setAtIndex(ADDRESS, count, MemorySegment.NULL);
    return pointers;
  }

  private Attempt failed(Launch launch, int errno) {
    if (!Files.isDirectory(home)) {
      return new Failed(new Processes.NotStarted(Launch.NOT_STARTED, "the home " + home + " is no directory"));
    }
    return new Failed(new Processes.NotStarted(errno == Libc.ENOENT ? Launch.NOT_FOUND : Launch.NOT_STARTED,
        launch.program() + ": " + Libc.describe(errno).toLowerCase(Locale.ROOT)));
  }
}
