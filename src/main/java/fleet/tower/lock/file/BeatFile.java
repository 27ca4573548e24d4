package fleet.tower.lock.file;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.OptionalLong;

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
 * The side file in which a holder leaves the boot clock's reading of its last heartbeat, so that a step of the wall clock
 * alone makes nobody's lock stale.
 *
 * <p>It has two lines of fixed width. A heartbeat writes the one that does not tell of the lock as it stands, and only then
 * renews the lock; so a heartbeat that fails or dies in between leaves the evidence of the old one whole. A line that is
 * torn, or tells of another heartbeat, tenure or boot, is no evidence, and the wall clock alone decides.
 */
final class BeatFile {
  static final int LINE_BYTES = 192;
  private static final int MILLIS_DIGITS = 3;
  private static final String BEGINNING = "{\"last_heartbeat_at\":\"";

  private BeatFile() {}

  /** Writes that {@code renewed} had its heartbeat at {@code stamp}, sparing the line that speaks of {@code standing}. */
  static LockDirectory.Patch record(@Nullable Lease standing, Lease renewed, BootStamp stamp) {
    return current -> new LockDirectory.Piece(spareLine(current, standing, stamp) * LINE_BYTES,
        line(renewed, stamp));
  }

  /** Milliseconds since the heartbeat of {@code lease} by the boot clock, where the file holds evidence of it. */
  static OptionalLong millisSinceHeartbeat(byte @Nullable [] content, Lease lease, BootStamp now) {
    BootStamp latest = content == null
        ? null
        : latest(evidence(content, 0, lease, now), evidence(content, 1, lease, now));
    return latest == null ? OptionalLong.empty() : now.millisSince(latest);
  }

  /** A line that is no evidence for the lock as it stands; where both are, the older one. */
  private static int spareLine(byte[] content, @Nullable Lease standing, BootStamp now) {
    BootStamp first = standing == null ? null : evidence(content, 0, standing, now);
    BootStamp second = standing == null ? null : evidence(content, 1, standing, now);
    return first != null && (second == null || second.millis() < first.millis()) ? 1 : 0;
  }

  private static byte[] line(Lease lease, BootStamp stamp) {
    String json = JsonWriter.line().put("last_heartbeat_at", lease.lastHeartbeatAt()).put("boot_id", stamp.bootId())
        .raw("boot_seconds", seconds(stamp.millis()))
        .put("fencing_token", lease.token().value()).end();
    String padded = json + " ".repeat(Math.max(0, LINE_BYTES - 1 - json.length())) + "\n";
    return padded.getBytes(StandardCharsets.US_ASCII);
  }

  /** What a line says of the heartbeat of {@code lease} in the boot of {@code now}; stamps of two boots do not compare. */
  private static @Nullable BootStamp evidence(byte[] content, int line, Lease lease, BootStamp now) {
    int from = line * LINE_BYTES;
    if (content.length < from + LINE_BYTES || !begins(content, from, lease)) {
      return null;
    }
    try {
      JsonObject json = JsonReader.readObject(new String(content, from, LINE_BYTES, StandardCharsets.US_ASCII));
      boolean ofThisBeat = json.text("last_heartbeat_at").flatMap(Timestamps::parse)
          .filter(lease.lastHeartbeatAt()::equals).isPresent();
      boolean ofThisTenure = json.integer("fencing_token").orElse(-1) == lease.token().value();
      if (ofThisBeat && ofThisTenure && json.get("boot_seconds") instanceof JsonValue.Numeral seconds) {
        long millis = millis(seconds.literal());
        return json.text("boot_id").filter(now.bootId()::equals).map(id -> new BootStamp(id, millis)).orElse(null);
      }
      return null;
    } catch (JsonException | NumberFormatException torn) {
      return null;
    }
  }

  /** By hand: the first decimal number of Java's own takes a short command 9 ms. */
  private static String seconds(long millis) {
    String digits = "000" + millis;
    return millis / 1000 + "." + digits.substring(digits.length() - MILLIS_DIGITS);
  }

  private static long millis(String seconds) {
    int point = seconds.length() - MILLIS_DIGITS - 1;
    if (point < 1 || seconds.charAt(point) != '.') {
      throw new NumberFormatException("no seconds with milliseconds: " + seconds);
    }
    return Long.parseLong(seconds.substring(0, point) + seconds.substring(point + 1));
  }

  /** Whether a line is worth reading; one of the two almost never is. */
  private static boolean begins(byte[] content, int from, Lease lease) {
    byte[] beginning = (BEGINNING + Timestamps.format(lease.lastHeartbeatAt())).getBytes(StandardCharsets.US_ASCII);
    return Arrays.equals(content, from, from + beginning.length, beginning, 0, beginning.length);
  }

  private static @Nullable BootStamp latest(@Nullable BootStamp one, @Nullable BootStamp other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return one.millis() >= other.millis() ? one : other;
  }
}
