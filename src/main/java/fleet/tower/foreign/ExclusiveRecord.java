package fleet.tower.foreign;

import java.time.Instant;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import fleet.tower.foreign.ForeignLockState.Occupant;
import fleet.tower.foreign.ProcessProbe.Realm;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Timestamps;

/**
 * The content of {@code .exclusive-lock}: the five members of the protocol, and two of the Tower's that other programs
 * ignore.
 *
 * @param version empty if absent
 *
 * @param process identifies the process exactly, if the holder is a Tower process; null for another tool's
 *
 * @param run distinguishes several holders in one process; null if there is only one
 */
public record ExclusiveRecord(String holder, long pid, String hostname, Instant startedAt, String version,
    @Nullable Mark process, @Nullable String run) {
  private static final Instant GO_ZERO = Instant.parse("0001-01-01T00:00:00Z");

  /** Identifies a process even after its number was reused. */
  public record Mark(Realm realm, long startTicks) {
    private static final Pattern FORM = Pattern.compile("([^/]{1,64})/([^/]{1,64})/(\\d{1,18})");

    static Optional<Mark> parse(String text) {
      Matcher parts = FORM.matcher(text);
      return parts.matches()
          ? Optional.of(new Mark(new Realm(parts.group(1), parts.group(2)), Long.parseLong(parts.group(3))))
          : Optional.empty();
    }

    @Override
    public String toString() {
      return realm.bootId() + "/" + realm.pidNamespace() + "/" + startTicks;
    }
  }

  /** The outcome of parsing. */
  sealed interface ParseOutcome {}

  /** A valid record. */
  record Valid(ExclusiveRecord record) implements ParseOutcome {}

  /** Not a valid record; {@code problem} begins like the protocol's own errors. */
  record Unfit(String problem) implements ParseOutcome {}

  /** A member with the wrong type. */
  private static final class Misfit extends Exception {
    private static final long serialVersionUID = 1;

    Misfit(String message) {
      super(message);
    }
  }

  /** Parses untrusted content. */
  static ParseOutcome parse(byte[] content) {
    JsonObject json;
    Instant startedAt;
    try {
      json = JsonReader.readObject(content);
      startedAt = moment(json);
      String missing = missing(json, startedAt);
      if (missing != null || startedAt == null) {
        return new Unfit("invalid lock file: " + missing);
      }
      return new Valid(new ExclusiveRecord(text(json, "holder"), pid(json), text(json, "hostname"), startedAt,
          text(json, "version"), Mark.parse(json.text("process").orElse("")).orElse(null),
          json.text("request_id").orElse(null)));
    } catch (JsonException | Misfit e) {
      return new Unfit("malformed lock file: " + e.getMessage());
    }
  }

  private static @Nullable String missing(JsonObject json, @Nullable Instant startedAt) throws Misfit {
    if (text(json, "holder").isEmpty()) {
      return "holder is empty or missing";
    }
    if (pid(json) <= 0) {
      return "pid must be a number above 0, not " + pid(json);
    }
    if (text(json, "hostname").isEmpty()) {
      return "hostname is empty or missing";
    }
    return startedAt == null ? "started_at is missing" : null;
  }

  private static String text(JsonObject json, String key) throws Misfit {
    return isAbsent(json, key) ? "" : json.text(key).orElseThrow(() -> new Misfit(key + " is not a string"));
  }

  private static long pid(JsonObject json) throws Misfit {
    return isAbsent(json, "pid")
        ? 0
        : json.integer("pid").orElseThrow(() -> new Misfit("pid is not an integer that fits"));
  }

  private static boolean isAbsent(JsonObject json, String key) {
    return json.get(key) == null || json.get(key) instanceof JsonValue.Null;
  }

  private static @Nullable Instant moment(JsonObject json) throws Misfit {
    String text = text(json, "started_at");
    if (isAbsent(json, "started_at")) {
      return null;
    }
    Instant moment = Timestamps.parseWithOffset(text)
        .orElseThrow(() -> new Misfit("started_at is not an RFC 3339 time"));
    return moment.equals(GO_ZERO) ? null : moment;
  }

  /** The record in a file's content; empty if it is not valid. */
  public static Optional<ExclusiveRecord> of(byte[] content) {
    return switch (parse(content)) {
      case Valid(ExclusiveRecord record) -> Optional.of(record);
      case Unfit _ -> Optional.empty();
    };
  }

  /** The record in the format of the protocol's own example. */
  public String text() {
    JsonWriter json = JsonWriter.block().put("holder", holder).put("pid", pid).put("hostname", hostname)
        .put("started_at", startedAt);
    if (!version.isEmpty()) {
      json.put("version", version);
    }
    if (process != null) {
      json.put("process", process.toString());
    }
    if (run != null) {
      json.put("request_id", run);
    }
    return json.end() + "\n";
  }

  public Occupant occupant() {
    return new Occupant(holder, pid, hostname, startedAt);
  }

  /** Whether this is the record of a claim made by this host, now or earlier. */
  public boolean isOf(ForeignLock.Claim claim, @Nullable Mark mark, String ownHostname) {
    return holder.equals(claim.holder()) && pid == claim.pid() && hostname.equalsIgnoreCase(ownHostname)
        && (run == null ? claim.run() == null : run.equals(claim.run()))
        && (process == null || mark == null || process.equals(mark));
  }
}
