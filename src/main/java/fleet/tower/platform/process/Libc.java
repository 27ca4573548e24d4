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
 * The calls of the C library that Java has no words for; those that glibc has had since 2.34 may be missing.
 *
 * <p>Every function is called in one way: with six words, of which it takes the first few, as whole numbers and addresses come
 * in registers on every 64-bit Linux. For Java makes a piece of code for each way to call, which takes a fresh process some
 * milliseconds; with one way for each function it took a tenth of a second.
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
  private static final ThreadLocal<MemorySegment> ERRNO_PLACE = ThreadLocal
      .withInitial(() -> Arena.ofAuto().allocate(STATE));

  private static final MemorySegment KILL = function("kill");
  private static final MemorySegment CLOSE = function("close");
  private static final MemorySegment SYSCALL = function("syscall");

  private Libc() {}

  /** What a call answered, and why it failed where it did. */
  public record Answer(int value, int errno) {}

  public static boolean has(String symbol) {
    return SYMBOLS.find(symbol).isPresent();
  }

  /** A function to call; it must take whole numbers and addresses alone, six at most. */
  public static MemorySegment function(String symbol) {
    return SYMBOLS.findOrThrow(symbol);
  }

  /** Calls a function with its arguments. */
  public static Answer call(MemorySegment function, long... words) {
    if (words.length > 6) {
      throw new IllegalStateException("a function with " + words.length + " arguments");
    }
    // Most functions answer an int, and what stands above it in the register means nothing.
    int value = (int) wide(function, words);
    return new Answer(value, value < 0 ? integer(ERRNO_PLACE.get(), ERRNO_OFFSET) : 0);
  }

  private static long wide(MemorySegment function, long... words) {
    try {
      return (long) CALL.invokeExact(function, ERRNO_PLACE.get(), word(words, 0), word(words, 1), word(words, 2),
          word(words, 3), word(words, 4), word(words, 5));
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("a call into the C library was made wrongly", e);
    }
  }

  private static long word(long[] words, int index) {
    return index < words.length ? words[index] : 0;
  }

  /** Calls a function that answers an address. */
  public static long pointer(String symbol, long... words) {
    return wide(function(symbol), words);
  }

  /** Calls a function again as long as a signal comes between. */
  public static Answer uninterrupted(MemorySegment function, long... words) {
    for (;;) {
      Answer answer = call(function, words);
      if (answer.errno() != EINTR) {
        return answer;
      }
    }
  }

  /** A number in memory. Copies as arrays need no code to be made, as single reads and writes do in a fresh process. */
  public static int integer(MemorySegment segment, long offset) {
    int[] one = new int[1];
    MemorySegment.copy(segment, JAVA_INT, offset, one, 0, 1);
    return one[0];
  }

  /** A text as C has it. */
  public static MemorySegment terminated(Arena arena, String text) {
    return terminated(arena, text.getBytes(StandardCharsets.UTF_8));
  }

  /** A text as C has it; its bytes may be in any encoding. */
  public static MemorySegment terminated(Arena arena, byte[] text) {
    // Fresh memory is all zero, so that the text ends where it is over.
    MemorySegment segment = arena.allocate(text.length + 1L);
    MemorySegment.copy(text, 0, segment, JAVA_BYTE, 0, text.length);
    return segment;
  }

  /** A list of addresses that ends with none, as arguments and environments are. */
  public static MemorySegment pointers(Arena arena, List<MemorySegment> targets) {
    long[] addresses = new long[targets.size() + 1];
    for (int i = 0; i < targets.size(); i++) {
      addresses[i] = targets.get(i).address();
    }
    MemorySegment pointers = arena.allocate(JAVA_LONG.byteSize() * addresses.length, JAVA_LONG.byteAlignment());
    MemorySegment.copy(addresses, 0, pointers, JAVA_LONG, 0, addresses.length);
    return pointers;
  }

  /** Sends a signal to a process, or to a group by its negative number; the error number, 0 for none. */
  public static int kill(long processOrGroup, int signal) {
    return call(KILL, processOrGroup, signal).errno();
  }

  /** Whether a group has a member, be it one that may not be signalled. */
  public static boolean groupExists(long group) {
    return kill(-group, 0) != ESRCH;
  }

  /** A descriptor that stays with this process when its number is given to another; -1 when there is none. */
  public static int openProcess(long pid) {
    return call(SYSCALL, SYS_PIDFD_OPEN, pid, 0).value();
  }

  public static void signalProcess(int descriptor, int signal) {
    Answer _ = call(SYSCALL, SYS_PIDFD_SEND_SIGNAL, descriptor, signal, 0, 0);
  }

  public static void close(int descriptor) {
    Answer _ = call(CLOSE, descriptor);
  }

  /** The words for an error number. */
  public static String describe(int errno) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocate(256);
      // The POSIX form, which fills the buffer; the GNU form may leave it alone and answer an address instead.
      Answer answer = call(function("__xpg_strerror_r"), errno, text.address(), text.byteSize());
      return answer.value() == 0 ? text.getString(0) : "error " + errno;
    }
  }
}
