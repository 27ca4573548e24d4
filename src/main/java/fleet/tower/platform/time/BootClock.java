package fleet.tower.platform.time;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

/**
 * Linux's clock since boot, in hundredths of a second; it includes suspended time and is not affected by steps of the
 * wall clock.
 *
 * <p>It is read from {@code /proc}. A process that reads it often, as a service does, calls the C library instead, if
 * that shows the same clock: programs that emulate {@code /proc} in a container show another.
 */
final class BootClock {
  private static final int OFTEN = 1000;

  private final @Nullable String bootId;
  private final @Nullable RandomAccessFile uptime;
  private final AtomicInteger reads = new AtomicInteger();
  private volatile boolean isNative;

  BootClock() {
    this("/proc/sys/kernel/random/boot_id", "/proc/uptime");
  }

  BootClock(String bootIdPath, String uptimePath) {
    String id = null;
    RandomAccessFile open = null;
    try (RandomAccessFile idFile = new RandomAccessFile(bootIdPath, "r")) {
      id = idFile.readLine();
      open = new RandomAccessFile(uptimePath, "r");
    } catch (IOException notLinux) {
      id = null;
    }
    bootId = id;
    uptime = open;
  }

  /** The current time of the clock; null on a system without one. */
  @Nullable
  BootStamp read() {
    if (bootId == null || uptime == null) {
      return null;
    }
    try {
      if (isNative) {
        return new BootStamp(bootId, NativeBootClock.millis());
      }
      if (reads.incrementAndGet() == OFTEN) {
        isNative = isSameClock(uptime);
      }
      return new BootStamp(bootId, millis(uptime));
    } catch (IOException | RuntimeException unreadable) {
      return null;
    }
  }

  private static boolean isSameClock(RandomAccessFile uptime) throws IOException {
    try {
      long first = NativeBootClock.millis();
      long shown = millis(uptime);
      return first >= 0 && first <= shown && shown <= NativeBootClock.millis();
    } catch (LinkageError | RuntimeException unavailable) {
      return false;
    }
  }

  private static long millis(RandomAccessFile uptime) throws IOException {
    byte[] text = new byte[64];
    int length;
    // The kernel generates the content on each read from the start, so one descriptor suffices.
    synchronized (uptime) {
      uptime.seek(0);
      length = uptime.read(text);
    }
    return millis(new String(text, 0, length, StandardCharsets.US_ASCII));
  }

  private static long millis(String uptimeAndIdle) {
    int point = uptimeAndIdle.indexOf('.');
    long seconds = Long.parseLong(uptimeAndIdle.substring(0, point));
    return seconds * 1000 + Long.parseLong(uptimeAndIdle.substring(point + 1, point + 3)) * 10;
  }
}
