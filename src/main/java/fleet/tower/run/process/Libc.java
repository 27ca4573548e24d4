package fleet.tower.run.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/** The calls of the C library that Java has no words for; those that glibc has had since 2.34 may be missing. */
@SuppressWarnings("restricted")
final class Libc {
  static final int SIGKILL = 9;
  static final int SIGTERM = 15;
  static final int SIGCONT = 18;
  static final int ENOENT = 2;
  static final int EINTR = 4;
  static final int ENOEXEC = 8;
  static final int ESRCH = 3;

  private static final int SYS_PIDFD_SEND_SIGNAL = 424;
  private static final int SYS_PIDFD_OPEN = 434;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final Linker.Option KEEP_ERRNO = Linker.Option.captureCallState("errno");

  private static final MethodHandle KILL = call("kill", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT),
      KEEP_ERRNO);
  private static final MethodHandle CLOSE = call("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  private static final MethodHandle STRERROR = call("strerror", FunctionDescriptor.of(ADDRESS, JAVA_INT));
  private static final MethodHandle PIDFD_OPEN = call("syscall",
      FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT), Linker.Option.firstVariadicArg(1));
  private static final MethodHandle PIDFD_SEND_SIGNAL = call("syscall",
      FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT),
      Linker.Option.firstVariadicArg(1));

  private Libc() {}

  /** What a call answered, and why it failed where it did. */
  record Answer(int value, int errno) {}

  /** A call that has to be made with the place for its error number. */
  interface ErrnoCall {
    int make(MemorySegment state) throws Throwable;
  }

  static boolean has(String symbol) {
    return LINKER.defaultLookup().find(symbol).isPresent();
  }

  static MethodHandle call(String symbol, FunctionDescriptor descriptor, Linker.Option... options) {
    return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(symbol), descriptor, options);
  }

  static MethodHandle callWithErrno(String symbol, FunctionDescriptor descriptor) {
    return call(symbol, descriptor, KEEP_ERRNO);
  }

  /** Makes a call again as long as a signal comes between. */
  static Answer uninterrupted(MemorySegment state, ErrnoCall call) {
    for (;;) {
      int value = making(() -> call.make(state));
      int errno = value < 0 ? (int) ERRNO.get(state, 0L) : 0;
      if (errno != EINTR) {
        return new Answer(value, errno);
      }
    }
  }

  static MemorySegment errnoPlace(Arena arena) {
    return arena.allocate(STATE);
  }

  /** A call into the library. */
  interface Call<T> {
    T make() throws Throwable;
  }

  /** What a handle throws by its type is never thrown by a call into C. */
  static <T> T making(Call<T> call) {
    try {
      return call.make();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("a call into the C library was made wrongly", e);
    }
  }

  /** Sends a signal to a process, or to a group by its negative number; the error number, 0 for none. */
  static int kill(long processOrGroup, int signal) {
    try (Arena arena = Arena.ofConfined()) {
      return uninterrupted(errnoPlace(arena),
          state -> (int) KILL.invokeExact(state, Math.toIntExact(processOrGroup), signal)).errno();
    }
  }

  /** Whether a group has a member, be it one that may not be signalled. */
  static boolean groupExists(long group) {
    return kill(-group, 0) != ESRCH;
  }

  /** A descriptor that stays with this process when its number is given to another; -1 when there is none. */
  static int openProcess(long pid) {
    return Math.toIntExact(making(() -> (long) PIDFD_OPEN.invokeExact((long) SYS_PIDFD_OPEN, Math.toIntExact(pid), 0)));
  }

  static void signalProcess(int descriptor, int signal) {
    long _ = making(() -> (long) PIDFD_SEND_SIGNAL.invokeExact((long) SYS_PIDFD_SEND_SIGNAL, descriptor, signal,
        MemorySegment.NULL, 0));
  }

  static void close(int descriptor) {
    int _ = making(() -> (int) CLOSE.invokeExact(descriptor));
  }

  static String describe(int errno) {
    return making(() -> ((MemorySegment) STRERROR.invokeExact(errno)).reinterpret(256).getString(0));
  }
}
