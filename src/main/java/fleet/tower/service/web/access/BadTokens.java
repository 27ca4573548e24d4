package fleet.tower.service.web.access;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

import fleet.tower.platform.time.TimeSource;

/**
 * How often somebody came from an address with no token or a bad one. So many a minute are answered and written down one by one;
 * the others are only counted, so that nobody can fill the disk from outside. Whoever has a good token is never counted.
 *
 * <p>A network of 64 bits counts as one address, because in IPv6 it is one customer's. When too many addresses come, the one
 * that was silent longest is forgotten.
 */
final class BadTokens {
  static final int MOST_A_MINUTE = 10;
  static final int MOST_ADDRESSES = 4096;
  private static final long WINDOW_NANOS = Duration.ofMinutes(1).toNanos();
  private static final int NETWORK_BYTES = 8;

  private final TimeSource time;
  private final Map<String, Window> windows = new LinkedHashMap<>(16, 0.75f, true) {
    private static final long serialVersionUID = 1;

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Window> eldest) {
      return size() > MOST_ADDRESSES;
    }
  };

  BadTokens(TimeSource time) {
    this.time = time;
  }

  /** A minute of one address. */
  private static final class Window {
    private long sinceNanos;
    private int refused;
    private int untold;

    Window(long nanos) {
      sinceNanos = nanos;
    }
  }

  /**
   * What to do with another one.
   *
   * @param isOver whether there were too many
   * @param isTold whether it is to be written down
   * @param untold how many were not since the last that was
   * @param retryAfterSeconds when the address is answered again as others are
   */
  record Count(boolean isOver, boolean isTold, int untold, long retryAfterSeconds) {}

  /** Whether another one from an address would be one too many. */
  synchronized boolean isFull(String address) {
    Window window = windows.get(network(address));
    return window != null && window.refused >= MOST_A_MINUTE && time.nanos() - window.sinceNanos < WINDOW_NANOS;
  }

  /** Counts another one. */
  synchronized Count count(String address) {
    long now = time.nanos();
    Window window = windows.computeIfAbsent(network(address), _ -> new Window(now));
    if (now - window.sinceNanos >= WINDOW_NANOS) {
      window.sinceNanos = now;
      window.refused = 0;
    }
    window.refused++;
    boolean isOver = window.refused > MOST_A_MINUTE;
    boolean isTold = window.refused <= MOST_A_MINUTE + 1;
    int untold = isTold ? window.untold : 0;
    window.untold = isTold ? 0 : window.untold + 1;
    long left = window.sinceNanos + WINDOW_NANOS - now;
    return new Count(isOver, isTold, untold, Math.max(1, left / 1_000_000_000 + 1));
  }

  /** How many addresses are remembered. */
  synchronized int size() {
    return windows.size();
  }

  private static String network(String address) {
    try {
      byte[] bytes = InetAddress.ofLiteral(address).getAddress();
      return bytes.length == 16 ? Arrays.toString(Arrays.copyOf(bytes, NETWORK_BYTES)) : address;
    } catch (IllegalArgumentException name) {
      return address;
    }
  }
}
