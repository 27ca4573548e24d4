package fleet.tower.service.call;

import java.util.Map;

import fleet.tower.platform.json.JsonWriter;

/** Answers about tasks and mailboxes, in the same envelope as the command line. */
public final class Enveloped {
  private Enveloped() {}

  /** 200. */
  public static Answer ok(JsonWriter data) {
    return Answer.ok(around(data));
  }

  /** 201. */
  public static Answer created(JsonWriter data) {
    return Answer.created(around(data));
  }

  /** 200 for a repeated request. */
  public static Answer replayed(JsonWriter data) {
    return new Answer.Done(Answer.OK, Map.of("Idempotency-Replayed", "true"), around(data));
  }

  /** The envelope with data in it. */
  public static JsonWriter around(JsonWriter data) {
    return JsonWriter.line().put("schema_version", "v1").put("success", true).put("data", data);
  }
}
