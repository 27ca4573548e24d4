package fleet.tower.run.submit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import fleet.tower.access.Role;
import fleet.tower.intent.Values;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.Run;
import fleet.tower.run.execute.LockTerms;

/** The request of a queued run, as it is stored with the run: everything that its header does not contain. */
final class QueuedRequest {
  private QueuedRequest() {}

  private static final String SECRETS = "secrets";
  private static final String KEEPER = "keeper";

  /**
   * The secrets of a request that waits for its approval.
   *
   * @param params their names
   * @param keeper the executor that has their values in its memory
   */
  record Kept(List<String> params, String keeper) {}

  /** The stored form of a request without its secrets, which an executor keeps. */
  static String write(RunRequest request, Kept kept) {
    String json = write(request);
    return kept.params().isEmpty()
        ? json
        : JsonWriter.line().members(JsonReader.readOwn(json))
            .list(SECRETS, kept.params().stream().map(JsonWriter::quote).toList()).put(KEEPER, kept.keeper()).end();
  }

  /** The secrets of a run that an executor keeps; empty if it has none. */
  static Optional<Kept> kept(String order) {
    JsonObject json = JsonReader.readOwn(order);
    return json.text(KEEPER).map(keeper -> new Kept(json.texts(SECRETS), keeper));
  }

  static String write(RunRequest request) {
    List<String> params = new ArrayList<>();
    new TreeMap<>(request.params()).forEach((name, given) -> params.add(JsonWriter.line().put("name", name)
        .put("text", given.text()).put("kind", given.kind().name()).end()));
    JsonWriter json = JsonWriter.line().list("params", params).put("force", request.terms().force())
        .put("patience_millis", request.terms().patience().toMillis());
    if (request.role() != null) {
      json.put("role", request.role().name());
    }
    return (request.reason() == null ? json : json.put("reason", request.reason())).end();
  }

  /**
   * Reads the request of a queued run.
   *
   * @throws IllegalArgumentException if {@code order} was not written by {@link #write}
   */
  static RunRequest read(Run run, String order) {
    try {
      JsonObject json = JsonReader.readObject(order);
      Map<String, Values.Given> params = new LinkedHashMap<>();
      json.items("params").forEach(item -> {
        JsonObject param = (JsonObject) item;
        params.put(param.requiredText("name"),
            new Values.Given(param.requiredText("text"), Values.Given.Kind.valueOf(param.requiredText("kind"))));
      });
      return new RunRequest(run.intent(), params, run.requestId(), null, run.header().origin(),
          new LockTerms(json.isTrue("force"), Duration.ofMillis(json.integer("patience_millis").orElse(0))),
          Optional.ofNullable(PlanDocument.requiredOf(run.header())).map(PlanHash::of).orElse(null),
          json.text("reason").orElse(null), json.text("role").map(Role::valueOf).orElse(null), null);
    } catch (JsonException | ClassCastException e) {
      throw new IllegalArgumentException(
          "the stored request of run " + run.requestId() + " cannot be read: " + e.getMessage(),
          e);
    }
  }
}
