package fleet.tower.platform.time;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Linux's clock since boot, read through the C library without entering the kernel. Loading this class takes a fresh
 * process tens of milliseconds.
 */
@SuppressWarnings("restricted")
final class NativeBootClock {
  private static final int CLOCK_BOOTTIME = 7;
  private static final long NANOS_IN_A_HUNDREDTH = 10_000_000;
  private static final MethodHandle READ = Linker.nativeLinker().downcallHandle(
      Linker.nativeLinker().defaultLookup().findOrThrow("clock_gettime"),
      FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS), Linker.Option.critical(true));

  private NativeBootClock() {}

  /** Milliseconds since boot, truncated to hundredths of a second as in {@code /proc/uptime}; -1 if there are none. */
  static long millis() {
    // The seconds and nanoseconds of a timespec on every 64-bit Linux.
    long[] time = new long[2];
    int result;
    try {
      result = (int) READ.invokeExact(CLOCK_BOOTTIME, MemorySegment.ofArray(time));
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("invalid call of the C library", e);
    }
    return result == 0 ? time[0] * 1000 + time[1] / NANOS_IN_A_HUNDREDTH * 10 : -1;
  }
}
