package fleet.tower.guard.process;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.process.Libc;

/** Starts processes by {@code posix_spawn} with the caller's directory, input and output. */
final class GroupSpawner {
  private static final int SETPGROUP = 0x02;
  private static final int SETSIGDEF = 0x04;
  private static final int SETSIGMASK = 0x08;
  private static final int SETSID = 0x80;
  /** More bytes than any C library needs for the opaque structures. */
  private static final int OPAQUE_BYTES = 1024;
  private static final int FIRST_NOT_STANDARD = 3;
  private static final int O_RDWR = 2;
  private static final String GIVE_TERMINAL = "posix_spawn_file_actions_addtcsetpgrp_np";

  private static final MemorySegment SPAWN = Libc.function("posix_spawn");
  private static final MemorySegment SPAWN_ON_PATH = Libc.function("posix_spawnp");
  private static final MemorySegment ACTIONS_INIT = Libc.function("posix_spawn_file_actions_init");
  private static final MemorySegment ACTIONS_DESTROY = Libc.function("posix_spawn_file_actions_destroy");
  private static final MemorySegment ADD_OPEN = Libc.function("posix_spawn_file_actions_addopen");
  private static final MemorySegment ADD_DUP = Libc.function("posix_spawn_file_actions_adddup2");
  private static final MemorySegment ATTRIBUTES_INIT = Libc.function("posix_spawnattr_init");
  private static final MemorySegment SET_FLAGS = Libc.function("posix_spawnattr_setflags");
  private static final MemorySegment SET_DEFAULT = Libc.function("posix_spawnattr_setsigdefault");
  private static final MemorySegment SET_MASK = Libc.function("posix_spawnattr_setsigmask");
  private static final MemorySegment EMPTY = Libc.function("sigemptyset");
  private static final MemorySegment ADD = Libc.function("sigaddset");

  private GroupSpawner() {}

  /** The result: a process, or an error number that is not 0. */
  record Attempt(int pid, int errno) {}

  /** Finds all functions. */
  static void prepare() {
    if (SPAWN.address() == 0) {
      throw new IllegalStateException("a function without an address");
    }
  }

  /** Starts a command as a process group of its own, in the terminal's foreground if this process is there. */
  static Attempt spawn(List<String> argv, List<byte[]> environment, @Nullable Terminal terminal) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment actions = actions(arena);
      boolean inForeground = terminal != null && terminal.isOurs();
      boolean given = inForeground && Libc.has(GIVE_TERMINAL);
      if (terminal != null && given) {
        call(Libc.function(GIVE_TERMINAL), actions.address(), terminal.descriptor());
      }
      closeFrom(actions);
      MemorySegment attributes = attributes(arena, SETPGROUP | SETSIGDEF | SETSIGMASK,
          terminal == null ? List.of() : terminal.ignored());
      List<MemorySegment> arguments = argv.stream().map(text -> Libc.terminated(arena, text)).toList();
      Attempt attempt = execute(arena, SPAWN_ON_PATH, arguments, environment, actions, attributes);
      if (attempt.errno() == Libc.ENOEXEC) {
        // A script without an interpreter line: the shell runs it, as execvp does.
        List<MemorySegment> shell = new ArrayList<>(List.of(Libc.terminated(arena, "/bin/sh")));
        shell.addAll(arguments);
        attempt = execute(arena, SPAWN, shell, environment, actions, attributes);
      }
      call(ACTIONS_DESTROY, actions.address());
      if (terminal != null && inForeground && (attempt.errno() != 0 || !given)) {
        terminal.give(attempt.errno() == 0 ? attempt.pid() : terminal.ourGroup());
      }
      return attempt;
    }
  }

  /** Starts a program in a session of its own, which reads from a descriptor and prints nowhere. */
  static Attempt spawnApart(List<String> argv, List<byte[]> environment, int input) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment actions = actions(arena);
      call(ADD_DUP, actions.address(), input, 0);
      MemorySegment nowhere = Libc.terminated(arena, "/dev/null");
      call(ADD_OPEN, actions.address(), 1, nowhere.address(), O_RDWR, 0);
      call(ADD_DUP, actions.address(), 1, 2);
      closeFrom(actions);
      List<MemorySegment> arguments = argv.stream().map(text -> Libc.terminated(arena, text)).toList();
      Attempt attempt = execute(arena, SPAWN_ON_PATH, arguments, environment, actions,
          attributes(arena, SETSID | SETSIGMASK, List.of()));
      call(ACTIONS_DESTROY, actions.address());
      return attempt;
    }
  }

  private static Attempt execute(Arena arena, MemorySegment function, List<MemorySegment> argv,
      List<byte[]> environment, MemorySegment actions, MemorySegment attributes) {
    MemorySegment pid = arena.allocate(Integer.BYTES, Integer.BYTES);
    List<MemorySegment> entries = environment.stream().map(entry -> Libc.terminated(arena, entry)).toList();
    int errno = Libc.call(function, pid.address(), argv.getFirst().address(), actions.address(), attributes.address(),
        Libc.pointers(arena, argv).address(), Libc.pointers(arena, entries).address()).value();
    return new Attempt(Libc.integer(pid, 0), errno);
  }

  private static MemorySegment actions(Arena arena) {
    MemorySegment actions = arena.allocate(OPAQUE_BYTES, 16);
    call(ACTIONS_INIT, actions.address());
    return actions;
  }

  /** Java opens some descriptors that an exec does not close. */
  private static void closeFrom(MemorySegment actions) {
    call(Libc.function("posix_spawn_file_actions_addclosefrom_np"), actions.address(), FIRST_NOT_STANDARD);
  }

  private static MemorySegment attributes(Arena arena, int flags, List<Integer> reset) {
    MemorySegment attributes = arena.allocate(OPAQUE_BYTES, 16);
    MemorySegment signals = arena.allocate(OPAQUE_BYTES, 16);
    call(ATTRIBUTES_INIT, attributes.address());
    call(EMPTY, signals.address());
    call(SET_MASK, attributes.address(), signals.address());
    reset.forEach(signal -> call(ADD, signals.address(), signal));
    call(SET_DEFAULT, attributes.address(), signals.address());
    call(SET_FLAGS, attributes.address(), flags);
    return attributes;
  }

  private static void call(MemorySegment function, long... words) {
    Libc.Result _ = Libc.call(function, words);
  }
}
