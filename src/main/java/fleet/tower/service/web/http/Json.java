package fleet.tower.service.web.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;

import fleet.tower.platform.json.JsonWriter;
import jakarta.servlet.http.HttpServletResponse;

/** Successful answers. */
public final class Json {
  private Json() {}

  /** 200. */
  public static ResponseEntity<byte[]> ok(JsonWriter body) {
    return answer(HttpStatus.OK, Map.of(), body);
  }

  /** 201. */
  public static ResponseEntity<byte[]> created(JsonWriter body) {
    return answer(HttpStatus.CREATED, Map.of(), body);
  }

  /** An answer with additional headers. */
  public static ResponseEntity<byte[]> answer(HttpStatus status, Map<String, String> headers, JsonWriter body) {
    ResponseEntity.BodyBuilder answer = ResponseEntity.status(status).contentType(MediaType.APPLICATION_JSON);
    headers.forEach(answer::header);
    return answer.body(bytes(body.end()));
  }

  /** A list, row by row; {@code more} follows it. */
  public static void rows(HttpServletResponse response, String member, JsonWriter more, RowAnswer.Source rows)
      throws IOException {
    String empty = JsonWriter.line().list(member, List.of()).members(more).end();
    int end = empty.indexOf("[]") + 1;
    RowAnswer.send(response, empty.substring(0, end), empty.substring(end + 1), rows);
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
