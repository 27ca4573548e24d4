package fleet.tower.service.web.http;

import java.io.IOException;
import java.io.UncheckedIOException;

import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

import fleet.tower.access.Forbidden;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.StorageException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** Translates exceptions of controllers and refusals of Spring into problem documents. */
@RestControllerAdvice
final class ErrorAnswers {
  private static final System.Logger LOG = System.getLogger(ErrorAnswers.class.getName());

  @ExceptionHandler
  @Nullable
  ResponseEntity<byte[]> answer(Exception failure, HttpServletRequest request, HttpServletResponse response)
      throws Exception {
    return switch (failure) {
      case Rejected e -> e.problem().answer();
      case InvalidValue e -> Problems.of(e).answer();
      case Forbidden e -> {
        request.setAttribute(Forbidden.class.getName(), e);
        yield Problems.of(e).answer();
      }
      // In the middle of a list no other answer is possible; the container cuts the connection, so that the client does not
      // take it for complete.
      case StorageException e when response.isCommitted() -> throw e;
      case StorageException e -> Problems.of(e).answer();
      case UncheckedIOException e -> Problems.storage(String.valueOf(e.getMessage())).answer();
      case ErrorResponse e -> ofSpring(e);
      // The client disconnected during the request or the answer.
      case IOException _ when response.isCommitted() -> null;
      case IOException _ -> Problems.malformed("the body could not be read completely").answer();
      default -> {
        LOG.log(System.Logger.Level.ERROR, request.getMethod() + " " + request.getRequestURI() + " failed", failure);
        yield response.isCommitted() ? null : Problems.internal().answer();
      }
    };
  }

  private static ResponseEntity<byte[]> ofSpring(ErrorResponse refusal) {
    Problem problem = Problems.ofStatus(refusal.getStatusCode().value());
    refusal.getHeaders().forEach((name, values) -> problem.header(name, String.join(", ", values)));
    return problem.answer();
  }
}
