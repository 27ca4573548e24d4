package fleet.tower.lock.file;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Lease;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.BootStamp;
import fleet.tower.platform.time.Timestamps;

/**
 * A side file with the boot-clock time of a holder's last heartbeat. With it, a step of the wall clock alone makes no
 * lock stale.
 *
 * <p>The file has two lines of fixed width. A heartbeat overwrites the line that is not evidence for the current lock,
 * and only then renews the lock; if it fails or dies in between, the evidence of the previous heartbeat is intact. A
 * line that is torn, or that describes another heartbeat, grant or boot, is not evidence; the wall clock alone then
 * decides.
 */
final class BeatFile {
  static final int LINE_BYTES = 192;
  private static final int MILLIS_DIGITS = 3;
  private static final String BEGINNING = "{\"last_heartbeat_at\":\"";

  private BeatFile() {}

  /**
   * Records the heartbeat of {@code renewed} at {@code stamp}; keeps the line with the evidence for {@code existing}.
   */
  static LockDirectory.Patch record(@Nullable Lease existing, Lease renewed, BootStamp stamp) {
    return current -> new LockDirectory.Piece(spareLine(current, existing, stamp) * LINE_BYTES,
        line(renewed, stamp));
  }

  /** Milliseconds by the boot clock since the heartbeat of {@code lease}; empty if the file holds no evidence of it. */
  static OptionalLong millisSinceHeartbeat(byte @Nullable [] content, Lease lease, BootStamp now) {
    BootStamp latest = content == null
        ? null
        : latest(evidence(content, 0, lease, now), evidence(content, 1, lease, now));
    return latest == null ? OptionalLong.empty() : now.millisSince(latest);
  }

  /** The same since the last heartbeat of any lease; empty if there was none on this boot, as far as the file shows. */
  static OptionalLong millisSinceLast(byte @Nullable [] content, BootStamp now) {
    BootStamp latest = content == null
        ? null
        : latest(stamp(content, 0, _ -> true, now), stamp(content, 1, _ -> true, now));
    return latest == null ? OptionalLong.empty() : now.millisSince(latest);
  }

  /** The line to overwrite: the one that is not evidence for the current lock; if both are, the older one. */
  private static int spareLine(byte[] content, @Nullable Lease existing, BootStamp now) {
    BootStamp first = existing == null ? null : evidence(content, 0, existing, now);
    BootStamp second = existing == null ? null : evidence(content, 1, existing, now);
    return first != null && (second == null || second.millis() < first.millis()) ? 1 : 0;
  }

  private static byte[] line(Lease lease, BootStamp stamp) {
    String json = JsonWriter.line().put("last_heartbeat_at", lease.lastHeartbeatAt()).put("boot_id", stamp.bootId())
        .raw("boot_seconds", seconds(stamp.millis()))
        .put("fencing_token", lease.token().value()).end();
    String padded = json + " ".repeat(Math.max(0, LINE_BYTES - 1 - json.length())) + "\n";
    return padded.getBytes(StandardCharsets.US_ASCII);
  }

  /** The boot-clock time of {@code lease}'s heartbeat, or null; stamps of different boots are not comparable. */
  private static @Nullable BootStamp evidence(byte[] content, int line, Lease lease, BootStamp now) {
    return begins(content, line * LINE_BYTES, lease) ? stamp(content, line, json -> isOf(json, lease), now) : null;
  }

  private static boolean isOf(JsonObject json, Lease lease) {
    boolean sameHeartbeat = json.text("last_heartbeat_at").flatMap(Timestamps::parse)
        .filter(lease.lastHeartbeatAt()::equals).isPresent();
    return sameHeartbeat && json.integer("fencing_token").orElse(-1) == lease.token().value();
  }

  private static @Nullable BootStamp stamp(byte[] content, int line, Predicate<JsonObject> isWanted, BootStamp now) {
    int from = line * LINE_BYTES;
    if (content.length < from + LINE_BYTES) {
      return null;
    }
    try {
      JsonObject json = JsonReader.readObject(new String(content, from, LINE_BYTES, StandardCharsets.US_ASCII));
      if (isWanted.test(json) && json.get("boot_seconds") instanceof JsonValue.Numeral seconds) {
        long millis = millis(seconds.literal());
        return json.text("boot_id").filter(now.bootId()::equals).map(id -> new BootStamp(id, millis)).orElse(null);
      }
      return null;
    } catch (JsonException | NumberFormatException torn) {
      return null;
    }
  }

  /** Formatted by hand: the JDK's first decimal formatting costs a short command 9 ms. */
  private static String seconds(long millis) {
    String digits = "000" + millis;
    return millis / 1000 + "." + digits.substring(digits.length() - MILLIS_DIGITS);
  }

  private static long millis(String seconds) {
    int point = seconds.length() - MILLIS_DIGITS - 1;
    if (point < 1 || seconds.charAt(point) != '.') {
      throw new NumberFormatException("not seconds with three decimals: " + seconds);
    }
    return Long.parseLong(seconds.substring(0, point) + seconds.substring(point + 1));
  }

  /** A cheap check before the line is parsed; one of the two lines almost never passes it. */
  private static boolean begins(byte[] content, int from, Lease lease) {
    byte[] beginning = (BEGINNING + Timestamps.format(lease.lastHeartbeatAt())).getBytes(StandardCharsets.US_ASCII);
    return content.length >= from + LINE_BYTES
        && Arrays.equals(content, from, from + beginning.length, beginning, 0, beginning.length);
  }

  private static @Nullable BootStamp latest(@Nullable BootStamp one, @Nullable BootStamp other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return one.millis() >= other.millis() ? one : other;
  }
}
