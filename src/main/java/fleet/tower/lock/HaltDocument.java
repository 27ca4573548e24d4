package fleet.tower.lock;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;

import fleet.tower.lease.RequestId;
import fleet.tower.lock.Halt.Scope;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Timestamps;

/** The stored form of a halt: the content of its file, and its document in a database. */
public final class HaltDocument {
  private static final String VERSION = "v1";

  private HaltDocument() {}

  /** The bytes of the document of a halt. */
  public static byte[] of(Halt halt) {
    JsonWriter json = JsonWriter.block().put("halt_version", VERSION).put("halt", halt.name())
        .put("request_id", halt.requestId().value()).put("actor", halt.actor());
    if (halt.onBehalfOf() != null) {
      json.put("on_behalf_of", halt.onBehalfOf());
    }
    write(json, halt.scope()).put("level", halt.level().toString()).put("reason", halt.reason())
        .put("created_at", halt.createdAt());
    if (halt.ttl() != null) {
      json.put("ttl_seconds", halt.ttl().toSeconds());
    }
    return (json.end() + "\n").getBytes(StandardCharsets.UTF_8);
  }

  /** Adds the members of a scope. */
  public static JsonWriter write(JsonWriter json, Scope scope) {
    return json.list("actors", quoted(scope.actors())).list("intents", quoted(scope.intents()))
        .list("locks", quoted(scope.locks())).put("all", scope.all());
  }

  private static List<String> quoted(List<String> patterns) {
    return patterns.stream().map(JsonWriter::quote).toList();
  }

  /**
   * Parses an untrusted document. The version comes first: a newer document may have any other shape.
   *
   * @throws InvalidValue with the problem of a document that is not a halt of this name
   */
  public static Halt read(String name, byte[] content) {
    try {
      JsonObject json = JsonReader.readObject(content);
      require(text(json, "halt_version").equals(VERSION), "halt_version is not " + VERSION);
      require(text(json, "halt").equals(name), "halt is not the name under which it is stored");
      Instant createdAt = Timestamps.parse(text(json, "created_at"))
          .orElseThrow(() -> problem("created_at is not a UTC time like 2025-12-18T10:30:10Z"));
      Scope scope = new Scope(patterns(json, "actors"), patterns(json, "intents"), patterns(json, "locks"),
          json.isTrue("all"));
      OptionalLong ttl = json.integer("ttl_seconds");
      require(ttl.isPresent() || json.get("ttl_seconds") == null, "ttl_seconds is not an integer that fits");
      return new HaltRequest(name, new RequestId(text(json, "request_id")), scope,
          Halt.Level.of(text(json, "level")), text(json, "actor"), json.text("on_behalf_of").orElse(null),
          text(json, "reason"), ttl.isPresent() ? Duration.ofSeconds(ttl.getAsLong()) : null).from(createdAt);
    } catch (JsonException e) {
      throw problem("not a JSON object: " + e.getMessage());
    }
  }

  private static List<String> patterns(JsonObject json, String key) {
    require(json.get(key) != null && json.items(key).stream().allMatch(JsonValue.Text.class::isInstance),
        key + " is not a list of strings");
    return json.texts(key);
  }

  private static String text(JsonObject json, String key) {
    return json.text(key).orElseThrow(() -> problem(key + " is not a string"));
  }

  private static void require(boolean fits, String otherwise) {
    if (!fits) {
      throw problem(otherwise);
    }
  }

  private static InvalidValue problem(String problem) {
    return new InvalidValue(InvalidValue.Kind.REQUEST, problem);
  }
}
