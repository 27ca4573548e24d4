package fleet.tower.answer;

import java.util.Map;

import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;

/** Answers about tasks and mailboxes, in the same envelope as the command line. */
public final class AnswerEnvelope {
  private AnswerEnvelope() {}

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

  /** The data of an answer in its envelope, or the body of one that has none. */
  public static JsonObject data(Answer.Done answer) {
    JsonObject body = JsonReader.readOwn(answer.body().end());
    return body.get("schema_version") == null ? body : body.object("data").orElse(body);
  }

  /** The envelope around the data of an answer. */
  public static Answer.Done around(Answer.Done done) {
    return new Answer.Done(done.status(), done.headers(), around(done.body()), done.remedies());
  }

  /** Appends the members that the envelope of a refusal has on the command line, too. */
  public static JsonWriter members(JsonWriter json, Problem problem) {
    ErrorCode code = problem.code();
    json.put("schema_version", "v1").put("success", false);
    return code == null ? json : json.put("error_code", code.code());
  }

  /** The envelope around data. */
  public static JsonWriter around(JsonWriter data) {
    return JsonWriter.line().put("schema_version", "v1").put("success", true).put("data", data);
  }
}
