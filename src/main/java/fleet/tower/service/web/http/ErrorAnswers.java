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
import fleet.tower.service.call.Problem;
import fleet.tower.service.call.Problems;
import fleet.tower.service.call.Rejected;
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
      case Rejected e -> Json.answer(e.problem());
      case InvalidValue e -> Json.answer(Problems.of(e));
      case Forbidden e -> {
        request.setAttribute(Forbidden.class.getName(), e);
        yield Json.answer(Problems.of(e));
      }
      // In the middle of a list no other answer is possible; the container cuts the connection, so that the client does not
      // take it for complete.
      case StorageException e when response.isCommitted() -> throw e;
      case StorageException e -> Json.answer(Problems.of(e));
      case UncheckedIOException e -> Json.answer(Problems.storage(String.valueOf(e.getMessage())));
      case ErrorResponse e -> ofSpring(e);
      // The client disconnected during the request or the answer.
      case IOException _ when response.isCommitted() -> null;
      case IOException _ -> Json.answer(HttpProblems.malformed("the body could not be read completely"));
      default -> {
        LOG.log(System.Logger.Level.ERROR, request.getMethod() + " " + request.getRequestURI() + " failed", failure);
        yield response.isCommitted() ? null : Json.answer(Problems.internal());
      }
    };
  }

  private static ResponseEntity<byte[]> ofSpring(ErrorResponse refusal) {
    Problem problem = HttpProblems.ofStatus(refusal.getStatusCode().value());
    refusal.getHeaders().forEach((name, values) -> problem.header(name, String.join(", ", values)));
    return Json.answer(problem);
  }
}
