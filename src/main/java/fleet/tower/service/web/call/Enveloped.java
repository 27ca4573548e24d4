package fleet.tower.service.web.call;

import java.io.IOException;
import java.util.List;
import java.util.Map;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;

import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.web.http.Json;
import fleet.tower.service.web.http.RowAnswer;
import jakarta.servlet.http.HttpServletResponse;

/** Answers about tasks and mailboxes, in the same envelope as the command line. */
public final class Enveloped {
  private Enveloped() {}

  /** 200. */
  public static ResponseEntity<byte[]> ok(JsonWriter data) {
    return Json.ok(around(data));
  }

  /** 201. */
  public static ResponseEntity<byte[]> created(JsonWriter data) {
    return Json.created(around(data));
  }

  /** 200 for a repeated request. */
  public static ResponseEntity<byte[]> replayed(JsonWriter data) {
    return Json.answer(HttpStatus.OK, Map.of("Idempotency-Replayed", "true"), around(data));
  }

  /** A list, row by row. */
  public static void rows(HttpServletResponse response, String member, RowAnswer.Source rows) throws IOException {
    String empty = around(JsonWriter.line().list(member, List.of())).end();
    int end = empty.lastIndexOf(']');
    RowAnswer.send(response, empty.substring(0, end), empty.substring(end + 1), rows);
  }

  private static JsonWriter around(JsonWriter data) {
    return JsonWriter.line().put("schema_version", "v1").put("success", true).put("data", data);
  }
}
