package fleet.tower.lock.file;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * A lock file as the checker reads it, deliberately without the product's own reader: it searches the text for the
 * members of every record of this simulation.
 */
record LockText(String text, String request, String actor, long token, String heartbeatAt, long ttlSeconds) {
  private static final List<String> KEYS = Stream.of("lock_version", "lock_name", "request_id", "actor", "intent",
      "intent_version", "host_id", "pid", "created_at", "last_heartbeat_at", "ttl_seconds", "metadata")
      .map(member -> "\"" + member + "\": ").toList();

  /** The record, or null where the text is not a whole one. */
  static @Nullable LockText of(byte[] content) {
    String text = new String(content, StandardCharsets.ISO_8859_1);
    if (!text.startsWith("{") || !text.stripTrailing().endsWith("\n}")) {
      return null;
    }
    int at = 0;
    for (String key : KEYS) {
      at = text.indexOf(key, at);
      if (at < 0) {
        return null;
      }
    }
    return new LockText(text, string(text, "request_id"), string(text, "actor"), token(text),
        string(text, "last_heartbeat_at"), number(text, text.indexOf("\"ttl_seconds\": ") + 15));
  }

  boolean isOfRun() {
    return text.contains("\"held_for\":\"run\"");
  }

  /** Whether a forced release of this simulation spares it, as if its run were alive. */
  boolean isSpared() {
    return isOfRun() && token % 2 == 1;
  }

  /** Without a formatter, which would take a tenth of the simulation's time. */
  Instant heartbeat() {
    return LocalDateTime.of(part(0, 4), part(5, 7), part(8, 10), part(11, 13), part(14, 16), part(17, 19))
        .toInstant(ZoneOffset.UTC);
  }

  private int part(int from, int to) {
    return Integer.parseInt(heartbeatAt, from, to, 10);
  }

  boolean isSameHold(LockText other) {
    return request.equals(other.request) && token == other.token;
  }

  /** Whether the two differ in the heartbeat only. */
  boolean differsInHeartbeatOnly(LockText other) {
    return withoutHeartbeat().equals(other.withoutHeartbeat());
  }

  private String withoutHeartbeat() {
    int from = text.indexOf("\"last_heartbeat_at\": \"") + 22;
    return text.substring(0, from) + text.substring(text.indexOf('"', from));
  }

  private static String string(String text, String member) {
    int from = text.indexOf("\"" + member + "\": \"") + member.length() + 5;
    return text.substring(from, text.indexOf('"', from));
  }

  private static long token(String text) {
    int at = text.indexOf("\"fencing_token\":");
    return at < 0 ? 0 : number(text, at + 16);
  }

  private static long number(String text, int from) {
    int end = from;
    while (Character.isDigit(text.charAt(end))) {
      end++;
    }
    return Long.parseLong(text, from, end, 10);
  }

  @Override
  public String toString() {
    return request + " of " + actor + "/" + token + "@" + heartbeatAt;
  }
}
