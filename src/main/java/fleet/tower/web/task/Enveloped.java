package fleet.tower.web.task;

import java.util.Map;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;

import fleet.tower.json.JsonWriter;
import fleet.tower.web.http.Json;

/** What calls about tasks answer, in the envelope that the command line has: the same program may read both. */
final class Enveloped {
  private Enveloped() {}

  static ResponseEntity<byte[]> ok(JsonWriter data) {
    return Json.ok(around(data));
  }

  static ResponseEntity<byte[]> created(JsonWriter data) {
    return Json.created(around(data));
  }

  /** Something that was done before, by the same request. */
  static ResponseEntity<byte[]> replayed(JsonWriter data) {
    return Json.answer(HttpStatus.OK, Map.of("Idempotency-Replayed", "true"), around(data));
  }

  private static JsonWriter around(JsonWriter data) {
    return JsonWriter.line().put("schema_version", "v1").put("success", true).put("data", data);
  }
}
