package fleet.tower.service.web.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;

import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.call.Answer;
import fleet.tower.service.call.Enveloped;
import fleet.tower.service.call.Problem;
import jakarta.servlet.http.HttpServletResponse;

/** Answers as HTTP. */
public final class Json {
  private Json() {}

  /** The complete answer to the call that this thread serves. */
  public static ResponseEntity<byte[]> answer(Answer answer) {
    return switch (answer) {
      case Answer.Done done -> done(done);
      case Problem problem -> ProblemDocument.answer(problem);
    };
  }

  private static ResponseEntity<byte[]> done(Answer.Done done) {
    ResponseEntity.BodyBuilder answer = ResponseEntity.status(done.status()).contentType(MediaType.APPLICATION_JSON);
    done.headers().forEach(answer::header);
    return answer.body(bytes(done.body().end()));
  }

  /** 200. */
  public static ResponseEntity<byte[]> ok(JsonWriter body) {
    return done(Answer.ok(body));
  }

  /** 201. */
  public static ResponseEntity<byte[]> created(JsonWriter body) {
    return done(Answer.created(body));
  }

  /** A list, row by row; {@code more} follows it. */
  public static void rows(HttpServletResponse response, String member, JsonWriter more, RowAnswer.Source rows)
      throws IOException {
    String empty = JsonWriter.line().list(member, List.of()).members(more).end();
    int end = empty.indexOf("[]") + 1;
    RowAnswer.send(response, empty.substring(0, end), empty.substring(end + 1), rows);
  }

  /** A list in the envelope, row by row. */
  public static void enveloped(HttpServletResponse response, String member, RowAnswer.Source rows)
      throws IOException {
    String empty = Enveloped.around(JsonWriter.line().list(member, List.of())).end();
    int end = empty.lastIndexOf(']');
    RowAnswer.send(response, empty.substring(0, end), empty.substring(end + 1), rows);
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
