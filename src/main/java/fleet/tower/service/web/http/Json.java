package fleet.tower.service.web.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;

import fleet.tower.answer.Answer;
import fleet.tower.answer.AnswerEnvelope;
import fleet.tower.answer.Problem;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.list.Page;
import jakarta.servlet.http.HttpServletResponse;

/** Answers as HTTP. */
public final class Json {
  private Json() {}

  /** The complete answer to the call that this thread serves. */
  public static ResponseEntity<byte[]> answer(Answer answer) {
    return switch (answer) {
      case Answer.Done done -> done(done);
      case Answer.Listing _ -> throw new IllegalStateException("a list is written row by row");
      case Problem problem -> ProblemDocument.answer(problem);
    };
  }

  private static ResponseEntity<byte[]> done(Answer.Done done) {
    ResponseEntity.BodyBuilder answer = ResponseEntity.status(done.status()).contentType(MediaType.APPLICATION_JSON);
    done.headers().forEach(answer::header);
    return answer.body(bytes(done.body().end()));
  }

  /** Writes the answer to a call that was carried out. */
  static void write(Answer.Done done, HttpServletResponse response) throws IOException {
    byte[] body = bytes(done.body().end());
    response.setStatus(done.status());
    response.setContentType(MediaType.APPLICATION_JSON_VALUE);
    done.headers().forEach(response::setHeader);
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }

  /** 200. */
  public static ResponseEntity<byte[]> ok(JsonWriter body) {
    return done(Answer.ok(body));
  }

  /** 201. */
  public static ResponseEntity<byte[]> created(JsonWriter body) {
    return done(Answer.created(body));
  }

  /** A page of a list, row by row; {@code more} follows it. */
  public static void page(HttpServletResponse response, String member, JsonWriter more, @Nullable Page page,
      RowAnswer.Source rows) throws IOException {
    send(response, JsonWriter.line().list(member, List.of()).members(more), page, rows);
  }

  /** A page of a list, or a list without pages, in the envelope, row by row. */
  public static void envelopedPage(HttpServletResponse response, String member, @Nullable Page page,
      RowAnswer.Source rows) throws IOException {
    send(response, AnswerEnvelope.around(JsonWriter.line().list(member, List.of())), page, rows);
  }

  /** A list without pages in the envelope, row by row. */
  public static void enveloped(HttpServletResponse response, String member, RowAnswer.Source rows)
      throws IOException {
    send(response, AnswerEnvelope.around(JsonWriter.line().list(member, List.of())), null, rows);
  }

  private static void send(HttpServletResponse response, JsonWriter empty, @Nullable Page page, RowAnswer.Source rows)
      throws IOException {
    String text = empty.end();
    int end = text.indexOf("[]") + 1;
    RowAnswer.send(response, text.substring(0, end), text.substring(end + 1), page, rows);
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
