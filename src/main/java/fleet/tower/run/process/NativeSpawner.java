package fleet.tower.run.process;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import fleet.tower.platform.process.Libc;
import fleet.tower.run.Processes;

/**
 * Starts processes with {@code posix_spawn}: no helper process is executed before the program, which halves the time of
 * a short step. The child inherits no file descriptor and no blocked or ignored signal, and has a session of its own.
 */
final class NativeSpawner implements Spawner {
  private static final List<String> NEEDED = List.of("posix_spawn", "posix_spawn_file_actions_addchdir_np",
      "posix_spawn_file_actions_addclosefrom_np", "pipe2", "waitid", "poll", "eventfd");
  private static final short SETSIGDEF_SETSIGMASK_SETSID = 0x04 | 0x08 | 0x80;
  private static final int O_CLOEXEC = 0x80000;
  /** More than any C library needs for the opaque structures. */
  private static final int OPAQUE_BYTES = 1024;

  private static final MemorySegment SPAWN = Libc.function("posix_spawn");
  private static final MemorySegment PIPE = Libc.function("pipe2");
  private static final MemorySegment ACTIONS_INIT = Libc.function("posix_spawn_file_actions_init");
  private static final MemorySegment ACTIONS_DESTROY = Libc.function("posix_spawn_file_actions_destroy");
  private static final MemorySegment ADD_OPEN = Libc.function("posix_spawn_file_actions_addopen");
  private static final MemorySegment ADD_DUP = Libc.function("posix_spawn_file_actions_adddup2");
  private static final MemorySegment ADD_CHDIR = Libc.function("posix_spawn_file_actions_addchdir_np");
  private static final MemorySegment ADD_CLOSE_FROM = Libc.function("posix_spawn_file_actions_addclosefrom_np");

  private final Path home;
  private final MemorySegment homeName;
  private final MemorySegment nullDevice;
  private final MemorySegment attributes;
  private final Map<String, MemorySegment> inherited = new LinkedHashMap<>();

  NativeSpawner(Path home, Map<String, byte[]> environment) {
    this.home = home;
    // Kept as long as this process lives: a few kilobytes that every step uses.
    Arena arena = Arena.ofAuto();
    homeName = arena.allocateFrom(home.toString());
    nullDevice = arena.allocateFrom("/dev/null");
    attributes = attributes(arena);
    environment.forEach((name, entry) -> inherited.put(name, Libc.terminated(arena, entry)));
  }

  /** Whether the C library of this machine has all the functions. */
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

  /** The variables that steps inherit, byte for byte. */
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

  /** The variables of this process, each byte as a character. */
  static List<String> entries(Path environ) {
    try {
      return List.of(Files.readString(environ, StandardCharsets.ISO_8859_1).split("\0"));
    } catch (IOException notShown) {
      List<String> entries = new ArrayList<>();
      System.getenv().forEach((name, value) -> entries
          .add(new String((name + "=" + value).getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1)));
      return entries;
    }
  }

  private static MemorySegment attributes(Arena arena) {
    MemorySegment attributes = arena.allocate(OPAQUE_BYTES, 16);
    MemorySegment noSignal = arena.allocate(OPAQUE_BYTES, 16);
    MemorySegment everySignal = arena.allocate(OPAQUE_BYTES, 16);
    call("sigemptyset", noSignal.address());
    call("sigfillset", everySignal.address());
    call("posix_spawnattr_init", attributes.address());
    call("posix_spawnattr_setsigmask", attributes.address(), noSignal.address());
    call("posix_spawnattr_setsigdefault", attributes.address(), everySignal.address());
    call("posix_spawnattr_setflags", attributes.address(), SETSIGDEF_SETSIGMASK_SETSID);
    return attributes;
  }

  private static void call(String symbol, long... words) {
    Libc.Result _ = Libc.call(Libc.function(symbol), words);
  }

  @Override
  public Attempt spawn(Launch launch) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment ends = arena.allocate(JAVA_INT, 2);
      Libc.Result pipe = Libc.uninterrupted(PIPE, ends.address(), O_CLOEXEC);
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

  /** Kills a process whose end could not be detected, because no file descriptor is left for it. */
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
    int initialised = Libc.call(ACTIONS_INIT, actions.address()).value();
    if (initialised != 0) {
      return initialised;
    }
    try {
      Libc.Result _ = Libc.call(ADD_OPEN, actions.address(), 0, nullDevice.address(), 0, 0);
      Libc.Result _ = Libc.call(ADD_DUP, actions.address(), output, 1);
      Libc.Result _ = Libc.call(ADD_DUP, actions.address(), output, 2);
      Libc.Result _ = Libc.call(ADD_CLOSE_FROM, actions.address(), 3);
      Libc.Result _ = Libc.call(ADD_CHDIR, actions.address(), homeName.address());
      int errno = Libc.call(SPAWN, pid.address(), arena.allocateFrom(launch.program()).address(), actions.address(),
          attributes.address(), strings(arena, launch.argv()), environment.address()).value();
      if (errno != Libc.ENOEXEC) {
        return errno;
      }
      // A script without an interpreter line is run by the shell, as execvp does.
      List<String> shell = new ArrayList<>(List.of("/bin/sh", launch.program()));
      shell.addAll(launch.argv().subList(1, launch.argv().size()));
      return Libc.call(SPAWN, pid.address(), arena.allocateFrom("/bin/sh").address(), actions.address(),
          attributes.address(), strings(arena, shell), environment.address()).value();
    } finally {
      Libc.Result _ = Libc.call(ACTIONS_DESTROY, actions.address());
    }
  }

  private static long strings(Arena arena, List<String> texts) {
    return Libc.pointers(arena, texts.stream().map(arena::allocateFrom).toList()).address();
  }

  private MemorySegment environment(Arena arena, Map<String, String> additions) {
    List<MemorySegment> entries = new ArrayList<>();
    inherited.forEach((name, entry) -> {
      if (!additions.containsKey(name)) {
        entries.add(entry);
      }
    });
    additions.forEach((name, value) -> entries.add(arena.allocateFrom(name + "=" + value)));
    return Libc.pointers(arena, entries);
  }

  private Attempt failed(Launch launch, int errno) {
    if (!Files.isDirectory(home)) {
      return new Failed(new Processes.NotStarted(Launch.NOT_STARTED, "the home " + home + " is not a directory"));
    }
    return new Failed(new Processes.NotStarted(errno == Libc.ENOENT ? Launch.NOT_FOUND : Launch.NOT_STARTED,
        launch.program() + ": " + Libc.describe(errno).toLowerCase(Locale.ROOT)));
  }
}
