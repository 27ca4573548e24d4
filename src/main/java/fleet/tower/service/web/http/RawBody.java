package fleet.tower.service.web.http;

import java.io.IOException;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;

import fleet.tower.answer.CommonProblems;
import fleet.tower.answer.RefusedCall;
import fleet.tower.platform.InvalidValue;
import jakarta.servlet.http.HttpServletRequest;

/** The bytes of a body that is declared as JSON. */
public final class RawBody {
  private RawBody() {}

  /** Reads at most {@value HttpProblems#MAX_BODY} bytes, not compressed; no body at all needs no type. */
  public static byte[] read(HttpServletRequest request) throws IOException {
    requireNoQuery(request.getQueryString());
    String encoding = request.getHeader(HttpHeaders.CONTENT_ENCODING);
    if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
      throw new RefusedCall(HttpProblems
          .mediaType("the body is encoded as " + InvalidValue.shown(encoding) + ", which is not supported"));
    }
    if (request.getContentLengthLong() > HttpProblems.MAX_BODY) {
      throw new RefusedCall(HttpProblems.tooLarge());
    }
    byte[] bytes = request.getInputStream().readNBytes(HttpProblems.MAX_BODY + 1);
    if (bytes.length > HttpProblems.MAX_BODY) {
      throw new RefusedCall(HttpProblems.tooLarge());
    }
    if (bytes.length > 0) {
      requireJson(request.getContentType());
    }
    return bytes;
  }

  /** What is sent in the query would have no effect. */
  private static void requireNoQuery(@Nullable String query) {
    if (query != null && !query.isEmpty()) {
      String name = query.replaceFirst("[=&].*", "");
      throw CommonProblems.invalid(name, "this call has no parameter " + InvalidValue.shown(name) + " in its query",
          "send it as a member of the body");
    }
  }

  private static void requireJson(@Nullable String contentType) {
    try {
      if (contentType != null && MediaType.APPLICATION_JSON.isCompatibleWith(MediaType.parseMediaType(contentType))) {
        return;
      }
    } catch (InvalidMediaTypeException e) {
      // Not JSON either.
    }
    throw new RefusedCall(HttpProblems.mediaType(contentType == null
        ? "the body has no Content-Type"
        : "the body is of type " + InvalidValue.shown(contentType) + ", which is not supported"));
  }
}
