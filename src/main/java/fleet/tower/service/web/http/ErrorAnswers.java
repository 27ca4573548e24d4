package fleet.tower.service.web.http;

import java.io.IOException;

import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

import fleet.tower.access.Forbidden;
import fleet.tower.answer.CommonProblems;
import fleet.tower.answer.Problem;
import fleet.tower.answer.RefusedCall;
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
    Problem problem = problem(failure, request, response);
    return problem == null ? null : Json.answer(problem);
  }

  /** The problem of a call that ended with an exception; null if it can no longer be written. */
  static @Nullable Problem problem(Exception failure, HttpServletRequest request, HttpServletResponse response)
      throws Exception {
    if (failure instanceof Forbidden forbidden) {
      request.setAttribute(Forbidden.class.getName(), forbidden);
    }
    // In the middle of a list or a download no other answer is possible; the container cuts the connection, so that the
    // client does not consider it complete.
    if ((failure instanceof StorageException || failure instanceof RefusedCall) && response.isCommitted()) {
      throw failure;
    }
    Problem problem = CommonProblems.ofFailure(failure).orElse(null);
    return problem == null ? ofHttp(failure, request, response) : problem;
  }

  private static @Nullable Problem ofHttp(Exception failure, HttpServletRequest request,
      HttpServletResponse response) {
    return switch (failure) {
      case ErrorResponse e -> ofSpring(e);
      // The client disconnected during the request or the answer.
      case IOException _ when response.isCommitted() -> null;
      case IOException _ -> HttpProblems.malformed("the body could not be read completely");
      default -> {
        LOG.log(System.Logger.Level.ERROR, request.getMethod() + " " + request.getRequestURI() + " failed", failure);
        yield response.isCommitted() ? null : CommonProblems.internal();
      }
    };
  }

  private static Problem ofSpring(ErrorResponse refusal) {
    Problem problem = HttpProblems.ofStatus(refusal.getStatusCode().value());
    refusal.getHeaders().forEach((name, values) -> problem.header(name, String.join(", ", values)));
    return problem;
  }
}
