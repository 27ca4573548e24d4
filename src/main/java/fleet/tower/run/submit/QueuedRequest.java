package fleet.tower.run.submit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import fleet.tower.intent.Values;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.Run;

/** What was asked for, as it is kept with a run that stands in the queue: all that its header does not have. */
final class QueuedRequest {
  private QueuedRequest() {}

  static String write(RunRequest request) {
    List<String> params = new ArrayList<>();
    new TreeMap<>(request.params()).forEach((name, given) -> params.add(JsonWriter.line().put("name", name)
        .put("text", given.text()).put("kind", given.kind().name()).end()));
    return JsonWriter.line().list("params", params).put("force", request.terms().force())
        .put("patience_millis", request.terms().patience().toMillis()).end();
  }

  /**
   * The request that a run came of.
   *
   * @throws IllegalArgumentException for what is no order
   */
  static RunRequest read(Run run, String order) {
    try {
      JsonObject json = JsonReader.readObject(order);
      Map<String, Values.Given> params = new LinkedHashMap<>();
      json.items("params").forEach(item -> {
        JsonObject param = (JsonObject) item;
        params.put(text(param, "name"),
            new Values.Given(text(param, "text"), Values.Given.Kind.valueOf(text(param, "kind"))));
      });
      boolean force = json.get("force") instanceof JsonValue.Bool(boolean value, int _, int _) && value;
      return new RunRequest(run.header().subject().intent(), params, run.requestId(), null, run.header().origin(),
          new RunRequest.Terms(force, Duration.ofMillis(json.integer("patience_millis").orElse(0))));
    } catch (JsonException | ClassCastException e) {
      throw new IllegalArgumentException("what is kept of run " + run.requestId() + " is no order: " + e.getMessage(),
          e);
    }
  }

  private static String text(JsonObject json, String key) {
    return json.text(key).orElseThrow(() -> new IllegalArgumentException("no text " + key));
  }
}
