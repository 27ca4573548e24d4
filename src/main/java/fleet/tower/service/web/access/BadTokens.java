package fleet.tower.service.web.access;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

import fleet.tower.platform.time.TimeSource;

/**
 * Counts calls without a valid token per address. A limited number per minute is answered and audited one by one; the
 * rest is only counted, so that no stranger can fill the disk. Calls with a valid token are never counted.
 *
 * <p>A /64 network counts as one IPv6 address, because it usually belongs to one customer. If there are too many
 * addresses, the one that was silent longest is forgotten.
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

  /** The counts of one address in one minute. */
  private static final class Window {
    private long sinceNanos;
    private int refused;
    private int untold;

    Window(long nanos) {
      sinceNanos = nanos;
    }
  }

  /**
   * The decision about one more bad call.
   *
   * @param isOver whether the limit is exceeded
   * @param isTold whether to audit it
   * @param untold the number suppressed since the last audited one
   * @param retryAfterSeconds when the address is answered normally again
   */
  record Count(boolean isOver, boolean isTold, int untold, long retryAfterSeconds) {}

  /** Whether one more call from the address would exceed the limit. */
  synchronized boolean isFull(String address) {
    Window window = windows.get(network(address));
    return window != null && window.refused >= MOST_A_MINUTE && time.nanos() - window.sinceNanos < WINDOW_NANOS;
  }

  /** Counts one more. */
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

  /** The number of remembered addresses. */
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
