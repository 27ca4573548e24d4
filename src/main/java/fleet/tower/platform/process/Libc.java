package fleet.tower.platform.process;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Functions of the C library that Java does not offer; those added in glibc 2.34 may be missing.
 *
 * <p>Every function is called with the same signature: six words, of which it reads the first few, because 64-bit
 * Linux passes integers and addresses in registers. Java generates code for each signature, which takes a fresh
 * process several milliseconds; one signature per function took a tenth of a second.
 */
@SuppressWarnings("restricted")
public final class Libc {
  public static final int SIGKILL = 9;
  public static final int SIGTERM = 15;
  public static final int SIGCONT = 18;
  public static final int ENOENT = 2;
  public static final int EINTR = 4;
  public static final int ENOEXEC = 8;
  public static final int ESRCH = 3;
  public static final int EWOULDBLOCK = 11;
  public static final int EISDIR = 21;

  private static final int SYS_PIDFD_SEND_SIGNAL = 424;
  private static final int SYS_PIDFD_OPEN = 434;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final SymbolLookup SYMBOLS = LINKER.defaultLookup();
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final long ERRNO_OFFSET = STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));
  private static final MethodHandle CALL = LINKER.downcallHandle(
      FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
      Linker.Option.captureCallState("errno"));
  private static final ThreadLocal<MemorySegment> ERRNO_SEGMENT = ThreadLocal
      .withInitial(() -> Arena.ofAuto().allocate(STATE));

  private static final MemorySegment KILL = function("kill");
  private static final MemorySegment CLOSE = function("close");
  private static final MemorySegment SYSCALL = function("syscall");

  private Libc() {}

  /** The return value of a call, and the error number if it failed. */
  public record Result(int value, int errno) {}

  public static boolean has(String symbol) {
    return SYMBOLS.find(symbol).isPresent();
  }

  /** Looks up a function that takes at most six integers and addresses. */
  public static MemorySegment function(String symbol) {
    return SYMBOLS.findOrThrow(symbol);
  }

  /** Calls a function with its arguments. */
  public static Result call(MemorySegment function, long... arguments) {
    if (arguments.length > 6) {
      throw new IllegalStateException("a function with " + arguments.length + " arguments");
    }
    // Most functions return an int; the upper half of the register is undefined.
    int value = (int) invoke(function, arguments);
    return new Result(value, value < 0 ? integer(ERRNO_SEGMENT.get(), ERRNO_OFFSET) : 0);
  }

  private static long invoke(MemorySegment function, long... arguments) {
    try {
      return (long) CALL.invokeExact(function, ERRNO_SEGMENT.get(), argument(arguments, 0), argument(arguments, 1),
          argument(arguments, 2),
          argument(arguments, 3), argument(arguments, 4), argument(arguments, 5));
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("invalid call of the C library", e);
    }
  }

  private static long argument(long[] arguments, int index) {
    return index < arguments.length ? arguments[index] : 0;
  }

  /** Calls a function that returns an address. */
  public static long pointer(String symbol, long... arguments) {
    return invoke(function(symbol), arguments);
  }

  /** Calls a function, repeating the call while signals interrupt it. */
  public static Result uninterrupted(MemorySegment function, long... arguments) {
    for (;;) {
      Result answer = call(function, arguments);
      if (answer.errno() != EINTR) {
        return answer;
      }
    }
  }

  /**
   * Reads an int from memory. Array copies need no generated code, unlike single reads and writes in a fresh process.
   */
  public static int integer(MemorySegment segment, long offset) {
    int[] one = new int[1];
    MemorySegment.copy(segment, JAVA_INT, offset, one, 0, 1);
    return one[0];
  }

  /** A null-terminated string in UTF-8. */
  public static MemorySegment terminated(Arena arena, String text) {
    return terminated(arena, text.getBytes(StandardCharsets.UTF_8));
  }

  /** A null-terminated string of bytes in any encoding. */
  public static MemorySegment terminated(Arena arena, byte[] text) {
    // Allocated memory is zeroed, which terminates the string.
    MemorySegment segment = arena.allocate(text.length + 1L);
    MemorySegment.copy(text, 0, segment, JAVA_BYTE, 0, text.length);
    return segment;
  }

  /** A null-terminated list of addresses, as for arguments and environments. */
  public static MemorySegment pointers(Arena arena, List<MemorySegment> targets) {
    long[] addresses = new long[targets.size() + 1];
    for (int i = 0; i < targets.size(); i++) {
      addresses[i] = targets.get(i).address();
    }
    MemorySegment pointers = arena.allocate(JAVA_LONG.byteSize() * addresses.length, JAVA_LONG.byteAlignment());
    MemorySegment.copy(addresses, 0, pointers, JAVA_LONG, 0, addresses.length);
    return pointers;
  }

  /** Sends a signal to a process, or to a group by its negative id; returns the error number, 0 for success. */
  public static int kill(long processOrGroup, int signal) {
    return call(KILL, processOrGroup, signal).errno();
  }

  /** Whether a group has a member, even one that this process may not signal. */
  public static boolean groupExists(long group) {
    return kill(-group, 0) != ESRCH;
  }

  /** Opens a descriptor that keeps referring to this process when its pid is reused; -1 on failure. */
  public static int openProcess(long pid) {
    return call(SYSCALL, SYS_PIDFD_OPEN, pid, 0).value();
  }

  public static void signalProcess(int descriptor, int signal) {
    Result _ = call(SYSCALL, SYS_PIDFD_SEND_SIGNAL, descriptor, signal, 0, 0);
  }

  public static void close(int descriptor) {
    Result _ = call(CLOSE, descriptor);
  }

  /** The message for an error number. */
  public static String describe(int errno) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocate(256);
      // The POSIX variant, which fills the buffer; the GNU variant may return another address instead.
      Result answer = call(function("__xpg_strerror_r"), errno, text.address(), text.byteSize());
      return answer.value() == 0 ? text.getString(0) : "error " + errno;
    }
  }
}
