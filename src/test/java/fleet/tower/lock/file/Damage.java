package fleet.tower.lock.file;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;

/** Damages a file in one to three ways, the same for the same seed. */
final class Damage {
  private static final List<String> VALUES = List.of("null", "true", "-1", "0", "1e400", "900.5", "1e99999999999",
      "9223372036854775807", "9223372036854775808", "999999999999999999", "100000000000000000000", "\"\"", "\"v2\"",
      "\"../x\"", "\"a\\u0000b\"", "\"\\ud800\"", "\"2099-01-01T00:00:00Z\"", "\"0000-01-01T00:00:00Z\"",
      "\"9999-12-31T23:59:59.999999999Z\"", "[]", "{}", "{\"fencing_token\":-1}", "[[[[[[]]]]]]", "\"a[$(id)]\"",
      "1", "\"2025-12-18T10:30:10+00:00\"", "86400");

  private Damage() {}

  static byte[] to(byte[] good, RandomGenerator random) {
    byte[] content = good.clone();
    for (int ways = 1 + random.nextInt(3); ways > 0; ways--) {
      content = once(content, random);
    }
    return content;
  }

  private static byte[] once(byte[] content, RandomGenerator random) {
    if (content.length == 0) {
      return content;
    }
    int at = random.nextInt(content.length);
    return switch (random.nextInt(9)) {
      case 0 -> flipped(content, at, random);
      case 1 -> Arrays.copyOf(content, at);
      case 2 -> joined(content, at, Math.min(content.length, at + random.nextInt(20)), "");
      case 3 -> joined(content, at, at, piece(random));
      case 4 -> joined(content, 0, content.length,
          new String(content, StandardCharsets.UTF_8) + (random.nextBoolean() ? "\u0000" : "}"));
      case 5 -> joined(content, at, at, new String(content, at, Math.min(60, content.length - at),
          StandardCharsets.UTF_8));
      default -> swapped(content, random);
    };
  }

  private static byte[] flipped(byte[] content, int at, RandomGenerator random) {
    byte[] flipped = content.clone();
    flipped[at] ^= (byte) (1 << random.nextInt(8));
    return flipped;
  }

  private static String piece(RandomGenerator random) {
    return switch (random.nextInt(5)) {
      case 0 -> "[".repeat(random.nextInt(5000));
      case 1 -> "{\"a\":".repeat(random.nextInt(100));
      case 2 -> "9".repeat(random.nextInt(3000));
      case 3 -> " ".repeat(random.nextInt(3000));
      default -> VALUES.get(random.nextInt(VALUES.size()));
    };
  }

  /** Replaces the value after one of the colons. */
  private static byte[] swapped(byte[] content, RandomGenerator random) {
    String text = new String(content, StandardCharsets.UTF_8);
    int colon = text.indexOf(": ", random.nextInt(text.length()));
    int end = colon < 0 ? -1 : text.indexOf(",", colon);
    String value = VALUES.get(random.nextInt(VALUES.size()));
    String swapped = end < 0 ? text : text.substring(0, colon + 2) + value + text.substring(end);
    return swapped.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] joined(byte[] content, int until, int from, String between) {
    byte[] middle = between.getBytes(StandardCharsets.UTF_8);
    byte[] joined = Arrays.copyOf(content, until + middle.length + content.length - from);
    System.arraycopy(middle, 0, joined, until, middle.length);
    System.arraycopy(content, from, joined, until + middle.length, content.length - from);
    return joined;
  }
}
