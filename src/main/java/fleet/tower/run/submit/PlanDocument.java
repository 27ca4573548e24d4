package fleet.tower.run.submit;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import fleet.tower.approval.ApprovalTerms;
import fleet.tower.intent.Effect;
import fleet.tower.lock.PreviousLock;
import fleet.tower.platform.json.CanonicalJson;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.secret.HomeKey;
import fleet.tower.run.Observation;
import fleet.tower.run.Run;
import fleet.tower.run.execute.PreparedRun;

/**
 * What a request would do, as one JSON document. Two requests have the same document only if they would do the same; it
 * does not depend on the state of a lock, on who asks, or on how long the request may wait.
 *
 * <p>It contains no secret: the value of a secret parameter is a digest under the key of the home, and so is every
 * other value that contains the text of a secret.
 */
public record PlanDocument(JsonObject json) {
  private static final String FORMAT = "tower-plan/v2";

  /**
   * @param force whether the run would take its lock from a dead holder
   * @param judged what the rules say about it
   * @param seen what its probe sees; null if it has none
   */
  static PlanDocument of(PreparedRun prepared, boolean force, HomeKey key, Judged judged,
      @Nullable Observation seen) {
    return parse(new PlanWriter(prepared, force, key, judged).document(seen));
  }

  /**
   * What the rules of the intent and of the policy say about a run.
   *
   * @param effect how what it does can be undone
   * @param approval what it takes to approve it; null if it needs no approval
   */
  record Judged(Effect effect, @Nullable ApprovalTerms approval) {}

  /** Reads the text of a document. */
  static PlanDocument parse(String text) {
    try {
      return new PlanDocument(JsonReader.readObject(text));
    } catch (JsonException e) {
      throw new IllegalArgumentException("a plan must be a JSON object: " + e.getMessage(), e);
    }
  }

  /** The plan that the request of a run names; null if it names none. */
  static @Nullable PlanDocument requiredOf(Run.Header header) {
    Run.Declaration declaration = header.declaration();
    return declaration == null || declaration.plan() == null ? null : parse(declaration.plan());
  }

  /** The text of the document. */
  public String text() {
    return json.raw();
  }

  /** The JSON of a member, which must be there. */
  public String member(String name) {
    JsonValue value = json.get(name);
    if (value == null) {
      throw new IllegalArgumentException("a plan has no member " + name);
    }
    return json.raw(value);
  }

  /** The hash that identifies the document. */
  public String hash() {
    byte[] signed = (FORMAT + "\n" + CanonicalJson.of(json)).getBytes(StandardCharsets.UTF_8);
    return PlanHash.PREFIX + HexFormat.of().formatHex(PreviousLock.sha256().digest(signed));
  }

  /** The members in which another document differs, in alphabetical order; parameters are named one by one. */
  public List<String> changes(PlanDocument other) {
    List<String> changes = new ArrayList<>();
    differences(json, other.json).forEach(name -> {
      if (name.equals(PlanWriter.PARAMS) || name.equals(PlanWriter.SECRETS)) {
        differences(object(name), other.object(name)).forEach(param -> changes.add(name + "." + param));
      } else {
        changes.add(name);
      }
    });
    return changes;
  }

  private JsonObject object(String name) {
    return json.object(name).orElseThrow(() -> new IllegalArgumentException("a plan has no object " + name));
  }

  private static List<String> differences(JsonObject one, JsonObject other) {
    TreeMap<String, JsonValue> all = new TreeMap<>(one.members());
    all.putAll(other.members());
    return all.keySet().stream().filter(name -> !canonical(one.get(name)).equals(canonical(other.get(name)))).toList();
  }

  /** The canonical form of a member; empty, which no value is, if it is absent. */
  private static String canonical(@Nullable JsonValue value) {
    return value == null ? "" : CanonicalJson.of(value);
  }
}
