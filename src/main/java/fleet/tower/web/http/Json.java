package fleet.tower.web.http;

import java.nio.charset.StandardCharsets;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;

import fleet.tower.json.JsonWriter;

/** Answers of a call that did what was asked. */
public final class Json {
  private Json() {}

  /** 200. */
  public static ResponseEntity<byte[]> ok(JsonWriter body) {
    return answer(HttpStatus.OK, body);
  }

  /** 201. */
  public static ResponseEntity<byte[]> created(JsonWriter body) {
    return answer(HttpStatus.CREATED, body);
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static ResponseEntity<byte[]> answer(HttpStatus status, JsonWriter body) {
    return ResponseEntity.status(status).contentType(MediaType.APPLICATION_JSON).body(bytes(body.end()));
  }
}
